//! Removing something that is missed afterwards: the button asks first, in its own place (R319).

use leptos::prelude::*;

use crate::browser::page;

/// The button.
#[component]
pub(crate) fn Removal(
    /// What is removed, for screen readers.
    what: String,
    /// The name it is known by, to tests too; the button that removes is `{test_id}-ok`.
    test_id: String,
    /// What the button says.
    #[prop(default = "Remove")]
    verb: &'static str,
    /// What the button says that means it.
    #[prop(default = "Remove for good")]
    sure: &'static str,
    /// Another name for the button that means it, to tests.
    #[prop(optional)]
    ok_test_id: Option<&'static str>,
    /// Told when the user means it.
    on_remove: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let is_asked = RwSignal::new(false);
    let ok = format!("{test_id}-ok");
    let (first_id, ok_id) = (StoredValue::new(test_id.clone()), StoredValue::new(ok.clone()));
    // One button takes the place of the other; the focus goes along.
    let ask = move |is_wanted: bool| {
        is_asked.set(is_wanted);
        let shown = if is_wanted { ok_id } else { first_id };
        request_animation_frame(move || page::focus(&shown.get_value()));
    };
    let (first, second) = (format!("{verb} {what}"), format!("{sure}: {what}"));
    move || {
        if !is_asked.get() {
            return view! {
                <button
                    class="button button-small"
                    type="button"
                    id=test_id.clone()
                    data-testid=test_id.clone()
                    aria-label=first.clone()
                    on:click=move |_| ask(true)
                >
                    {verb}
                </button>
            }
            .into_any();
        }
        view! {
            <span class="removal" role="group" aria-label=second.clone()>
                <button
                    class="button button-small button-danger"
                    type="button"
                    id=ok.clone()
                    data-testid=ok_test_id.map_or_else(|| ok.clone(), ToOwned::to_owned)
                    aria-label=second.clone()
                    on:click=move |_| on_remove()
                >
                    {sure}
                </button>
                <button class="button button-small" type="button" on:click=move |_| ask(false)>"Keep"</button>
            </span>
        }
        .into_any()
    }
}
