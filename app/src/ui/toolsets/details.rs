//! The page of one toolset: what it is, what is in it, and what can be done to it.

use leptos::prelude::*;
use satchel_core::local_api::reading::{DetailsRead, ToolsetRead};

use super::apart::ApartList;
use super::card::{Actions, EnabledSwitch, Unavailable, origin};
use super::contents::{FileList, NameList, ServerList, ToolList};
use super::exa_address::{EXA_ID, ExaAddress};
use super::import_dialog::ImportDialog;
use super::packages::PackageList;
use super::permissions::{HostList, RememberedList};
use crate::state::{Address, Importing, Place, Toolsets, latest};
use crate::ui::parts::{EmptyState, IconName, sentence};
use crate::ui::settings::section::SectionId;
use crate::work::local_api::LocalApiError;

/// The page of the toolset that the address names.
#[component]
pub(crate) fn ToolsetPage() -> impl IntoView {
    let toolsets = Toolsets::expect();
    let address = Address::expect();
    let found = RwSignal::new(None::<Result<DetailsRead, LocalApiError>>);
    let ask = move || {
        toolsets.changes();
        toolsets.details(address.toolset().unwrap_or_default())
    };
    latest::follow(ask, move |details| found.set(Some(details)));
    view! {
        {move || match found.get() {
            None => view! { <p class="page toolsets-note" role="status">"Loading…"</p> }.into_any(),
            Some(Ok(details)) => view! { <Details details /> }.into_any(),
            Some(Err(error)) => {
                let (title, why) = if error.is_not_found() {
                    let why = "It was never installed here, or it was uninstalled. The list shows those that can still be restored.";
                    ("There is no such toolset", why.to_owned())
                } else {
                    ("The toolset cannot be read", sentence(&error.to_string()))
                };
                view! {
                    <EmptyState icon=IconName::Toolset title>
                        <p>{why}</p>
                        <div class="empty-actions">
                            <a class="button" href=Place::Toolsets.path()>"All toolsets"</a>
                        </div>
                    </EmptyState>
                }
                    .into_any()
            }
        }}
        <ImportDialog />
    }
}

#[component]
fn Details(
    /// All there is to know.
    details: DetailsRead,
) -> impl IntoView {
    let DetailsRead { toolset, mut tools, files, mcp_servers, hosts, remembered, apart } = details;
    // What keeps the whole toolset from being used is said once, at the top.
    for tool in &mut tools {
        tool.unavailable_reason.take_if(|reason| toolset.unavailable_reason.as_ref() == Some(reason));
    }
    let packages = (!toolset.is_built_in()).then(|| view! { <PackageList id=toolset.id.clone() /> });
    let broken = toolset.broken.clone().into_iter();
    let missing: Vec<_> = toolset.missing_secrets.clone().into_iter().map(|name| (name, None)).collect();
    let enter = (!missing.is_empty()).then(|| {
        view! {
            <a class="button button-small" data-testid="toolset-secrets" href=SectionId::Secrets.link()>
                "Enter the missing secrets"
            </a>
        }
    });
    view! {
        <div class="page toolsets" data-testid="toolset-details">
            <a class="back-link" href=Place::Toolsets.path()>"All toolsets"</a>
            <header class="toolset-card toolset-header">
                <div class="toolset-about">
                    <h1 class="toolset-title">
                        {toolset.name.clone()} " " <span class="toolset-version">{toolset.version.clone()}</span>
                    </h1>
                    <p>{toolset.description.clone()}</p>
                    <Unavailable toolset=toolset.clone() />
                </div>
                <EnabledSwitch toolset=toolset.clone() />
                <div class="toolset-actions">
                    {enter}
                    <UpdateButton toolset=toolset.clone() />
                    <Actions toolset=toolset.clone() />
                </div>
            </header>
            <ApartList toolset=toolset.clone() apart />
            {(toolset.id == EXA_ID).then(|| view! { <ExaAddress /> })}
            {broken.map(|broken| view! { <p class="field-error">{sentence(&broken)}</p> }).collect_view()}
            <div class="parts">
                <NameList
                    title="Secrets without a value"
                    about="The toolset can be used once each of them has one."
                    names=missing
                />
                <HostList id=toolset.id.clone() hosts />
                <RememberedList id=toolset.id.clone() remembered />
                {packages}
                <ServerList servers=mcp_servers />
                <ToolList tools />
                <FileList files stored=true />
            </div>
            <Facts toolset />
        </div>
    }
}

/// Imports it again from where it came, where that is an address.
#[component]
fn UpdateButton(
    /// The toolset.
    toolset: ToolsetRead,
) -> impl IntoView {
    let importing = Importing::expect();
    let address = toolset.source_ref.filter(|_| toolset.source_type == "url");
    address.map(|address| {
        view! {
            <button class="button button-small" type="button" on:click=move |_| importing.ask_for(&address)>
                "Check for an update"
            </button>
        }
    })
}

#[component]
fn Facts(
    /// The toolset.
    toolset: ToolsetRead,
) -> impl IntoView {
    let source = match toolset.source_ref {
        Some(source) => format!("{}: {source}", origin(&toolset.source_type)),
        None => origin(&toolset.source_type).to_owned(),
    };
    view! {
        <dl class="facts toolset-facts">
            <dt>"Id"</dt>
            <dd><code>{toolset.id}</code></dd>
            <dt>"Source"</dt>
            <dd>{source}</dd>
            <dt>"Package"</dt>
            <dd><code data-testid="toolset-package">{toolset.package}</code></dd>
        </dl>
    }
}
