//! A document in a closed frame. Its height follows its content within bounds, and what goes wrong in it is told.

use leptos::html::Div;
use leptos::prelude::*;
use satchel_core::render::FrameHeight;

use super::surface::Copied;
use crate::browser::artifact_frame::{ArtifactFrame, FrameWord};
use crate::ui::parts::sentence;

/// What is known of the frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Heard {
    errors: Vec<String>,
    is_silent: bool,
    refused: Option<&'static str>,
}

/// The document.
#[component]
pub(crate) fn Artifact(
    /// What a screen reader calls it.
    title: String,
    /// The document, whole.
    document: String,
) -> impl IntoView {
    let host = NodeRef::<Div>::new();
    let frame = StoredValue::new_local(None::<ArtifactFrame>);
    let heard = RwSignal::new(Heard::default());
    let attempt = RwSignal::new(0_u32);
    Effect::new(move || {
        attempt.track();
        let Some(host) = host.get() else { return };
        // The frame before goes first, with whatever runs in it.
        frame.set_value(None);
        heard.set(Heard::default());
        let height = StoredValue::new_local(FrameHeight::default());
        let on_word = move |word| match word {
            FrameWord::Ready => drop(heard.try_update(|heard| heard.is_silent = false)),
            FrameWord::Height(reported) => {
                let now = height.try_update_value(|height| height.follow(reported)).flatten();
                if let Some(now) = now {
                    frame.try_with_value(|frame| frame.iter().for_each(|frame| frame.set_height(now)));
                }
            }
            FrameWord::Error(message) => drop(heard.try_update(|heard| {
                if !heard.errors.contains(&message) {
                    heard.errors.push(message);
                }
            })),
            FrameWord::Silent => drop(heard.try_update(|heard| heard.is_silent = true)),
            FrameWord::Refused(reason) => {
                heard.try_update(|heard| heard.refused = Some(reason));
                frame.try_set_value(None);
            }
        };
        frame.set_value(Some(ArtifactFrame::open(&host, &title, document.clone(), on_word)));
    });
    let again = move |_| attempt.update(|attempt| *attempt += 1);
    let take_away = move |_| {
        frame.set_value(None);
        heard.update(|heard| heard.is_silent = false);
    };
    view! {
        <div class="artifact" node_ref=host></div>
        {move || {
            heard
                .with(|heard| heard.refused)
                .map(|reason| view! { <p class="renderer-problem" role="alert">{format!("This cannot be shown: {reason}.")}</p> })
        }}
        <Show when=move || heard.with(|heard| heard.is_silent)>
            <p class="renderer-note" role="status" data-testid="artifact-silent">
                "This page is not responding. It may be busy or too large. "
                <button class="button button-small" type="button" on:click=again>"Load it again"</button>
                <button class="button button-small" type="button" data-testid="artifact-stop" on:click=take_away>"Stop it"</button>
            </p>
        </Show>
        <ArtifactErrors errors=Memo::new(move |_| heard.with(|heard| heard.errors.clone())) />
    }
}

/// What went wrong in the frame, for whoever can mend it.
#[component]
fn ArtifactErrors(
    /// What, in order.
    errors: Memo<Vec<String>>,
) -> impl IntoView {
    let copied = Copied::of(move || {
        let errors = errors.get_untracked().iter().map(|error| format!("- {error}")).collect::<Vec<_>>().join("\n");
        format!(
            "The HTML artifact reported these errors when it was shown:\n{errors}\nIt has no network: put everything it needs into its own files."
        )
    });
    move || {
        let errors = errors.get();
        (!errors.is_empty()).then(|| {
            view! {
                <details class="artifact-errors" data-testid="artifact-errors" open>
                    <summary>{format!("{} inside this page", if errors.len() == 1 { "1 error".to_owned() } else { format!("{} errors", errors.len()) })}</summary>
                    <ul>{errors.into_iter().map(|error| view! { <li>{sentence(&error)}</li> }).collect_view()}</ul>
                    <button class="button button-small" type="button" data-testid="copy-for-model" on:click=move |_| copied.copy()>
                        "Copy for the model"
                    </button>
                </details>
            }
        })
    }
}
