//! All tools, grouped by who gives them.

use leptos::prelude::*;
use satchel_core::local_api::reading::ToolItemRead;

use super::find::{FindField, Found};
use super::maker::{Begun, Maker};
use crate::state::tools::{Listed, Provider};
use crate::state::{Place, ToolGroup, Tools};
use crate::ui::parts::{EmptyState, IconName, Switch, sentence};
use crate::ui::wrench::in_short;

/// The list.
#[component]
pub(super) fn ToolList() -> impl IntoView {
    let tools = Tools::expect();
    let is_making = RwSignal::new(false);
    let typed = RwSignal::new(String::new());
    let is_finding = Memo::new(move |_| typed.with(|typed| !typed.trim().is_empty()));
    let list = move || match tools.listed() {
        Listed::Asked => view! { <p class="page toolsets-note" role="status">"Loading…"</p> }.into_any(),
        Listed::Unknown(error) => view! {
            <p class="page toolsets-note field-error" role="alert">
                {format!("The tools cannot be read: {error}.")}
            </p>
        }
        .into_any(),
        Listed::Known(groups) if groups.is_empty() => view! { <NoTools /> }.into_any(),
        Listed::Known(groups) => {
            let count: usize = groups.iter().map(|group| group.tools.len()).sum();
            let tokens: u64 = groups.iter().flat_map(|group| &group.tools).filter_map(cost).sum();
            view! {
                <div class="page tools">
                    <header class="tools-head">
                        <h1>"Tools"</h1>
                        <p class="field-hint">{summary(count, tokens)}</p>
                        <button class="button" type="button" data-testid="tool-new" on:click=move |_| is_making.set(true)>
                            "New HTTP tool"
                        </button>
                    </header>
                    <FindField typed />
                    {move || match is_finding.get() {
                        true => view! { <Found typed /> }.into_any(),
                        false => groups.iter().map(|group| view! { <Group group=group.clone() /> }).collect_view().into_any(),
                    }}
                </div>
            }
            .into_any()
        }
    };
    // Outside of the list, which is drawn anew whenever a toolset changes: what is typed stays.
    view! {
        <Show when=move || is_making.get()>
            <div class="page tools">
                <Maker begun=Begun::default() on_close=move |()| is_making.set(false) />
            </div>
        </Show>
        {list}
    }
}

/// What a tool adds to a request, where it can be sent.
fn cost(tool: &ToolItemRead) -> Option<u64> {
    tool.tokens.filter(|_| tool.unavailable_reason.is_none())
}

fn summary(count: usize, tokens: u64) -> String {
    let tools = if count == 1 { "1 tool".to_owned() } else { format!("{count} tools") };
    match tokens {
        0 => tools,
        tokens => format!("{tools} · those that can be used cost about {tokens} tokens in every request"),
    }
}

#[component]
fn NoTools() -> impl IntoView {
    view! {
        <EmptyState icon=IconName::Tool title="No tools yet">
            <p>"Tools come from toolsets and from MCP servers, and this device has none of either."</p>
            <div class="empty-actions">
                <a class="button" href=Place::Toolsets.path()>"Toolsets"</a>
                <a class="button" href=Place::Servers.path()>"MCP Servers"</a>
            </div>
        </EmptyState>
    }
}

#[component]
fn Group(
    /// The tools of one provider.
    group: ToolGroup,
) -> impl IntoView {
    let ToolGroup { provider, name, tools } = group;
    let (kind, link) = match &provider {
        Provider::BuiltIn => ("part of the app", None),
        Provider::Toolset(id) => ("toolset", Some(format!("{}/{id}", Place::Toolsets.path()))),
        Provider::Server(_) => ("MCP server", Some(Place::Servers.path().to_owned())),
    };
    let title = match link {
        Some(link) => view! { <a href=link>{name.clone()}</a> }.into_any(),
        None => name.clone().into_any(),
    };
    let tokens: u64 = tools.iter().filter_map(cost).sum();
    let costs = (tokens > 0).then(|| format!(" · about {} tokens", in_short(tokens)));
    view! {
        <section class="tool-group" aria-label=name>
            <h2>{title} <span class="tool-group-kind">{kind} {costs}</span></h2>
            <ul class="tool-cards">
                {tools.into_iter().map(|tool| view! { <ToolCard tool /> }).collect_view()}
            </ul>
        </section>
    }
}

/// A tool in the list.
#[component]
pub(super) fn ToolCard(
    /// The tool.
    tool: ToolItemRead,
) -> impl IntoView {
    let tools = Tools::expect();
    let (test_id, address) =
        (format!("tool-card-{}", tool.tool_id), format!("{}/{}", Place::Tools.path(), tool.tool_id));
    let for_switch = tool.clone();
    let switch = {
        let (label, test_id) = (format!("{} is switched on", tool.name), format!("tool-enabled-{}", tool.tool_id));
        let on_change = move |enabled| tools.enable(&for_switch, enabled);
        view! { <Switch label test_id on=tool.enabled on_change /> }
    };
    view! {
        <li class="tool-card" data-testid=test_id data-off=(!tool.enabled).to_string()>
            <div class="tool-card-about">
                <h3><a href=address>{tool.name.clone()}</a></h3>
                <code class="tool-id">{tool.tool_id.clone()}</code>
                {(!tool.description.is_empty()).then(|| view! { <p class="tool-says">{tool.description.clone()}</p> })}
                <Marks tool=tool.clone() />
            </div>
            {switch}
        </li>
    }
}

/// What is to be known of a tool at a glance: how it runs, how its result is shown, whether it asks, what it costs, and why it
/// cannot be used (R178).
#[component]
pub(crate) fn Marks(
    /// The tool.
    tool: ToolItemRead,
) -> impl IntoView {
    let ToolItemRead { kind, renderer, requires_confirmation, tokens, unavailable_reason, enabled, .. } = tool;
    // That it is off is what the switch says.
    let reason = unavailable_reason.filter(|_| enabled);
    view! {
        <div class="tool-marks">
            <span class="badge">{kind_in_words(&kind)}</span>
            {renderer.map(|renderer| view! { <span class="badge" title="How its result is shown">"shows " {renderer}</span> })}
            {requires_confirmation
                .then(|| view! { <span class="badge" data-kind="caution" title="You are asked before it runs">"asks first"</span> })}
            {tokens
                .map(|tokens| {
                    let title = "What its definition costs in every request to a model, roughly";
                    view! { <span class="badge" title=title>{format!("≈ {} tokens", in_short(tokens))}</span> }
                })}
            {reason.map(|reason| view! { <span class="badge tool-reason" data-kind="bad">{sentence(&reason)}</span> })}
        </div>
    }
}

/// How a tool runs.
fn kind_in_words(kind: &str) -> &'static str {
    match kind {
        "python" => "Python",
        "http" => "HTTP",
        "builtin" => "built in",
        _ => "MCP",
    }
}
