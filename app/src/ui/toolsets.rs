//! The toolsets on this device: the list, what brings one in, and the page of each.

mod apart;
mod card;
mod contents;
mod details;
mod exa_address;
mod file_view;
mod import_dialog;
mod import_form;
mod packages;
mod permissions;
mod preview;
mod uninstalled;

use leptos::prelude::*;

use self::card::ToolsetCard;
pub(crate) use self::details::ToolsetPage;
pub(crate) use self::file_view::FileView;
use self::import_dialog::ImportDialog;
use self::import_form::{DropTarget, ImportForm};
pub(crate) use self::permissions::RememberedList;
use self::uninstalled::Uninstalled;
use super::examples::ExampleSection;
use super::parts::{Icon, IconName, sentence};
use super::saved_toolsets::SavedSection;
use super::settings::section::SectionId;
use crate::state::{ToolsetList, Toolsets};

/// The page of toolsets.
#[component]
pub(crate) fn ToolsetsPage() -> impl IntoView {
    let toolsets = Toolsets::expect();
    toolsets.keep_reading();
    view! {
        <DropTarget>
            <div class="page toolsets">
                <Show when=move || !toolsets.has_some()>
                    <NoToolsets />
                </Show>
                <Show when=move || toolsets.has_some()>
                    <h1 class="unseen">"Toolsets"</h1>
                </Show>
                <ImportForm />
                <List />
                <SavedSection />
                <ExampleSection />
            </div>
        </DropTarget>
        <ImportDialog />
    }
}

#[component]
fn NoToolsets() -> impl IntoView {
    view! {
        <div class="empty toolsets-empty">
            <div class="empty-icon">
                <Icon name=IconName::Toolset />
            </div>
            <h1>"No toolsets are installed"</h1>
            <p>
                "A toolset is a bundle of Python tools and the views that show their results. Its code runs in a cage in this tab: it sees the files of its chat and nothing else. "
                <a href=SectionId::Cage.link()>"Check the cage"</a>
            </p>
        </div>
    }
}

#[component]
fn List() -> impl IntoView {
    let toolsets = Toolsets::expect();
    move || match toolsets.list() {
        ToolsetList::Asked => view! { <p class="toolsets-note" role="status">"Loading…"</p> }.into_any(),
        ToolsetList::Unknown(error) => view! {
            <p class="toolsets-note field-error" role="alert">
                {format!("The toolsets cannot be read: {error}.")}
            </p>
        }
        .into_any(),
        ToolsetList::Known(list) => {
            // Those of one MCP server are on the page of servers (R120).
            let cards: Vec<_> = list.toolsets.into_iter().filter(|toolset| !toolset.user_mcp).collect();
            let broken = list.broken.into_iter().map(|broken| view! { <p class="field-error">{sentence(&broken)}</p> });
            view! {
                <div class="toolset-list">
                    <For each=move || cards.clone() key=Clone::clone let:toolset>
                        <ToolsetCard toolset />
                    </For>
                </div>
                {broken.collect_view()}
                <Uninstalled list=list.uninstalled />
            }
            .into_any()
        }
    }
}
