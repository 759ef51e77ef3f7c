//! One line of the palette.

use leptos::prelude::*;
use satchel_core::local_api::reading::ToolItemRead;

use crate::state::Tools;
use crate::ui::parts::{Icon, IconName, Switch, sentence};

/// What a line is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    /// Who gives the tools below it.
    Heading(String),
    /// Files can be attached.
    Attach,
    /// A tool.
    Tool(Box<ToolItemRead>),
}

impl Item {
    /// Whether the keys can go there.
    pub(super) fn can_be_chosen(&self) -> bool {
        match self {
            Self::Heading(_) => false,
            Self::Attach | Self::Tool(_) => true,
        }
    }

    /// What of it is drawn anew when it changes.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Heading(name) => format!("# {name}"),
            Self::Attach => "+".into(),
            Self::Tool(tool) => format!("{} {} {:?}", tool.tool_id, tool.enabled, tool.unavailable_reason),
        }
    }
}

/// A line.
#[component]
pub(super) fn ItemRow(
    /// The id that the field names it by.
    id: String,
    /// What it is.
    item: Item,
    /// Whether the keys are on it.
    is_active: Signal<bool>,
    /// Told when it is chosen.
    on_choose: impl Fn() + 'static,
) -> impl IntoView {
    let tool = match item {
        Item::Heading(name) => {
            return view! { <div class="palette-heading" role="row"><span role="gridcell">{name}</span></div> }
                .into_any();
        }
        Item::Attach => {
            return view! {
                <div
                    class="palette-item"
                    role="row"
                    id=id
                    aria-selected=move || is_active.get().to_string()
                    data-testid="palette-attach"
                    on:click=move |_| on_choose()
                >
                    <div class="palette-about" role="gridcell">
                        <span class="palette-name"><Icon name=IconName::Upload small=true /> "Attach files"</span>
                        <span class="palette-says">"They are sent with your message and added to this chat's workspace."</span>
                    </div>
                </div>
            }
            .into_any();
        }
        Item::Tool(tool) => tool,
    };
    let test_id = format!("palette-item-{}", tool.tool_id);
    let can_run = tool.unavailable_reason.is_none();
    let says = match &tool.unavailable_reason {
        Some(reason) => sentence(reason),
        None => tool.description.lines().next().unwrap_or_default().to_owned(),
    };
    view! {
        <div
            class="palette-item"
            role="row"
            id=id
            aria-selected=move || is_active.get().to_string()
            data-testid=test_id
            on:click=move |_| on_choose()
        >
            // Not the row: its switch can be used.
            <div class="palette-about" role="gridcell" aria-disabled=(!can_run).then_some("true")>
                <span class="palette-name">
                    {tool.name.clone()} <code class="palette-slug">"+" {tool.slug.clone()}</code>
                    {tool
                        .renderer
                        .clone()
                        .map(|renderer| view! { <span class="badge" title="How its result is shown">{renderer}</span> })}
                    {tool
                        .requires_confirmation
                        .then(|| view! { <span class="badge" data-kind="caution">"asks first"</span> })}
                </span>
                <span class="palette-says">{says}</span>
            </div>
            <ToolSwitch tool=*tool />
        </div>
    }
    .into_any()
}

/// Switches a tool, without choosing it.
#[component]
fn ToolSwitch(
    /// The tool.
    tool: ToolItemRead,
) -> impl IntoView {
    let tools = Tools::expect();
    let (label, test_id) = (format!("{} is switched on", tool.name), format!("palette-enabled-{}", tool.tool_id));
    let on = tool.enabled;
    let on_change = move |enabled| tools.enable(&tool, enabled);
    view! {
        <div role="gridcell" class="palette-switch" on:click=|event| event.stop_propagation()>
            <Switch label test_id on on_change />
        </div>
    }
}
