//! What has to be saved before the conversation moves on. Whoever holds something unsaved says here how it is saved; the
//! conversation asks, and need not know who that is.

use leptos::prelude::{LocalStorage, SetValue as _, StoredValue, WithValue as _, expect_context};

/// Saves, and then does what it is given.
type Saving = Box<dyn Fn(Box<dyn FnOnce()>)>;

/// The context of what is unsaved.
#[derive(Clone, Copy)]
pub(crate) struct Unsaved(StoredValue<Option<Saving>, LocalStorage>);

impl Unsaved {
    /// Nothing is.
    pub(crate) fn none() -> Self {
        Self(StoredValue::new_local(None))
    }

    /// The context given by the shell.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// From now on, this saves.
    pub(crate) fn is_saved_by(self, saving: impl Fn(Box<dyn FnOnce()>) + 'static) {
        self.0.set_value(Some(Box::new(saving)));
    }

    /// Does something, once what is unsaved is saved.
    pub(crate) fn after_saving(self, then: impl FnOnce() + 'static) {
        self.0.with_value(|saving| match saving {
            Some(save) => save(Box::new(then)),
            None => then(),
        });
    }
}
