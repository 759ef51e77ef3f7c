//! The Satchel server: connecting to it, and how things stand with it.

use leptos::prelude::*;
use satchel_core::protocol::Policy;

use super::section::{Section, SectionId};
use crate::state::Connection;
use crate::ui::parts::sentence;
use crate::work::server::ServerStatus;

/// The section of the server.
#[component]
pub(crate) fn ServerSection() -> impl IntoView {
    let connection = Connection::expect();
    let view_of_status = move || match connection.server() {
        ServerStatus::Connected(policy) => view! { <Connected policy /> }.into_any(),
        ServerStatus::Unreachable => view! { <Unreachable /> }.into_any(),
        ServerStatus::TokenRefused => {
            form("The server no longer accepts the token stored here. `satchel token` prints the current one.")
        }
        ServerStatus::Trouble(trouble) => form(&sentence(&trouble)),
        ServerStatus::NotConnected => form(""),
    };
    view! {
        <Section
            id=SectionId::Server
            about="Optional: the app works without one. A server does what a browser cannot."
        >
            {view_of_status}
        </Section>
    }
}

fn form(trouble: &str) -> AnyView {
    let trouble = trouble.to_owned();
    view! { <ConnectForm trouble /> }.into_any()
}

/// Address and token. The token goes nowhere but to the server and, wrapped, to this device.
#[component]
fn ConnectForm(
    /// What is wrong with the connection there was; empty if there was none.
    trouble: String,
) -> impl IntoView {
    let connection = Connection::expect();
    let address = RwSignal::new(String::new());
    let token = RwSignal::new(String::new());
    let failure = RwSignal::new(trouble);
    let busy = RwSignal::new(false);
    connection.address_into(address);
    let connect = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        busy.set(true);
        failure.set(String::new());
        connection.connect(address.get_untracked(), token.get_untracked(), move |error| {
            // The form is gone if the user has left the page meanwhile.
            busy.try_set(false);
            failure.try_set(sentence(&error.to_string()));
        });
    };
    view! {
        <form class="row row-stack" on:submit=connect>
            <label class="field">
                <span class="field-label">"Address"</span>
                <input
                    class="input"
                    type="url"
                    required
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="http://127.0.0.1:8787"
                    data-testid="settings-server-url"
                    bind:value=address
                />
            </label>
            <label class="field">
                <span class="field-label">"Access token"</span>
                <input
                    class="input"
                    type="password"
                    required
                    autocomplete="off"
                    data-testid="settings-server-token"
                    bind:value=token
                />
                <span class="field-hint">"The command " <code>"satchel token"</code> " prints it."</span>
            </label>
            <p
                class="field-error"
                role="alert"
                data-testid="server-error"
                hidden=move || failure.with(String::is_empty)
            >
                {failure}
            </p>
            <div class="row-buttons">
                <button class="button button-accent" type="submit" data-testid="server-connect" disabled=busy>
                    {move || if busy.get() { "Connecting…" } else { "Connect" }}
                </button>
            </div>
        </form>
    }
}

/// A server that answers.
#[component]
fn Connected(
    /// What it answered.
    policy: Policy,
) -> impl IntoView {
    let address = RwSignal::new(String::new());
    Connection::expect().address_into(address);
    view! {
        <div class="row">
            <dl class="facts">
                <dt>"Address"</dt>
                <dd>{address}</dd>
                <dt>"Account"</dt>
                <dd data-testid="server-account">{policy.account.name}</dd>
                <dt>"Version"</dt>
                <dd data-testid="server-version">{policy.version}</dd>
            </dl>
            <span class="badge" data-kind="good" data-testid="server-status" role="status">"Connected"</span>
        </div>
        <Disconnect />
    }
}

/// A server that was connected and does not answer.
#[component]
fn Unreachable() -> impl IntoView {
    let connection = Connection::expect();
    let address = RwSignal::new(String::new());
    connection.address_into(address);
    view! {
        <div class="row">
            <p>{address} " does not answer. Start it, or check the network. Everything on this device works without it."</p>
            <span class="badge" data-kind="caution" data-testid="server-status" role="status">"Unreachable"</span>
        </div>
        <div class="row">
            <p class="field-hint">"The token is kept, and used again when the server is back."</p>
            <button class="button" type="button" on:click=move |_| connection.check()>"Try again"</button>
        </div>
        <Disconnect />
    }
}

#[component]
fn Disconnect() -> impl IntoView {
    let connection = Connection::expect();
    view! {
        <div class="row">
            <p class="field-hint">"Disconnecting forgets the address and the token on this device. The server keeps what it has."</p>
            <button
                class="button"
                type="button"
                data-testid="server-disconnect"
                on:click=move |_| connection.disconnect()
            >
                "Disconnect"
            </button>
        </div>
    }
}
