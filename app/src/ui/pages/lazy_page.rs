//! A page whose code arrives when it is first opened. It stays loaded; when it does not arrive, it can be asked for again.

use futures_util::FutureExt as _;
use leptos::prelude::*;

use super::{Bring, Draw, NotArrived};
use crate::browser::spawn::spawn;
use crate::browser::{page, style_sheet};
use crate::ui::parts::{EmptyState, IconName};

/// The page, once it is here.
#[component]
pub(crate) fn LazyPage(
    /// How it is brought.
    bring: Bring,
) -> impl IntoView {
    let arrived = RwSignal::new_local(None);
    ask_at_once(bring, arrived);
    let ask_again = move || {
        arrived.set(None);
        ask_at_once(bring, arrived);
    };
    move || match arrived.get() {
        None => view! { <Arriving /> }.into_any(),
        Some(Ok(draw)) => draw(),
        Some(Err(_not_arrived)) => view! { <DidNotArrive on_ask_again=ask_again /> }.into_any(),
    }
}

/// What has come of asking; none while it is on its way.
type Arrived = RwSignal<Option<Result<Draw, NotArrived>>, LocalStorage>;

/// Asks for a part of a page. The first picture is drawn without it, and goes before it: nothing shares the network with what that needs.
pub(super) fn ask(bring: Bring, arrived: Arrived) {
    let mut drawn = Box::pin(page::when_drawn());
    if (&mut drawn).now_or_never().is_some() {
        ask_at_once(bring, arrived);
        return;
    }
    spawn(async move {
        drawn.await;
        ask_at_once(bring, arrived);
    });
}

/// Asks for a page. One that is here is drawn at once, and not a frame after something else.
fn ask_at_once(bring: Bring, arrived: Arrived) {
    let (mut bringing, mut styles) = (bring(), Box::pin(style_sheet::later()));
    let here = (&mut bringing).now_or_never();
    if here.is_some() && (&mut styles).now_or_never().is_some() {
        arrived.try_set(here);
        return;
    }
    spawn(async move {
        let answer = match here {
            Some(here) => here,
            None => bringing.await,
        };
        // It is drawn once it will look as it should.
        styles.await;
        // The user may have gone elsewhere meanwhile; then nobody waits for it.
        arrived.try_set(Some(answer));
    });
}

/// What is seen while a page is on its way. Its style keeps it unseen for a moment: most pages come sooner.
#[component]
fn Arriving() -> impl IntoView {
    view! {
        <div class="page page-arriving" aria-busy="true">
            <p class="unseen" role="status">"The page is loading."</p>
            <div class="skeleton-line skeleton-word"></div>
            <div class="skeleton-block skeleton-button"></div>
            <div class="skeleton-block skeleton-button"></div>
        </div>
    }
}

/// What is seen instead of a page that could not be had.
#[component]
fn DidNotArrive(
    /// Told when the user wants it asked for again.
    on_ask_again: impl Fn() + Send + 'static,
) -> impl IntoView {
    view! {
        <EmptyState icon=IconName::Offline title="This page could not be loaded">
            <p role="alert">
                "Its code is fetched when it is first opened, and neither this device nor the server had it. Check the connection and try again. If the server was just updated, reload. Nothing was lost."
            </p>
            <div class="empty-actions">
                <button class="button button-accent" type="button" on:click=move |_| on_ask_again()>"Try again"</button>
                <button class="button" type="button" on:click=|_| page::reload()>"Reload"</button>
            </div>
        </EmptyState>
    }
}
