//! One row of a form: its name, its input, what is said about it.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use satchel_core::form::{Form, Input, Row};

use crate::browser::page;
use crate::ui::parts::{Icon, IconName, sentence};

/// The same row as it is now. It is drawn once, and what changes while it is filled in is read from here.
#[derive(Clone, Copy)]
struct Now {
    form: RwSignal<Form>,
    row: Memo<Row>,
}

impl Now {
    fn row(self) -> Row {
        self.row.get_untracked()
    }

    fn change(self, change: impl FnOnce(&mut Form, &Row)) {
        let row = self.row();
        self.form.update(|form| change(form, &row));
    }
}

/// A row.
#[component]
pub(super) fn FormRow(
    /// What is filled in.
    form: RwSignal<Form>,
    /// All rows, as they are now.
    rows: Memo<Vec<Row>>,
    /// The row, as it was when it first appeared.
    row: Row,
    /// Tells its inputs from those of another form.
    id: String,
    /// Told when the user wants the form done.
    on_submit: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let key = row.key();
    let first = row.clone();
    // A row that has just gone is drawn as it was until it is taken out.
    let now = Memo::new(move |before: Option<&Row>| {
        let found = rows.with(|rows| rows.iter().find(|row| row.key() == key).cloned());
        found.or_else(|| before.cloned()).unwrap_or_else(|| first.clone())
    });
    let now = Now { form, row: now };
    let name = format!("{id}{}", row.path);
    let list = name.rsplit_once('/').filter(|_| row.is_item).map(|(list, _)| list.to_owned());
    let input = draw_input(now, &row, &name, on_submit);
    let fault = Memo::new(move |_| {
        let row = now.row.get();
        form.with(|form| form.fault(&row)).map(|fault| sentence(&fault))
    });
    let (describes, faults) = (format!("{name}?"), format!("{name}!"));
    let hint = Memo::new(move |_| now.row.with(|row| row.hint.clone()));
    let depth = row.depth.min(4).to_string();
    let class = match row.input {
        Input::Group { .. } | Input::List { .. } => "form-row form-group",
        Input::Text { .. }
        | Input::Number { .. }
        | Input::Choice { .. }
        | Input::Forms { .. }
        | Input::Fixed { .. }
        | Input::Json
        | Input::Rest { .. } => "form-row",
    };
    view! {
        <div class=class data-depth=depth>
            <div class="form-head">
                <RowName row=row.clone() name />
                <NullSwitch now />
                <ItemRemove now list=list />
            </div>
            {(!row.description.is_empty())
                .then(|| view! { <p class="field-hint" id=describes>{row.description.clone()}</p> })}
            {input}
            {move || Some(hint.get()).filter(|hint| !hint.is_empty()).map(|hint| view! { <p class="field-hint">{hint}</p> })}
            <p class="field-error" id=faults>{move || fault.get()}</p>
        </div>
    }
    .into_any()
}

/// What the row is called; for one input it is its label.
#[component]
fn RowName(
    /// The row.
    row: Row,
    /// The id of its input.
    name: String,
) -> impl IntoView {
    let star = row.required.then(|| view! { <span class="form-star" title="Required">"*"</span> });
    match row.input {
        Input::Group { .. } | Input::List { .. } | Input::Fixed { .. } | Input::Rest { .. } => {
            view! { <span class="field-label">{row.label}{star}</span> }.into_any()
        }
        Input::Text { .. } | Input::Number { .. } | Input::Choice { .. } | Input::Forms { .. } | Input::Json => {
            view! { <label class="field-label" for=name>{row.label}{star}</label> }.into_any()
        }
    }
}

/// Makes a value null that may be, and takes it back.
#[component]
fn NullSwitch(
    /// The row.
    now: Now,
) -> impl IntoView {
    let state = Memo::new(move |_| now.row.with(|row| row.null));
    move || {
        state.get().map(|is_null| {
            let label = format!("{} is null", now.row().label);
            view! {
                <button
                    class="form-null"
                    type="button"
                    aria-pressed=is_null.to_string()
                    aria-label=label
                    on:click=move |_| now.change(|form, row| form.set_null(row, row.null != Some(true)))
                >
                    "null"
                </button>
            }
        })
    }
}

