//! A file of a toolset, to be read and not to be changed.

use leptos::prelude::*;
use satchel_core::digest::BlobId;

use crate::browser::spawn::spawn;
use crate::state::Toolsets;
use crate::ui::parts::sentence;
use crate::work::toolsets::FileText;

/// The text of a file.
#[component]
pub(crate) fn FileView(
    /// The name of its bytes.
    sha256: BlobId,
) -> impl IntoView {
    let toolsets = Toolsets::expect();
    let read = RwSignal::new(None::<Result<FileText, String>>);
    spawn(async move {
        let file = toolsets.file(sha256).await;
        // Nobody waits for it if it was closed meanwhile.
        read.try_set(Some(file));
    });
    let note = |text: String| view! { <p class="field-hint">{text}</p> }.into_any();
    move || match read.get() {
        None => note("Loading…".into()),
        Some(Ok(FileText::Text { text, is_cut })) => view! {
            <pre class="file-text" tabindex="0" data-testid="toolset-file-text">{text}</pre>
            {is_cut.then(|| note("Only the beginning is shown; export the toolset to see all of it.".into()))}
        }
        .into_any(),
        Some(Ok(FileText::Binary)) => note("This is not text; export the toolset to look at it.".into()),
        Some(Ok(FileText::Missing)) => {
            note("Its bytes are not stored on this device; import the toolset again.".into())
        }
        Some(Ok(FileText::Damaged)) => note(
            "Its bytes are damaged on this device and are not shown; uninstall the toolset, then import it again."
                .into(),
        ),
        Some(Err(error)) => note(sentence(&error)),
    }
}
