//! The notices on the screen, and the words for screen readers only.
//!
//! Errors stay. Everything else goes by itself after six seconds, counted by an animation of the style sheet: it stops
//! while the pointer or the focus is on the notice and while the tab is not looked at, and its end takes the notice
//! away.

use leptos::prelude::*;

use super::update_offer::UpdateOffer;
use crate::state::{Notice, NoticeKind, Notices};
use crate::ui::parts::{Icon, IconName};

/// All notices.
#[component]
pub(crate) fn NoticeStack() -> impl IntoView {
    let notices = Notices::expect();
    view! {
        <section class="notices" aria-label="Notices">
            <For each=move || notices.list().get() key=|notice| notice.id let:notice>
                <NoticeCard notice />
            </For>
            <UpdateOffer />
        </section>
        <div class="unseen" role="status">{notices.spoken()}</div>
    }
}

#[component]
fn NoticeCard(
    /// What to show.
    notice: Notice,
) -> impl IntoView {
    let notices = Notices::expect();
    let Notice { id, kind, text, action } = notice;
    let (word, icon) = look_of(kind);
    let stays = kind == NoticeKind::Error;
    let action = action.map(|action| {
        let run = move |_| {
            notices.dismiss(id);
            action.run.run(());
        };
        view! {
            <div class="notice-actions">
                <button class="button button-small" type="button" on:click=run>{action.label}</button>
            </div>
        }
    });
    view! {
        <div class="notice" data-kind=word data-testid="notice" role=if stays { "alert" } else { "status" }>
            <div class="notice-mark">
                <Icon name=icon small=true />
            </div>
            <p class="notice-text">{text}</p>
            <button class="icon-button" type="button" aria-label="Dismiss" on:click=move |_| notices.dismiss(id)>
                <Icon name=IconName::Close small=true />
            </button>
            {action}
            {(!stays).then(|| view! { <div class="notice-clock" on:animationend=move |_| notices.dismiss(id)></div> })}
        </div>
    }
}

fn look_of(kind: NoticeKind) -> (&'static str, IconName) {
    match kind {
        NoticeKind::Info => ("info", IconName::Info),
        NoticeKind::Success => ("success", IconName::Check),
        NoticeKind::Warning => ("warning", IconName::Warning),
        NoticeKind::Error => ("error", IconName::Error),
    }
}
