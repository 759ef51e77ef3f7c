//! The files that went along with a message. Their code arrives with the first message that has any.

use leptos::prelude::*;
use satchel_core::record::Message;

use super::{LazyPopup, Pages};

/// Whose files are drawn.
#[derive(Clone)]
pub(crate) struct AttachedTo(pub(crate) Message);

/// The files of a message.
#[component]
pub(crate) fn LazyAttached(
    /// The message.
    message: Message,
) -> impl IntoView {
    let bring = expect_context::<Pages>().attached;
    provide_context(AttachedTo(message));
    view! { <LazyPopup bring /> }
}
