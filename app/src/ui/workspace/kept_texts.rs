//! What was typed and could not be saved, offered again.

use leptos::prelude::*;
use satchel_core::workspace::{KeptText, WorkspacePath};

use crate::state::Workspace;
use crate::ui::parts::{Icon, IconName};

/// The texts that wait; nothing where none does.
#[component]
pub(super) fn KeptTexts(
    /// Only those of this file.
    #[prop(optional)]
    of: Option<WorkspacePath>,
) -> impl IntoView {
    let workspace = Workspace::expect();
    move || {
        let kept = workspace.kept_texts().into_iter();
        let kept = kept.filter(|kept| of.as_ref().is_none_or(|path| *path == kept.path));
        kept.map(|kept| view! { <KeptRow kept /> }).collect_view()
    }
}

#[component]
fn KeptRow(
    /// The text.
    kept: KeptText,
) -> impl IntoView {
    let workspace = Workspace::expect();
    let words = format!("What you typed in \u{201c}{}\u{201d} was not saved. It is kept on this device.", kept.path);
    let kept = StoredValue::new(kept);
    view! {
        <div class="workspace-note" data-kind="caution" role="status" data-testid="kept-text">
            <Icon name=IconName::Info small=true />
            <span>{words}</span>
            <button
                class="button button-small"
                type="button"
                data-testid="kept-text-put-back"
                on:click=move |_| workspace.put_text_back(kept.get_value())
            >
                "Put it back"
            </button>
            <button
                class="button button-small"
                type="button"
                on:click=move |_| kept.with_value(|kept| workspace.download_text(kept))
            >
                "Download"
            </button>
            <button
                class="button button-small"
                type="button"
                data-testid="kept-text-discard"
                on:click=move |_| workspace.give_text_up(kept.get_value())
            >
                "Discard"
            </button>
        </div>
    }
    .into_any()
}
