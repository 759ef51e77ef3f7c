//! A form for what a tool takes: rows made from its schema, and the same as JSON beside them. Which rows there are and what
//! typing means is core's ([`Form`]); here they are drawn.

mod row;

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::prelude::*;
use satchel_core::form::{Form, Row};

use self::row::FormRow;
use super::parts::sentence;

/// The form of one value.
#[component]
pub(crate) fn FormView(
    /// What is filled in.
    form: RwSignal<Form>,
    /// Tells its inputs from those of another form on the page.
    #[prop(into)]
    id: String,
    /// Told when the user wants it done.
    on_submit: impl Fn() + Copy + Send + Sync + 'static,
    /// What stands below the rows, such as the button that submits.
    children: Children,
) -> impl IntoView {
    let rows = Memo::new(move |_| form.with(Form::rows));
    let of_rows = id.clone();
    let is_empty = Memo::new(move |_| rows.with(Vec::is_empty));
    let others = Memo::new(move |_| form.with(Form::other_faults));
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        on_submit();
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            on_submit();
        }
    };
    view! {
        <form class="form" novalidate on:submit=submit on:keydown=on_key>
            <div class="form-sides">
                <div class="form-rows">
                    <For each=move || rows.get() key=Row::key let:row>
                        <FormRow form rows row id=of_rows.clone() on_submit />
                    </For>
                    {move || is_empty.get().then(|| view! { <p class="field-hint">"This tool takes no arguments."</p> })}
                </div>
                <JsonSide form id />
            </div>
            {move || {
                let others = others.get();
                (!others.is_empty())
                    .then(|| view! {
                        <div class="problem" role="alert">
                            {others.into_iter().map(|fault| view! { <p>{sentence(&fault)}</p> }).collect_view()}
                        </div>
                    })
            }}
            <div class="form-actions">{children()}</div>
        </form>
    }
}

/// The value as JSON, which can be written too. Both sides show one value.
#[component]
fn JsonSide(
    /// What is filled in.
    form: RwSignal<Form>,
    /// Tells its inputs from others.
    id: String,
) -> impl IntoView {
    let fault = Memo::new(move |_| form.with(|form| form.json_fault().map(sentence)));
    let fault_id = format!("{id}-json-fault");
    let described_by = fault_id.clone();
    view! {
        <details class="form-json" open=true>
            <summary>"As JSON"</summary>
            <textarea
                class="input input-code form-json-text"
                aria-label="The arguments as JSON"
                spellcheck="false"
                autocapitalize="off"
                data-testid=format!("{id}-json")
                aria-invalid=move || fault.with(Option::is_some).to_string()
                aria-describedby=described_by
                prop:value=move || form.with(|form| form.json().to_owned())
                on:input=move |event| form.update(|form| form.type_json(&event_target_value(&event)))
            ></textarea>
            <p class="field-error" id=fault_id>{move || fault.get()}</p>
        </details>
    }
}