/// Takes an item out of its list.
#[component]
fn ItemRemove(
    /// The row.
    now: Now,
    /// The id of the list's own control, where it is in one.
    list: Option<String>,
) -> impl IntoView {
    list.map(|list| {
        let label = format!("Remove {}", now.row().label);
        view! {
            <button
                class="icon-button form-remove"
                type="button"
                aria-label=label.clone()
                title=label
                on:click=move |_| {
                    now.change(|form, row| form.remove_item(row));
                    // The button may be gone with its item.
                    page::focus(&list);
                }
            >
                <Icon name=IconName::Close small=true />
            </button>
        }
    })
}

fn draw_input(now: Now, row: &Row, name: &str, on_submit: impl Fn() + Copy + Send + Sync + 'static) -> AnyView {
    let name = name.to_owned();
    match &row.input {
        Input::Text { has_lines } => {
            view! { <TextInput now name rows=if *has_lines { 5 } else { 1 } is_code=false on_submit /> }.into_any()
        }
        Input::Number { .. } => view! { <NumberInput now name /> }.into_any(),
        Input::Json => view! { <TextInput now name rows=3 is_code=true on_submit /> }.into_any(),
        Input::Choice { options } => {
            let labels = options.iter().map(|option| option.label.clone()).collect();
            view! { <ChoiceInput now name labels may_be_none=true /> }.into_any()
        }
        Input::Forms { labels, .. } => view! { <FormsInput now name labels=labels.clone() /> }.into_any(),
        Input::Group { .. } => view! { <GroupButtons now name /> }.into_any(),
        Input::List { .. } => view! { <ListButtons now name /> }.into_any(),
        Input::Fixed { words } => view! { <code class="form-fixed">{words.clone()}</code> }.into_any(),
        Input::Rest { names } => {
            view! { <p class="field-hint">{names.clone()} ". These can only be edited as JSON."</p> }.into_any()
        }
    }
}

/// A text, of one line or several. Where one line is expected Enter submits, as in any form; Shift and Enter begin another.
#[component]
fn TextInput(
    /// The row.
    now: Now,
    /// Its id.
    name: String,
    /// How many lines are in sight.
    rows: u32,
    /// Whether it is JSON.
    is_code: bool,
    /// Told when the user wants the form done.
    on_submit: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let (describes, test_id) = (format!("{name}? {name}!"), name.clone());
    let class = if is_code { "input input-code form-text" } else { "input form-text" };
    let on_key = move |event: KeyboardEvent| {
        let is_plain = !event.shift_key() && !event.ctrl_key() && !event.meta_key() && !event.is_composing();
        if rows == 1 && event.key() == "Enter" && is_plain {
            event.prevent_default();
            on_submit();
        }
    };
    view! {
        <textarea
            class=class
            id=name
            rows=rows
            spellcheck="false"
            autocapitalize="off"
            data-testid=test_id
            aria-describedby=describes
            aria-invalid=move || has_fault(now).to_string()
            prop:value=move || text(now)
            on:input=move |event| now.change(|form, row| form.type_text(row, &event_target_value(&event)))
            on:keydown=on_key
        ></textarea>
    }
}

#[component]
fn NumberInput(
    /// The row.
    now: Now,
    /// Its id.
    name: String,
) -> impl IntoView {
    let (describes, test_id) = (format!("{name}? {name}!"), name.clone());
    // No number field of the browser's: it hides what it cannot read, and turns with the wheel.
    view! {
        <input
            class="input form-number"
            id=name
            type="text"
            inputmode="decimal"
            autocomplete="off"
            data-testid=test_id
            aria-describedby=describes
            aria-invalid=move || has_fault(now).to_string()
            prop:value=move || text(now)
            on:input=move |event| now.change(|form, row| form.type_text(row, &event_target_value(&event)))
        />
    }
}

