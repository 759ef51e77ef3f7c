//! One message: what was said, the calls of tools it asks for, and the way to its siblings.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use satchel_core::conversation::attachments;
use satchel_core::ids::MessageId;
use satchel_core::record::{Message, Node, Role};
use satchel_core::tool_run::is_invoked_by_user;

use super::branch_switch::BranchSwitch;
use crate::browser::clipboard;
use crate::browser::spawn::spawn;
use crate::state::{Answers, Chats, Models, NoticeKind, Notices, OpenedChat, Unsaved, Written};
use crate::ui::pages::{LazyAnswer, LazyAttached, LazyCalls};
use crate::ui::parts::{Icon, IconName};
use crate::work::chats::OpenChat;

/// The chat that is shown.
pub(super) type Open = Signal<Option<OpenChat>>;

/// A message of the branch that is looked at.
#[component]
pub(crate) fn MessageView(
    /// The chat.
    open: Open,
    /// The message.
    message: Message,
    /// Whether it goes on with the answer above it, of which it is another round.
    goes_on: bool,
    /// Whether the model was not sent it for the last answer (R320).
    #[prop(into)]
    is_unsent: Signal<bool>,
) -> impl IntoView {
    let (chats, unsaved, opened) = (Chats::expect(), Unsaved::expect(), OpenedChat::expect());
    let editing = RwSignal::new(None::<String>);
    let text = message.content.text();
    let of_siblings = message.id.clone();
    let siblings = Memo::new(move |_| {
        let siblings = open.with(|open| open.as_ref().and_then(|open| open.tree.siblings(&of_siblings)));
        siblings.filter(|siblings| siblings.count > 1)
    });
    let is_users = message.role == Role::User;
    let is_silent = text.is_empty() && !message.tool_calls.is_empty();
    let calls = (!message.tool_calls.is_empty()).then(|| {
        let (id, requested) = (message.id.clone(), message.tool_calls.clone());
        view! { <LazyCalls id requested /> }
    });
    let attached = (!message.metadata.is_empty() && is_users).then(|| {
        let message = message.clone();
        view! { <LazyAttached message /> }
    });
    let (speaker, test_id) = match message.role {
        Role::User => ("You", "message-user"),
        // A call made by hand stands where a model's would, and is the user's.
        Role::Assistant if is_invoked_by_user(&message) => ("You", "message-assistant"),
        Role::Assistant => ("Assistant", "message-assistant"),
        Role::System => ("System", "message-system"),
        Role::Tool => ("Tool", "message-tool"),
    };
    let (answers, models, notices) = (Answers::expect(), Models::expect(), Notices::expect());
    let (for_edit, for_copy) = (text.clone(), text.clone());
    let (id, for_fork) = (message.id.clone(), message.id.clone());
    // A model's answer can be had once more, as a branch beside it.
    let retried =
        (message.role == Role::Assistant && !is_invoked_by_user(&message)).then(|| message.parent_id.clone()).flatten();
    let retry = retried.map(|below| {
        let chat = message.chat_id.clone();
        let retry = move |_| {
            let (chat, below) = (chat.clone(), below.clone());
            if answers.is_in_the_way(&chat, notices) {
                return;
            }
            unsaved.after_saving(move || answers.ask(models, chat, below));
        };
        view! { <Action icon=IconName::Update label="Answer again" test_id="message-retry" on_press=retry /> }
    });
    let is_answer = message.role == Role::Assistant;
    let is_models = is_answer && !is_invoked_by_user(&message);
    let place = message_place(&message.id);
    let shown = StoredValue::new(message);
    let fork = move |_| {
        let (Some(open), at) = (open.get_untracked(), for_fork.clone()) else { return };
        unsaved.after_saving(move || chats.fork(open, at, move |id| opened.go_to(id.as_str())));
    };
    // An edit is a sibling: what was said before stays where it was. What was typed stays until it is kept.
    let is_saving = RwSignal::new(false);
    let save = move |_| {
        let Some(text) = editing.get_untracked().filter(|text| !text.trim().is_empty()) else { return };
        let Some(open) = open.get_untracked().filter(|_| !is_saving.get_untracked()) else { return };
        let parent = open.tree.parent(&id).cloned().unwrap_or(Node::Root);
        let chat = open.chat.id.clone();
        if answers.is_in_the_way(&chat, notices) {
            return;
        }
        is_saving.set(true);
        // What went along with it goes along again.
        let written = Written { text, attachments: shown.with_value(attachments), draft: None };
        unsaved.after_saving(move || {
            chats.say(open, parent, written, move |said| {
                is_saving.try_set(false);
                if let Ok(message) = said {
                    editing.try_set(None);
                    answers.ask(models, chat, message);
                }
            });
        });
    };
    view! {
        <li
            class="message"
            id=place
            data-testid=test_id
            data-goes-on=goes_on.then_some("")
            data-unsent=move || is_unsent.get().then_some("")
        >
            <p class="message-speaker">
                {speaker}
                {move || {
                    is_unsent
                        .get()
                        .then(|| view! { <span class="message-unsent" data-testid="message-unsent">"not sent for the last answer"</span> })
                }}
            </p>
            <Show
                when=move || editing.with(Option::is_some)
                fallback=move || match (is_silent, is_answer) {
                    // What a model thought, and what it cost, is there though it said nothing.
                    (_, true) if is_models => view! { <LazyAnswer message=shown.get_value() /> }.into_any(),
                    (true, _) => ().into_any(),
                    (false, true) => view! { <LazyAnswer message=shown.get_value() /> }.into_any(),
                    (false, false) if text.is_empty() => ().into_any(),
                    (false, false) => view! { <p class="message-text">{text.clone()}</p> }.into_any(),
                }
            >
                <textarea
                    class="input message-edit-text"
                    aria-label="Edit the message"
                    data-testid="message-edit-text"
                    prop:value=move || editing.get().unwrap_or_default()
                    on:input=move |event| editing.set(Some(event_target_value(&event)))
                ></textarea>
                <div class="message-edit-actions">
                    <button class="button button-accent" type="button" data-testid="message-edit-save" on:click=save.clone()>
                        {move || if models.chosen().is_some() { "Send as a branch" } else { "Save as a branch" }}
                    </button>
                    <button class="button" type="button" on:click=move |_| editing.set(None)>"Cancel"</button>
                </div>
            </Show>
            {attached}
            {calls}
            <div class="message-actions">
                {is_users
                    .then(|| {
                        let edit = move |_| editing.set(Some(for_edit.clone()));
                        view! { <Action icon=IconName::Edit label="Edit this message" test_id="message-edit" on_press=edit /> }
                    })}
                {retry}
                {(!is_silent)
                    .then(|| {
                        let copy = move |_| copy(notices, for_copy.clone());
                        view! { <Action icon=IconName::Copy label="Copy this message" test_id="message-copy" on_press=copy /> }
                    })}
                <Action icon=IconName::Fork label="Fork the chat here, with its files" test_id="message-fork" on_press=fork />
                {move || siblings.get().map(|siblings| view! { <BranchSwitch open siblings /> })}
            </div>
        </li>
    }
}

/// Something that can be done with a message.
#[component]
fn Action(
    /// Its picture.
    icon: IconName,
    /// What it does.
    label: &'static str,
    /// Names it, for tests.
    test_id: &'static str,
    /// Does it.
    on_press: impl FnMut(MouseEvent) + 'static,
) -> impl IntoView {
    view! {
        <button class="icon-button" type="button" aria-label=label title=label data-testid=test_id on:click=on_press>
            <Icon name=icon small=true />
        </button>
    }
}

fn copy(notices: Notices, text: String) {
    spawn(async move {
        match clipboard::copy(&text).await {
            Ok(()) => notices.show(NoticeKind::Success, "Copied."),
            Err(reason) => notices.show(NoticeKind::Error, format!("Could not copy: {reason}.")),
        }
    });
}

/// The id of the element that shows a message.
pub(crate) fn message_place(id: &MessageId) -> String {
    format!("message-{id}")
}
