//! A button that asks first, in its own place, and says what will happen.

use leptos::prelude::*;

use crate::browser::page;

/// The button.
#[component]
pub(crate) fn Agreement(
    /// What it says.
    label: &'static str,
    /// What is asked.
    question: String,
    /// What the button says that means it.
    ok: &'static str,
    /// What it is known by to tests, and on the page.
    test_id: &'static str,
    /// Whether something is under way.
    #[prop(optional, into)]
    busy: Signal<bool>,
    /// Told when the user means it.
    on_agree: Callback<()>,
) -> impl IntoView {
    let is_asked = RwSignal::new(false);
    let question = StoredValue::new(question);
    // Each page has one at a time that asks; the focus goes to where the answer is.
    let ask = move |_| {
        is_asked.set(true);
        request_animation_frame(|| page::focus("confirm-ok"));
    };
    let agree = move |_| {
        is_asked.set(false);
        on_agree.run(());
    };
    move || {
        if is_asked.get() {
            view! {
                <div class="agreement" role="group" aria-label=ok>
                    <p>{question.get_value()}</p>
                    <div class="row-buttons">
                        <button
                            class="button button-small button-danger"
                            type="button"
                            id="confirm-ok"
                            data-testid="confirm-ok"
                            on:click=agree
                        >
                            {ok}
                        </button>
                        <button class="button button-small" type="button" on:click=move |_| is_asked.set(false)>
                            "Cancel"
                        </button>
                    </div>
                </div>
            }
            .into_any()
        } else {
            view! {
                <button class="button button-small" type="button" data-testid=test_id disabled=busy on:click=ask>
                    {label}
                </button>
            }
            .into_any()
        }
    }
}
