//! The form to try a tool with: filled in, checked, run, stopped, and what came of it.

use leptos::prelude::*;
use satchel_core::form::{Checked, Form};
use satchel_core::local_api::reading::ToolItemRead;
use satchel_core::schema::Misfit;
use serde_json::json;

use super::result::{Trial, TrialResult};
use crate::browser::page;
use crate::browser::spawn::spawn;
use crate::state::{Notices, Run, Runs, Storage, Toolsets};
use crate::ui::form::FormView;
use crate::ui::parts::sentence;
use crate::ui::renderers::DisplayView;
use crate::work::tools::{self, Invocation};

const RESULT: &str = "tester-result";

/// How far a trial is.
#[derive(Clone)]
enum Step {
    /// Nothing runs.
    Idle,
    /// The arguments are looked at.
    Checking,
    /// The tool runs, under this id.
    Running(String),
    /// Nothing ran, and why.
    Refused(String),
    /// It is over.
    Over(Box<Trial>),
}

/// The form and what comes of it.
#[component]
pub(super) fn Tester(
    /// The tool, as it is now.
    tool: Signal<Option<ToolItemRead>>,
) -> impl IntoView {
    let schema = untrack(|| tool.get()).and_then(|tool| tool.input_schema);
    let has_schema = schema.is_some();
    let form =
        RwSignal::new(Form::new(schema.unwrap_or_else(|| json!({"type": "object", "additionalProperties": true}))));
    let step = RwSignal::new(Step::Idle);
    let (storage, notices, toolsets) = (Storage::expect(), Notices::expect(), Toolsets::expect());
    let is_busy = Memo::new(move |_| step.with(|step| matches!(step, Step::Checking | Step::Running(_))));
    let unusable = Memo::new(move |_| tool.with(|tool| tool.as_ref().and_then(|tool| tool.unavailable_reason.clone())));
    let try_it = move || {
        let Some(tool) = tool.get_untracked() else { return };
        if is_busy.get_untracked() || !form.with_untracked(Form::is_readable) {
            return;
        }
        step.set(Step::Checking);
        spawn(async move {
            let store = storage.store();
            if has_schema && !fits(storage, form).await {
                step.try_set(Step::Idle);
                notices.announce("Some of the arguments are not valid.");
                return;
            }
            let arguments = form.with_untracked(|form| form.value().clone());
            let call = Invocation::of(&tool, arguments, None);
            step.try_set(Step::Running(call.call_id.clone()));
            let invoked = tools::invoke(&store, &call).await;
            let over = match (tools::call_row(&store, &call.call_id).await, invoked) {
                (Some(row), _) => {
                    let changed = tools::changed_files(&store, &row).await.unwrap_or_default();
                    Step::Over(Box::new(Trial { row, changed }))
                }
                (None, Err(error)) => Step::Refused(error.to_string()),
                (None, Ok(())) => Step::Refused("the call left no record".into()),
            };
            step.try_set(over);
            // It was counted, and may have been approved for longer than this call.
            toolsets.changed();
            request_animation_frame(|| page::reveal(RESULT));
        });
    };
    view! {
        <section class="tester" aria-label="Try it">
            <h2>"Try it"</h2>
            <FormView form id="tester" on_submit=try_it>
                <button
                    class="button button-accent"
                    type="submit"
                    data-testid="tester-run"
                    disabled=move || is_busy.get() || unusable.with(Option::is_some)
                >
                    {move || if is_busy.get() { "Running…" } else { "Run" }}
                </button>
                {move || {
                    let words = match unusable.get() {
                        Some(reason) => sentence(&reason),
                        None => "It runs in the chat “Scratch”, with that chat's files.".into(),
                    };
                    view! { <p class="field-hint">{words}</p> }
                }}
            </FormView>
            <div id=RESULT>
                {move || match step.get() {
                    Step::Idle | Step::Checking => ().into_any(),
                    Step::Running(call_id) => view! { <Running call_id /> }.into_any(),
                    Step::Refused(reason) => {
                        view! { <p class="problem" role="alert" data-testid="tester-result">{sentence(&reason)}</p> }.into_any()
                    }
                    Step::Over(trial) => view! { <TrialResult trial=*trial /> }.into_any(),
                }}
            </div>
        </section>
    }
}

/// Has the arguments checked, and says at each row what does not fit. What cannot be checked is for the call to say.
pub(crate) async fn fits(storage: Storage, form: RwSignal<Form>) -> bool {
    let (schema, value) = form.with_untracked(|form| (form.schema().clone(), form.value().clone()));
    let Ok(Checked { misfits, fault: _ }) = tools::check(&storage.store(), &schema, &value).await else { return true };
    let fits = misfits.is_empty();
    let misfits = misfits.into_iter().map(|(path, message)| Misfit { path, message }).collect();
    form.try_update(|form| form.take_misfits(misfits));
    fits
}

/// The tool while it runs: what it writes and shows, and the way to stop it.
#[component]
fn Running(
    /// The id of the call.
    call_id: String,
) -> impl IntoView {
    let (runs, storage) = (Runs::expect(), Storage::expect());
    let mine = RwSignal::new(None::<Run>);
    // Several may run; which is this one is in its row.
    Effect::new(move |_| {
        let running = runs.running.get();
        let call_id = call_id.clone();
        spawn(async move {
            let store = storage.store();
            let row = tools::call_row(&store, &call_id).await;
            let found = row.and_then(|row| running.into_iter().find(|run| run.call == row.id.as_str()));
            mine.try_set(found);
        });
    });
    view! {
        <div class="trial" role="status">
            <div class="run-head">
                <div class="spinner" aria-hidden="true"></div>
                <p class="run-name">"Running"</p>
                {move || {
                    mine.get()
                        .map(|run| view! {
                            <button
                                class="button button-small"
                                type="button"
                                data-testid="tester-stop"
                                on:click=move |_| runs.stop(&run.call)
                            >
                                "Stop"
                            </button>
                        })
                }}
            </div>
            {move || {
                mine.get()
                    .map(|Run { output, displays, .. }| view! {
                        <pre class="run-output" data-testid="tester-output">{move || output.get().trim_end().to_owned()}</pre>
                        <div class="run-displays" data-testid="tester-displays">
                            <For each=move || displays.get().into_iter().enumerate() key=|(at, _)| *at let:shown>
                                <DisplayView bundle=shown.1 />
                            </For>
                        </div>
                    })
            }}
        </div>
    }
}
