//! One running tool: its name, what it writes and shows, and the button that stops it. The style keeps it unseen for a moment, so that a
//! quick run does not flicker.

use leptos::prelude::*;

use crate::state::{Run, Runs};
use crate::ui::renderers::DisplayView;

/// A running tool.
#[component]
pub(crate) fn RunStrip(
    /// The run.
    run: Run,
) -> impl IntoView {
    let runs = Runs::expect();
    let Run { call, tool_id, chat, output, displays } = run;
    let test_id = format!("run-{call}");
    let name = tool_id.clone();
    let has_displays = Memo::new(move |_| displays.with(|displays| !displays.is_empty()));
    let has_output = Memo::new(move |_| output.with(|output| !output.is_empty()));
    view! {
        <div class="run" data-testid=test_id>
            <div class="run-head">
                <div class="spinner" aria-hidden="true"></div>
                <p class="run-name">"Running " <a href=format!("/ui/chat/{chat}")><code>{name}</code></a></p>
                <button
                    class="button button-small"
                    type="button"
                    data-testid="run-stop"
                    aria-label=format!("Stop {tool_id}")
                    on:click=move |_| runs.stop(&call)
                >
                    "Stop"
                </button>
            </div>
            {move || {
                has_output
                    .get()
                    .then(|| view! { <pre class="run-output" data-testid="run-output">{move || output.get().trim_end().to_owned()}</pre> })
            }}
            <div class="run-displays">
                {move || {
                    has_displays
                        .get()
                        .then(|| {
                            view! {
                                <For each=move || displays.get().into_iter().enumerate() key=|(at, _)| *at let:shown>
                                    <DisplayView bundle=shown.1 />
                                </For>
                            }
                        })
                }}
            </div>
        </div>
    }
}
