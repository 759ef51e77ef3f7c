//! A choice of a few, all of them in sight: radio buttons drawn as one control, so that the arrow keys walk it.

use leptos::prelude::*;

use super::{Icon, IconName};

/// One thing to choose.
#[derive(Clone, Copy)]
pub(crate) struct ChoiceOption<T: 'static> {
    /// What it stands for.
    pub(crate) value: T,
    /// What it says.
    pub(crate) label: &'static str,
    /// A picture beside the words.
    pub(crate) icon: Option<IconName>,
}

/// A choice of a few.
#[component]
pub(crate) fn Choice<T: Copy + PartialEq + Send + Sync + 'static>(
    /// Tells this choice from the others on the page.
    name: &'static str,
    /// What is being chosen, for screen readers; the page shows it beside the control.
    label: &'static str,
    /// What there is to choose.
    options: Vec<ChoiceOption<T>>,
    /// What is chosen now.
    #[prop(into)]
    chosen: Signal<T>,
    /// Told what the user chose.
    on_choose: impl Fn(ChoiceOption<T>) + Copy + 'static,
) -> impl IntoView {
    let options = options.into_iter().map(move |option| {
        view! {
            <label class="choice-option">
                <input
                    type="radio"
                    name=name
                    prop:checked=move || chosen.get() == option.value
                    on:change=move |_| on_choose(option)
                />
                {option.icon.map(|icon| view! { <Icon name=icon small=true /> })}
                {option.label}
            </label>
        }
    });
    view! {
        <div class="choice" role="radiogroup" aria-label=label>
            {options.collect_view()}
        </div>
    }
}
