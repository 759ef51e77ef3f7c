//! The page of one tool.

use leptos::prelude::*;
use satchel_core::local_api::reading::{ToolItemRead, ToolMoreRead};

use super::facts::Facts;
use super::list::Marks;
use super::override_editor::OverrideEditor;
use super::pin_changed::PinChanged;
use super::tester::Tester;
use super::versions::Versions;
use crate::state::{Place, Tools, Toolsets, latest};
use crate::ui::parts::{EmptyState, IconName, Switch, sentence};
use crate::work::local_api::LocalApiError;

/// The tool of this id.
#[component]
pub(super) fn ToolPage(
    /// The tool's whole id.
    id: String,
) -> impl IntoView {
    let (tools, toolsets) = (Tools::expect(), Toolsets::expect());
    let found = RwSignal::new(None::<Result<(ToolItemRead, ToolMoreRead), LocalApiError>>);
    let ask = move || {
        toolsets.changes();
        let id = id.clone();
        async move { tools.details(&id).await }
    };
    latest::follow(ask, move |details| found.set(Some(details)));
    // The form stays as it is filled in while the tool is read again, unless it takes something else now.
    let taken = Memo::new(move |_| {
        found.with(|found| match found {
            Some(Ok((tool, _))) => Some((tool.tool_id.clone(), tool.input_schema.clone())),
            Some(Err(_)) | None => None,
        })
    });
    let tool = Memo::new(move |_| found.with(|found| found.as_ref().and_then(|found| found.as_ref().ok()).cloned()));
    let problem =
        Memo::new(move |_| found.with(|found| found.as_ref().and_then(|found| found.as_ref().err()).cloned()));
    view! {
        {move || found.with(Option::is_none).then(|| view! { <p class="page toolsets-note" role="status">"Loading…"</p> })}
        {move || problem.get().map(|error| view! { <NotFound error /> })}
        <Show when=move || taken.with(Option::is_some)>
            <div class="page tools tool-page" data-testid="tool-details">
                <a class="back-link" href=Place::Tools.path()>"All tools"</a>
                {move || tool.get().map(|(tool, _)| view! { <Header tool /> })}
                {move || tool.get().map(|(tool, more)| view! { <PinChanged tool_id=tool.tool_id pin=more.pin /> })}
                {move || tool.get().map(|(tool, more)| view! { <Versions tool more /> })}
                {move || taken.get().map(|_| view! { <Tester tool=Signal::derive(move || tool.get().map(|(tool, _)| tool)) /> })}
                {move || tool.get().map(|(tool, more)| view! { <OverrideEditor tool more /> })}
                {move || tool.get().map(|(tool, more)| view! { <Facts tool more /> })}
            </div>
        </Show>
    }
}

#[component]
fn Header(
    /// The tool.
    tool: ToolItemRead,
) -> impl IntoView {
    let tools = Tools::expect();
    let for_switch = tool.clone();
    let switch = {
        let (label, test_id) = (format!("{} is switched on", tool.name), format!("tool-enabled-{}", tool.tool_id));
        let on_change = move |enabled| tools.enable(&for_switch, enabled);
        view! { <Switch label test_id on=tool.enabled on_change /> }
    };
    let home = tool.toolset_id.clone().filter(|id| id != "builtin");
    view! {
        <header class="tool-card tool-header">
            <div class="tool-card-about">
                <h1>{tool.name.clone()}</h1>
                <p>
                    <code class="tool-id">{tool.tool_id.clone()}</code>
                    {home.map(|id| view! { " of " <a href=format!("{}/{id}", Place::Toolsets.path())>{id.clone()}</a> })}
                    ", called by hand as " <code>"+" {tool.slug.clone()}</code>
                </p>
                {(!tool.description.is_empty()).then(|| view! { <p>{tool.description.clone()}</p> })}
                <Marks tool=tool.clone() />
            </div>
            {switch}
        </header>
    }
}

#[component]
fn NotFound(
    /// Why it is not here.
    error: LocalApiError,
) -> impl IntoView {
    let (title, why) = if error.is_not_found() {
        ("There is no such tool", "Its toolset was uninstalled, or no longer has it.".to_owned())
    } else {
        ("The tool cannot be read", sentence(&error.to_string()))
    };
    view! {
        <EmptyState icon=IconName::Tool title>
            <p>{why}</p>
            <div class="empty-actions">
                <a class="button" href=Place::Tools.path()>"All tools"</a>
            </div>
        </EmptyState>
    }
}
