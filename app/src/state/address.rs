//! Where the user is: the path in the address bar. Links, Back and Forward move it; so does the app itself.
//!
//! A router of our own, and a small one: the app has nine pages at fixed paths, and the field's crate would be a tenth of what the first page
//! weighs.

use std::time::Duration;

use leptos::prelude::{GetUntracked as _, RwSignal, Set as _, With as _, expect_context};

use super::Place;
use crate::browser::spawn::spawn;
use crate::browser::viewport::Hand;
use crate::browser::{address, clock, page};

/// The context of the address.
#[derive(Clone, Copy)]
pub(crate) struct Address {
    path: RwSignal<String>,
}

/// How often, and after what pauses, the part of a page that a link names is looked for: its code may still be on its way.
const LOOKS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(50);

impl Address {
    /// Follows the address bar. The bare origin leads to a new chat.
    pub(crate) fn follow() -> Self {
        if page::path() == "/" {
            address::replace(Place::Chat.path());
        }
        let this = Self { path: RwSignal::new(page::path()) };
        address::on_step(move || this.path.set(page::path()));
        address::on_link(move |to| this.take(to));
        reveal(address::fragment());
        this
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// The place it leads to.
    pub(crate) fn place(self) -> Place {
        self.path.with(|path| Place::of(path))
    }

    /// The id of the chat it names.
    pub(crate) fn chat(self) -> Option<String> {
        self.path.with(|path| Place::chat_of(path))
    }

    /// The id of the toolset it names.
    pub(crate) fn toolset(self) -> Option<String> {
        self.path.with(|path| Place::toolset_of(path))
    }

    /// The id of the tool it names.
    pub(crate) fn tool(self) -> Option<String> {
        self.path.with(|path| Place::tool_of(path))
    }

    /// Whether it is this path, or one below it.
    pub(crate) fn is_at(self, path: &str) -> bool {
        self.path.with(|at| at.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }

    /// Goes to another place.
    pub(crate) fn go(self, to: &str) {
        if !self.take(to) {
            page::open(to);
        }
    }

    /// Goes there if it is a page of the app.
    fn take(self, to: &str) -> bool {
        let (rest, fragment) = to.split_once('#').unwrap_or((to, ""));
        let path = rest.split('?').next().unwrap_or_default();
        if path != "/" && path != "/ui" && !path.starts_with("/ui/") {
            return false;
        }
        let to = if path == "/" { Place::Chat.path() } else { to };
        let path = if path == "/" { Place::Chat.path() } else { path };
        let moved = self.path.get_untracked() != path;
        if moved || !fragment.is_empty() {
            address::push(to);
        }
        if moved {
            self.path.set(path.to_owned());
        }
        reveal(fragment.to_owned());
        true
    }
}

/// Brings the part of the page with this id into view, once it is drawn, and keeps it there while what stands above it is read and grows, unless
/// the user has done something meanwhile.
fn reveal(id: String) {
    if id.is_empty() {
        return;
    }
    spawn(async move {
        let (hand, mut revealed_at) = (Hand::watch(), None);
        for _ in 0..LOOKS {
            let place = page::place_in_page(&id);
            if place != revealed_at {
                page::reveal_top(&id);
                revealed_at = place;
            }
            clock::wait(PAUSE).await;
            if hand.has_moved() {
                return;
            }
        }
    });
}
