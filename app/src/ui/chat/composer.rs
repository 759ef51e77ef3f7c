//! The composer: where a message is written. What stands in it is kept as a draft with every keystroke, files included.
//!
//! What goes along with a message, and the list of files that an at sign opens, are chunks: most messages have neither.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use satchel_core::ids::ChatId;
use satchel_core::settings::EnterKey;

use crate::state::{
    Answers, Attaching, ComposerDraft, Configuring, CurrentSettings, Mentions, Models, OpenedChat, Palette, Storage,
    Wrench,
};
use crate::ui::pages::{LazyLayer, LazyPopup, Pages};
use crate::ui::parts::{Icon, IconName};
use crate::ui::wrench::WrenchButton;

/// The composer.
#[component]
pub(crate) fn Composer(
    /// What stands in it.
    draft: ComposerDraft,
    /// Told when it is to be sent; takes it out of the draft if it can be said now.
    on_send: impl Fn() + Copy + Send + Sync + 'static,
    /// The chat whose answer can be stopped here.
    answering: Option<ChatId>,
) -> impl IntoView {
    let (answers, models) = (Answers::expect(), Models::expect());
    let answering = StoredValue::new(answering);
    let coming = Memo::new(move |_| {
        answering.get_value().filter(|chat| answers.coming(chat).is_some_and(|coming| !coming.is_elsewhere))
    });
    let palette = Palette::of(draft);
    provide_context(palette);
    provide_context(draft);
    let mentions = Mentions::of(draft);
    provide_context(mentions);
    let may_name_files = Memo::new(move |_| mentions.may_be_written());
    let attaching = Attaching::expect();
    attaching.is_written_in(draft);
    keep_until_left(draft);
    let wrench = Wrench::closed();
    provide_context(wrench);
    provide_context(Configuring::of(OpenedChat::expect()));
    let pages: Pages = expect_context();
    let Pages { palette: bring_palette, wrench: bring_wrench, model_picker: bring_picker, .. } = pages;
    let enter_key = CurrentSettings::expect().enter_key();
    let is_kept = Storage::expect().is_kept();
    let note = move || match (is_kept, models.chosen().is_some()) {
        (true, true) => "",
        (true, false) => "No model is chosen: what you send is saved in this chat, but nothing answers it.",
        (false, _) => "Without storage there are no answers, and what you write is lost when this tab closes.",
    };
    let has_files = Memo::new(move |_| draft.has_attachments());
    let is_blank = move || draft.text().trim().is_empty() && !has_files.get();
    let send = move || {
        // While the palette is on its way, Enter is meant for it.
        if !untrack(is_blank) && !untrack(move || palette.is_open()) {
            on_send();
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if mentions.takes(&event) {
            event.prevent_default();
            // Escape would also close a pane.
            event.stop_propagation();
        } else if asks_to_send(&event, enter_key.get_untracked()) {
            event.prevent_default();
            send();
        }
    };
    view! {
        <div class="composer">
            {move || palette.is_open().then(|| view! { <LazyPopup bring=bring_palette /> })}
            {move || wrench.is_open().then(|| view! { <LazyPopup bring=bring_wrench /> })}
            {move || may_name_files.get().then(|| view! { <LazyPopup bring=pages.mentions /> })}
            <div class="composer-box" data-dragging=move || attaching.is_dragging().to_string()>
                {move || has_files.get().then(|| view! { <LazyPopup bring=pages.attachments /> })}
                <button
                    class="icon-button"
                    type="button"
                    data-testid="palette-trigger"
                    aria-label="Attach files or use a tool"
                    title="Attach files or use a tool"
                    aria-haspopup="dialog"
                    aria-expanded=move || palette.is_open().to_string()
                    on:click=move |_| palette.toggle()
                >
                    <Icon name=IconName::Plus />
                </button>
                <WrenchButton />
                <div class="composer-grow" data-text=move || draft.text()>
                    <textarea
                        class="composer-text"
                        id="chat-input"
                        data-testid="chat-input"
                        rows="1"
                        placeholder="Write a message"
                        aria-label="Message"
                        aria-describedby="composer-note"
                        aria-controls=move || mentions.controls()
                        aria-activedescendant=move || mentions.active()
                        prop:value=move || draft.text()
                        on:input=move |event| {
                            let text = event_target_value(&event);
                            draft.type_text(text.clone());
                            palette.hear(&text);
                            mentions.hear();
                        }
                        on:keydown=on_key
                        on:click=move |_| mentions.hear()
                    ></textarea>
                </div>
                // One button, so that the focus stays on it when its meaning changes; for the same reason it is never taken out of use.
                <button
                    class=move || if coming.with(Option::is_some) { "button send-button" } else { "button button-accent send-button" }
                    type="button"
                    data-testid=move || if coming.with(Option::is_some) { "stop-button" } else { "send-button" }
                    aria-label=move || if coming.with(Option::is_some) { "Stop the answer" } else { "Send" }
                    title=move || coming.with(Option::is_some).then_some("Stop the answer")
                    aria-describedby=move || coming.with(Option::is_none).then_some("composer-note")
                    aria-disabled=move || (coming.with(Option::is_none) && is_blank()).then_some("true")
                    on:click=move |_| match coming.get_untracked() {
                        Some(chat) => answers.stop(chat),
                        None => send(),
                    }
                >
                    {move || match coming.with(Option::is_some) {
                        true => view! { <Icon name=IconName::Stop /> },
                        false => view! { <Icon name=IconName::Send /> },
                    }}
                </button>
            </div>
            <div class="composer-line">
                <LazyLayer bring=bring_picker />
            </div>
            <p class="composer-note" id="composer-note">{note}</p>
        </div>
    }
}

/// Whoever leaves the page while the last letters are being stored is asked to wait; whoever only looks away has them stored.
fn keep_until_left(draft: ComposerDraft) {
    let leaving = window_event_listener(leptos::ev::beforeunload, move |event| {
        if draft.is_unsaved() {
            draft.flush();
            event.prevent_default();
        }
    });
    let away = window_event_listener(leptos::ev::blur, move |_| draft.flush());
    on_cleanup(move || {
        leaving.remove();
        away.remove();
    });
}

/// Whether this key is the one that sends. While an input method composes a character, Enter belongs to it.
fn asks_to_send(event: &KeyboardEvent, enter_key: EnterKey) -> bool {
    if event.key() != "Enter" || event.is_composing() {
        return false;
    }
    match enter_key {
        EnterKey::Sends => !event.shift_key(),
        EnterKey::StartsLine => event.ctrl_key() || event.meta_key(),
    }
}
