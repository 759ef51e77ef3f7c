//! The page shown instead of the app when the app cannot start.

use leptos::prelude::*;

use super::parts::{Logo, sentence};
use crate::boot::BootProblem;
use crate::browser::page;

/// What is wrong, what to do about it, and the ways on.
#[component]
pub(crate) fn ProblemPage(
    /// What kept the app from starting.
    problem: BootProblem,
    /// The access token that came with the address, to be tried again after a reload.
    token: Option<String>,
    /// Told when the user would rather go on with nothing saved.
    on_go_on: impl Fn() + 'static,
) -> impl IntoView {
    let BootProblem { title, what_happened, what_to_do, can_go_on_without_storage } = problem;
    let go_on = can_go_on_without_storage.then(|| {
        view! {
            <button class="button" type="button" data-testid="go-on-without-saving" on:click=move |_| on_go_on()>
                "Continue without saving"
            </button>
        }
    });
    view! {
        <main class="trouble" data-testid="boot-problem">
            <div class="trouble-card" role="alert">
                <Logo />
                <h1>{title}</h1>
                <p>{sentence(&what_happened)}</p>
                <p>{what_to_do}</p>
                <div class="trouble-actions">
                    <button class="button button-accent" type="button" on:click=move |_| page::reload_with_token(token.as_deref())>
                        "Reload"
                    </button>
                    {go_on}
                </div>
            </div>
        </main>
    }
}
