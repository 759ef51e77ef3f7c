//! The MCP servers the app knows.

use leptos::prelude::*;

use super::parts::{EmptyState, IconName};
use super::settings::section::SectionId;
use crate::state::Connection;
use crate::work::server::ServerStatus;

/// The page of MCP servers.
#[component]
pub(crate) fn ServersPage() -> impl IntoView {
    let connection = Connection::expect();
    let sentence = move || match connection.server() {
        ServerStatus::Connected(_) => "The Satchel server you are connected to runs no MCP servers.",
        ServerStatus::NotConnected
        | ServerStatus::TokenRefused
        | ServerStatus::Unreachable
        | ServerStatus::Trouble(_) => {
            "A browser cannot start programs, so MCP servers run on a Satchel server of yours. None is connected."
        }
    };
    view! {
        <EmptyState icon=IconName::Server title="No MCP servers">
            <p>{sentence}</p>
            <div class="empty-actions">
                <a class="button" href=SectionId::Server.link()>"Server settings"</a>
            </div>
        </EmptyState>
    }
}
