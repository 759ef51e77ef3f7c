//! The calls of tools in the conversation that is open. They are read when the first of them is drawn, which a chat without tools never
//! does, and again when the chat or a run moves on.

use std::sync::Arc;

use leptos::prelude::{
    Get as _, GetValue as _, LocalResource, Owner, SetValue as _, StoredValue, With as _, expect_context, untrack,
};
use satchel_core::ids::MessageId;
use satchel_core::record::ToolCall;

use super::{Chats, OpenedChat, Runs, Storage};
use crate::work::calls::{self, CallRows};

/// The calls.
#[derive(Clone, Copy)]
pub(crate) struct Calls {
    rows: LocalResource<Option<Arc<CallRows>>>,
}

/// Where the calls of a conversation live: as long as the conversation, although a part of it asks for them first.
#[derive(Clone)]
pub(crate) struct CallsHome {
    owner: Owner,
    calls: StoredValue<Option<Calls>>,
}

impl CallsHome {
    /// The conversation that is being drawn.
    pub(crate) fn here() -> Self {
        let owner = Owner::current().expect("a component has an owner");
        Self { owner, calls: StoredValue::new(None) }
    }

    /// The calls of this conversation.
    pub(crate) fn calls() -> Calls {
        let home: Self = expect_context();
        if let Some(calls) = home.calls.get_value() {
            return calls;
        }
        let calls = untrack(|| home.owner.with(Calls::follow));
        home.calls.set_value(Some(calls));
        calls
    }
}

impl Calls {
    fn follow() -> Self {
        let (opened, chats, runs, storage) = (OpenedChat::expect(), Chats::expect(), Runs::expect(), Storage::expect());
        let last = StoredValue::new_local(None::<Arc<CallRows>>);
        let rows = LocalResource::new(move || {
            chats.changes();
            runs.running.with(Vec::len);
            let (store, open) = (storage.store(), opened.open());
            async move {
                let open = open?;
                // What cannot be read is shown as a call without a record.
                let rows =
                    calls::of_chat(&store, &open.chat.id, last.try_get_value().flatten()).await.unwrap_or_default();
                last.try_set_value(Some(Arc::clone(&rows)));
                Some(rows)
            }
        });
        Self { rows }
    }

    /// The record of a call that a message asks for; nothing while the records are read, or where there is none.
    pub(crate) fn row(self, message: &MessageId, call_id: &str) -> Option<Arc<ToolCall>> {
        self.rows.with(|rows| rows.as_ref()?.as_ref()?.get(message, call_id))
    }

    /// Whether the records have been read.
    pub(crate) fn is_read(self) -> bool {
        self.rows.get().is_some()
    }
}
