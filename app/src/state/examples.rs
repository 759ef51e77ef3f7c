//! The toolsets that come with the app, where a page offers them. Made by the page that does.

use leptos::prelude::{Get as _, GetUntracked as _, RwSignal, Set as _};

use super::{Address, Chats, NoticeKind, Notices, Place, Storage, SuggestedCall, Suggestion, Toolsets, latest};
use crate::browser::spawn::spawn;
use crate::work::examples;

use crate::work::examples::Begun;
pub(crate) use crate::work::examples::{BuildFile, Example, Presence};

/// What is known of them.
#[derive(Clone)]
pub(crate) enum ExampleList {
    /// They were asked for.
    Asked,
    /// They are known.
    Known(Vec<Example>),
    /// They cannot be had.
    Unknown(String),
}

/// The examples, and what can be done with them.
#[derive(Clone, Copy)]
pub(crate) struct Examples {
    list: RwSignal<ExampleList>,
    /// The one that something is done with.
    busy: RwSignal<Option<String>>,
    address: Address,
    chats: Chats,
    toolsets: Toolsets,
    storage: Storage,
    suggested: SuggestedCall,
    notices: Notices,
}

impl Examples {
    /// Reads them, now and whenever a toolset has changed, for as long as the page that asks is shown.
    pub(crate) fn follow() -> Self {
        let examples = Self {
            list: RwSignal::new(ExampleList::Asked),
            busy: RwSignal::new(None),
            address: Address::expect(),
            chats: Chats::expect(),
            toolsets: Toolsets::expect(),
            storage: Storage::expect(),
            suggested: SuggestedCall::expect(),
            notices: Notices::expect(),
        };
        let ask = move || {
            examples.toolsets.changes();
            async move { examples::list(&examples.storage.store()).await }
        };
        latest::follow(ask, move |read| {
            examples.list.set(match read {
                Ok(list) => ExampleList::Known(list),
                Err(error) => ExampleList::Unknown(error.to_string()),
            });
        });
        examples
    }

    /// What is known of them.
    pub(crate) fn list(self) -> ExampleList {
        self.list.get()
    }

    /// Whether something is done with one, which is not to be begun twice.
    pub(crate) fn is_busy(self) -> bool {
        self.busy.get().is_some()
    }

    /// Whether something is done with this one.
    pub(crate) fn is_busy_with(self, id: &str) -> bool {
        self.busy.get().is_some_and(|busy| busy == id)
    }

    /// Installs one, or brings it up to date.
    pub(crate) fn install(self, id: String, name: String) {
        self.occupy(id.clone(), async move {
            match examples::install(&self.storage.store(), id).await {
                Ok(version) => self.notices.announce(format!("{name} {version} is installed.")),
                Err(error) => self.complain(&format!("{name} was not installed"), &error),
            }
            self.toolsets.changed();
        });
    }

    /// Begins a chat in which one can be tried, and goes there, with the form of a call filled in.
    pub(crate) fn begin(self, id: String, name: String) {
        self.occupy(id.clone(), async move {
            match examples::begin(&self.storage.store(), id).await {
                Ok(Begun { chat, tool_id, arguments }) => {
                    self.chats.changed().await;
                    self.suggested.offer(Suggestion { chat: chat.clone(), tool_id, arguments });
                    self.address.go(&format!("{}/{chat}", Place::Chat.path()));
                }
                Err(error) => self.complain(&format!("{name} cannot be tried"), &error),
            }
            self.toolsets.changed();
        });
    }

    fn occupy(self, id: String, work: impl Future<Output = ()> + 'static) {
        if self.busy.get_untracked().is_some() {
            return;
        }
        self.busy.set(Some(id));
        spawn(async move {
            work.await;
            self.busy.try_set(None);
        });
    }

    fn complain(self, what: &str, error: &dyn std::error::Error) {
        self.notices.show(NoticeKind::Error, format!("{what}: {error}."));
    }
}
