//! Every tool there is, by who gives it, and a page for each: what it is, and a form to try it.

mod facts;
mod find;
mod json_part;
mod list;
mod maker;
mod maker_fields;
mod maker_steps;
mod override_editor;
mod pin_changed;
mod raw;
mod result;
mod tester;
mod tool_page;
mod versions;

use leptos::prelude::*;

use self::list::ToolList;
use self::tool_page::ToolPage;
use crate::state::{Address, Tools};

pub(crate) use self::json_part::JsonPart;
pub(crate) use self::pin_changed::PinChanged;
pub(crate) use self::tester::fits;

/// The page of tools, or of the one that the address names.
#[component]
pub(crate) fn ToolsPage() -> impl IntoView {
    provide_context(Tools::follow());
    let address = Address::expect();
    let named = Memo::new(move |_| address.tool());
    move || match named.get() {
        None => view! { <ToolList /> }.into_any(),
        Some(id) => view! { <ToolPage id /> }.into_any(),
    }
}
