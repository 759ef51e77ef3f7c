//! Why a call failed, and where in its code.

use leptos::prelude::*;

use super::surface::{Copied, Surface};

/// The error.
#[component]
pub(crate) fn ErrorView(
    /// What happened.
    message: String,
    /// Where in its code.
    #[prop(optional_no_strip)]
    traceback: Option<String>,
) -> impl IntoView {
    let for_copy = match &traceback {
        Some(traceback) => format!("{message}\n\n{traceback}"),
        None => message.clone(),
    };
    let copied = Copied::of(move || for_copy.clone());
    view! {
        <Surface test_id="renderer-error" title="Error" copied>
            <p class="error-message" role="alert">{message}</p>
            {traceback
                .map(|traceback| {
                    view! {
                        <details class="error-traceback" open>
                            <summary>"Traceback"</summary>
                            <pre tabindex="0">{traceback}</pre>
                        </details>
                    }
                })}
        </Surface>
    }
}
