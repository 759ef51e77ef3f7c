//! What a toolset was allowed: hosts it may reach, and tools that need not ask any more. Each can be taken back.

use leptos::prelude::*;
use satchel_core::local_api::reading::{HostRead, RememberedRead};

use super::contents::Part;
use crate::state::Toolsets;

/// The hosts that it names, and which of them its tools may reach.
#[component]
pub(crate) fn HostList(
    /// The toolset.
    id: String,
    /// The hosts.
    hosts: Vec<HostRead>,
) -> impl IntoView {
    let toolsets = Toolsets::expect();
    let id = StoredValue::new(id);
    let count = hosts.len();
    let row = move |HostRead { host, granted }: HostRead| {
        let test_id = format!("host-withdraw-{host}");
        let name = StoredValue::new(host.clone());
        let withdraw = granted.then(|| {
            let act = move |_| toolsets.withdraw_host(id.get_value(), name.get_value());
            view! {
                <button class="button button-small" type="button" data-testid=test_id on:click=act>"Withdraw"</button>
            }
        });
        let (kind, word) = if granted { ("good", "allowed") } else { ("", "asks when first needed") };
        view! {
            <li class="part-row permission-line">
                <code>{host}</code>
                <span class="badge" data-kind=kind>{word}</span>
                {withdraw}
            </li>
        }
    };
    view! {
        <Part title="Hosts its tools may reach" count open=true>
            <ul class="part-list">{hosts.into_iter().map(row).collect_view()}</ul>
        </Part>
    }
}

/// The tools that were approved for longer than one call.
#[component]
pub(crate) fn RememberedList(
    /// The toolset.
    id: String,
    /// What is remembered.
    remembered: Vec<RememberedRead>,
) -> impl IntoView {
    let toolsets = Toolsets::expect();
    let id = StoredValue::new(id);
    let count = remembered.len();
    let row = move |RememberedRead { tool_id, chats, everywhere, holds }: RememberedRead| {
        let test_id = format!("approval-forget-{tool_id}");
        let tool = StoredValue::new(tool_id.clone());
        let scope = match (everywhere, chats) {
            (true, _) => "in every chat".to_owned(),
            (false, 1) => "in one chat".to_owned(),
            (false, chats) => format!("in {chats} chats"),
        };
        let stale =
            (!holds).then(|| view! { <span class="badge" data-kind="caution">"changed, so it asks again"</span> });
        let act = move |_| toolsets.forget_approvals(id.get_value(), tool.get_value());
        view! {
            <li class="part-row permission-line">
                <code>{tool_id}</code>
                <span class="badge" data-kind="good">{scope}</span>
                {stale}
                <button class="button button-small" type="button" data-testid=test_id on:click=act>"Ask again"</button>
            </li>
        }
    };
    view! {
        <Part title="Runs without asking" count open=true>
            <ul class="part-list">{remembered.into_iter().map(row).collect_view()}</ul>
        </Part>
    }
}
