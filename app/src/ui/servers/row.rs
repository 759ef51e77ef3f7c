//! One server: how it is doing and why, how it is reached, what can be done about it, and its tools.

use leptos::prelude::*;
use satchel_core::local_api::reading::McpServerRead;
use satchel_core::protocol::McpApproval;

use super::tool::OfferedTool;
use crate::browser::clock;
use crate::state::{McpServers, Place};
use crate::ui::parts::{Switch, sentence};

/// A server.
#[component]
pub(super) fn ServerRow(
    /// The server.
    server: McpServerRead,
) -> impl IntoView {
    let servers = McpServers::expect();
    let key = server.id.clone();
    let for_switch = server.clone();
    let on_change = move |enabled| servers.enable(&for_switch, enabled);
    let (kind, word) = in_words(&server.status);
    let who =
        server.identity.as_ref().map(|who| format!("{} {} · MCP {}", who.name, who.version, who.protocol_version));
    let home = (!server.user_mcp).then(|| {
        view! { " of the toolset " <a href=format!("{}/{}", Place::Toolsets.path(), server.toolset_id)>{server.toolset_id.clone()}</a> }
    });
    let offered = server.tools.clone();
    let count = offered.len();
    let is_changed = offered.iter().any(|tool| matches!(tool.pin.standing.as_str(), "changed" | "unreadable"));
    let stale = server.stale.then(|| {
        let since = server.seen_at.map(|at| format!(", last seen {}", clock::in_words(at))).unwrap_or_default();
        view! { <p class="field-hint">{format!("These are the tools it had when it was last connected{since}.")}</p> }
    });
    view! {
        <li class="server-row" data-testid=format!("server-row-{key}")>
            <div class="server-head">
                <h2 class="server-name">{server.name.clone()}</h2>
                <span class="badge" data-kind=kind data-testid=format!("server-status-{key}")>{word}</span>
                <Switch label=format!("{} is switched on", server.name) test_id=format!("server-enabled-{key}") on=server.enabled on_change />
            </div>
            <p class="field-hint"><code>{key.clone()}</code> {home} {who.map(|who| format!(" · {who}"))}</p>
            {server.reason.clone().map(|reason| view! { <p class="server-reason" data-testid=format!("server-reason-{key}")>{sentence(&reason)}</p> })}
            <pre class="server-line" data-testid=format!("server-line-{key}")>{server.line.clone()}</pre>
            {server.instead.clone().map(|instead| view! { <Replaced server=server.clone() instead /> })}
            {server.approval.clone().map(|approval| view! { <Approval key=key.clone() approval /> })}
            <Actions server=server.clone() />
            {(count > 0)
                .then(|| {
                    view! {
                        <details class="server-tools" open=is_changed>
                            <summary>{if count == 1 { "1 tool".to_owned() } else { format!("{count} tools") }}</summary>
                            {stale}
                            <ul class="server-tool-list">
                                {offered.into_iter().map(|tool| view! { <OfferedTool tool /> }).collect_view()}
                            </ul>
                        </details>
                    }
                })}
        </li>
    }
}

/// What another browser of the account has published in the place of a server, and the way to take it back.
#[component]
fn Replaced(
    /// The server.
    server: McpServerRead,
    /// The other's whole command line or address.
    instead: String,
) -> impl IntoView {
    let servers = McpServers::expect();
    let (test_id, button_id) = (format!("server-instead-{}", server.id), format!("server-publish-{}", server.id));
    view! {
        <div class="server-approval" data-testid=test_id>
            <p>"Another browser of your account uses this id for another server:"</p>
            <pre class="server-line">{instead}</pre>
            <button class="button button-small" type="button" data-testid=button_id on:click=move |_| servers.publish(&server)>
                "Use the one of this browser"
            </button>
        </div>
    }
}

/// Whether the operator has approved the command, and what to type for that (C39).
#[component]
fn Approval(
    /// The server's key.
    key: String,
    /// How it stands.
    approval: McpApproval,
) -> impl IntoView {
    if approval.approved {
        return view! { <p class="field-hint">"The operator has approved exactly this command."</p> }.into_any();
    }
    view! {
        <div class="server-approval" data-testid=format!("server-approval-{key}")>
            <p>"It starts only after the operator of your Satchel server has approved exactly this command. On that machine, run:"</p>
            <pre class="server-line"><code>{approval.line}</code></pre>
        </div>
    }
    .into_any()
}

#[component]
fn Actions(
    /// The server.
    server: McpServerRead,
) -> impl IntoView {
    let servers = McpServers::expect();
    let is_renaming = RwSignal::new(false);
    let name = RwSignal::new(server.name.clone());
    let key = server.id.clone();
    let reconnect = {
        let key = key.clone();
        move |_| servers.reconnect(key.clone())
    };
    let login = (server.status == "requires_auth").then(|| view! { <Login key=key.clone() /> });
    let own = server.user_mcp.then(|| {
        let (to_rename, to_remove) = (server.clone(), server.clone());
        let save = move |event: leptos::ev::SubmitEvent| {
            event.prevent_default();
            is_renaming.set(false);
            servers.rename(&to_rename, name.get_untracked());
        };
        let save = StoredValue::new_local(save);
        let remove_label = format!("Remove {}", server.name);
        view! {
            <button
                class="button button-small"
                type="button"
                data-testid=format!("server-rename-{key}")
                on:click=move |_| is_renaming.update(|renaming| *renaming = !*renaming)
            >
                "Rename"
            </button>
            <button
                class="button button-small"
                type="button"
                aria-label=remove_label
                data-testid=format!("server-remove-{key}")
                on:click=move |_| servers.remove(&to_remove)
            >
                "Remove"
            </button>
            {move || {
                is_renaming
                    .get()
                    .then(|| view! {
                        <form class="server-rename" on:submit=move |event| save.with_value(|save| save(event))>
                            <input class="input" type="text" aria-label="Name" data-testid="server-rename-input" bind:value=name />
                            <button class="button button-small button-accent" type="submit">"Save"</button>
                        </form>
                    })
            }}
        }
    });
    view! {
        <div class="server-actions">
            {login}
            <button class="button button-small" type="button" data-testid=format!("server-reconnect-{}", server.id) on:click=reconnect>
                "Reconnect"
            </button>
            {own}
        </div>
    }
}

/// The way to where the user signs in. For a browser that opens no tab by itself there is a link beside it.
#[component]
fn Login(
    /// The server's key.
    key: String,
) -> impl IntoView {
    let servers = McpServers::expect();
    let (test_id, link_id) = (format!("server-login-{key}"), format!("server-login-link-{key}"));
    let of_link = key.clone();
    let link = move || {
        servers.login_address(&of_link).map(|address| {
            view! {
                <a class="button button-small" href=address target="_blank" rel="noopener noreferrer" data-testid=link_id.clone()>
                    "Open the login page"
                </a>
            }
        })
    };
    view! {
        <button class="button button-small button-accent" type="button" data-testid=test_id on:click=move |_| servers.login(key.clone())>
            "Log in"
        </button>
        {link}
    }
}

/// How a server is doing, and the colour of that.
fn in_words(status: &str) -> (&'static str, &'static str) {
    match status {
        "connected" => ("good", "connected"),
        "connecting" => ("", "connecting"),
        "requires_auth" => ("caution", "needs a login"),
        "disconnected" => ("", "off"),
        _ => ("caution", "error"),
    }
}
