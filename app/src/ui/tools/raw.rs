//! What a trial gave, as it is: the result in JSON, from the file it was put into where it was too large for the record; or the error.

use leptos::prelude::*;
use satchel_core::record::{CallStatus, Spilled, ToolCall};

use crate::state::Storage;
use crate::ui::parts::{in_words, sentence};
use crate::work::calls;

/// So many letters of a large result are shown: it can be seen whole in its file.
const AT_MOST: usize = 200_000;

/// The result.
#[component]
pub(super) fn Raw(
    /// The call, ended.
    row: ToolCall,
) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let text = match (row.status, row.spilled) {
        (CallStatus::Error, _) => {
            let said = [row.error, row.traceback].into_iter().flatten();
            said.collect::<Vec<_>>().join("\n\n").into_any()
        }
        (_, Some(spilled)) => {
            let spilled = StoredValue::new(spilled);
            (move || is_open.get().then(|| view! { <FromFile spilled=spilled.get_value() /> })).into_any()
        }
        (_, None) => serde_json::to_string_pretty(&row.result.unwrap_or_default()).unwrap_or_default().into_any(),
    };
    view! {
        <details class="part" on:toggle=move |_| is_open.set(true)>
            <summary>"Raw"</summary>
            <pre class="file-text tool-schema" tabindex="0" data-testid="tester-raw">{text}</pre>
        </details>
    }
}

/// A result that is in a file.
#[component]
fn FromFile(
    /// Which.
    spilled: Spilled,
) -> impl IntoView {
    let Spilled { path, sha256, size, media_type, preview } = spilled;
    let head = format!("{path}, {}, {media_type}\n\n", in_words(size));
    if media_type.starts_with("image/") {
        return head.into_any();
    }
    let storage = Storage::expect();
    let read = LocalResource::new(move || {
        let (store, path) = (storage.store(), path.clone());
        async move { calls::text(&store, &path, sha256).await.map_err(|error| error.to_string()) }
    });
    (move || {
        let text = match read.get() {
            None => "Loading…".to_owned(),
            Some(Err(problem)) => format!("{}\n\n{preview}\n…", sentence(&problem)),
            Some(Ok(text)) => match text.char_indices().nth(AT_MOST) {
                None => text,
                Some((end, _)) => format!("{}\n…", &text[..end]),
            },
        };
        format!("{head}{text}")
    })
    .into_any()
}
