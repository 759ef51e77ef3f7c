//! The MCP servers of all toolsets: how each is doing, what it offers, and the ways to add one.

mod add;
mod elsewhere;
mod offer;
mod pasted;
mod row;
mod tool;

use leptos::prelude::*;

use self::add::AddServer;
use self::elsewhere::Elsewhere;
use self::offer::Offers;
use self::row::ServerRow;
use super::parts::{Icon, IconName, sentence};
use super::settings::section::SectionId;
use crate::state::McpServers;

/// The page of MCP servers.
#[component]
pub(crate) fn ServersPage() -> impl IntoView {
    let servers = McpServers::load();
    provide_context(servers);
    view! {
        <div class="page servers">
            <header class="servers-head">
                <h1>"MCP Servers"</h1>
                <p class="field-hint">
                    "Programs and services whose tools you can use here. Your Satchel server reaches them; it starts a program only after its operator has approved exactly that command."
                </p>
            </header>
            {move || servers.is_unreached().then(|| view! { <NoSatchelServer /> })}
            <List />
            <AddServer />
            <Offers />
            <Elsewhere />
        </div>
    }
}

/// Said while nobody is there to reach the servers; they can be added and looked at all the same (R127).
#[component]
fn NoSatchelServer() -> impl IntoView {
    view! {
        <p class="servers-note" role="status">
            "No Satchel server is connected, so none of them can be reached. " <a href=SectionId::Server.link()>"Server settings"</a>
        </p>
    }
}

#[component]
fn List() -> impl IntoView {
    let servers = McpServers::expect();
    move || {
        match servers.list() {
        None => view! { <p class="servers-note" role="status">"Loading…"</p> }.into_any(),
        Some(Err(error)) => view! {
            <p class="servers-note field-error" role="alert">{sentence(&format!("The servers cannot be read: {error}"))}</p>
        }
        .into_any(),
        Some(Ok(list)) if list.servers.is_empty() => view! {
            <div class="empty servers-empty">
                <div class="empty-icon"><Icon name=IconName::Server /></div>
                <h2>"No MCP servers"</h2>
                <p>"Add one by its address or command, or paste the configuration of another program."</p>
            </div>
        }
        .into_any(),
        Some(Ok(list)) => view! {
            <ul class="server-list">
                {list.servers.into_iter().map(|server| view! { <ServerRow server /> }).collect_view()}
            </ul>
        }
        .into_any(),
    }
    }
}