/// A value of a few.
#[component]
fn ChoiceInput(
    /// The row.
    now: Now,
    /// Its id.
    name: String,
    /// What each is called.
    labels: Vec<String>,
    /// Whether nothing may be chosen.
    may_be_none: bool,
) -> impl IntoView {
    let chosen = Memo::new(move |_| {
        let row = now.row.get();
        now.form.with(|form| form.choice(&row))
    });
    let (describes, test_id) = (format!("{name}? {name}!"), name.clone());
    let choose = move |event: leptos::ev::Event| {
        let option = event_target_value(&event).parse().ok();
        now.change(|form, row| form.choose(row, option));
    };
    let option = move |(at, label): (usize, String)| {
        view! { <option value=at.to_string() prop:selected=move || chosen.get() == Some(at)>{label}</option> }
    };
    let options = labels.into_iter().enumerate().map(option).collect_view();
    view! {
        <select
            class="input form-select"
            id=name
            data-testid=test_id
            aria-describedby=describes
            aria-invalid=move || has_fault(now).to_string()
            on:change=choose
        >
            {may_be_none.then(|| view! { <option value="" prop:selected=move || chosen.get().is_none()>"not set"</option> })}
            {options}
        </select>
    }
}

/// Which of several forms a value has.
#[component]
fn FormsInput(
    /// The row.
    now: Now,
    /// Its id.
    name: String,
    /// What each is called.
    labels: Vec<String>,
) -> impl IntoView {
    let chosen = Memo::new(move |_| {
        now.row.with(|row| match &row.input {
            Input::Forms { chosen, .. } => *chosen,
            _ => 0,
        })
    });
    let choose = move |event: leptos::ev::Event| {
        if let Ok(form) = event_target_value(&event).parse() {
            now.change(|all, row| all.choose_form(row, form));
        }
    };
    let option = move |(at, label): (usize, String)| {
        view! { <option value=at.to_string() prop:selected=move || chosen.get() == at>{label}</option> }
    };
    let options = labels.into_iter().enumerate().map(option).collect_view();
    view! {
        <select class="input form-select" id=name on:change=choose>
            {options}
        </select>
    }
}

/// Puts a group in or takes it out, where it need not be there.
#[component]
fn GroupButtons(
    /// The row.
    now: Now,
    /// Its id.
    name: String,
) -> impl IntoView {
    let is_present = Memo::new(move |_| now.row.with(|row| row.input == Input::Group { is_present: true }));
    let is_free = Memo::new(move |_| now.row.with(|row| !row.required && !row.is_item));
    move || {
        let (words, label) = if is_present.get() { ("Leave out", "Leave out") } else { ("Fill in", "Fill in") };
        let name = name.clone();
        is_free.get().then(|| {
            let label = format!("{label} {}", now.row().label);
            view! {
                <button
                    class="button button-small form-group-button"
                    type="button"
                    id=name
                    aria-label=label
                    on:click=move |_| {
                        let is_present = is_present.get_untracked();
                        now.change(|form, row| form.set_present(row, !is_present));
                    }
                >
                    {words}
                </button>
            }
        })
    }
}

/// Adds an item to a list.
#[component]
fn ListButtons(
    /// The row.
    now: Now,
    /// Its id.
    name: String,
) -> impl IntoView {
    let label = format!("Add to {}", now.row().label);
    let (id, path) = (name.clone(), name);
    let add = move |_| {
        let count = match now.row().input {
            Input::List { count } => count,
            _ => 0,
        };
        now.change(|form, row| form.add_item(row));
        // What was added is what is filled in next; it is drawn after this.
        let added = format!("{path}/{count}");
        request_animation_frame(move || page::focus(&added));
    };
    view! {
        <button class="button button-small form-group-button" type="button" id=id aria-label=label on:click=add>
            <Icon name=IconName::Plus small=true />
            "Add"
        </button>
    }
}

fn text(now: Now) -> String {
    let row = now.row.get();
    now.form.with(|form| form.text(&row))
}

fn has_fault(now: Now) -> bool {
    let row = now.row.get();
    now.form.with(|form| form.fault(&row).is_some())
}
