//! One toolset, in the list and at the top of its own page.

use leptos::prelude::*;
use satchel_core::local_api::reading::ToolsetRead;

use crate::state::Toolsets;
use crate::ui::parts::{Removal, Switch};

/// A toolset in the list.
#[component]
pub(crate) fn ToolsetCard(
    /// The toolset.
    toolset: ToolsetRead,
) -> impl IntoView {
    let address = format!("/ui/toolsets/{}", toolset.id);
    let (details, test_id) = (address.clone(), format!("toolset-card-{}", toolset.id));
    view! {
        <article class="toolset-card" data-testid=test_id>
            <div class="toolset-about">
                <h2 class="toolset-title">
                    <a href=address>{toolset.name.clone()}</a>
                    <span class="toolset-version">{toolset.version.clone()}</span>
                </h2>
                {(!toolset.description.is_empty()).then(|| view! { <p>{toolset.description.clone()}</p> })}
                <p class="field-hint">{facts(&toolset)}</p>
                <Unavailable toolset=toolset.clone() />
                {(toolset.apart_count > 0)
                    .then(|| {
                        view! {
                            <span class="badge" data-kind="caution" data-testid=format!("toolset-apart-{}", toolset.id)>
                                "Changed on two devices: open it to choose"
                            </span>
                        }
                    })}
            </div>
            <EnabledSwitch toolset=toolset.clone() />
            <div class="toolset-actions">
                <a class="button button-small" href=details>"Details"</a>
                <Actions toolset />
            </div>
        </article>
    }
}

/// Why it cannot be used, where that is not plain from its switch.
#[component]
pub(crate) fn Unavailable(
    /// The toolset.
    toolset: ToolsetRead,
) -> impl IntoView {
    let reason = toolset.unavailable_reason.filter(|_| toolset.enabled);
    reason.map(|reason| view! { <span class="badge" data-kind="caution">{reason}</span> })
}

/// The master switch.
#[component]
pub(crate) fn EnabledSwitch(
    /// The toolset.
    toolset: ToolsetRead,
) -> impl IntoView {
    let toolsets = Toolsets::expect();
    let ToolsetRead { id, name, enabled, .. } = toolset;
    let test_id = format!("toolset-enabled-{id}");
    let on_change = move |enabled| toolsets.enable(id.clone(), enabled);
    view! { <Switch label=format!("{name} is switched on") test_id on=enabled on_change /> }
}

/// What can be done to it; one that is built in can only be copied (C52).
#[component]
pub(crate) fn Actions(
    /// The toolset.
    toolset: ToolsetRead,
) -> impl IntoView {
    let toolsets = Toolsets::expect();
    if toolset.is_built_in() {
        let (id, test_id) = (toolset.id.clone(), format!("toolset-duplicate-{}", toolset.id));
        return view! {
            <button
                class="button button-small"
                type="button"
                title="Makes a toolset of your own with the same tools, which you can change"
                data-testid=test_id
                on:click=move |_| toolsets.duplicate(id.clone())
            >
                "Duplicate as custom"
            </button>
        }
        .into_any();
    }
    let (id, version) = (toolset.id.clone(), toolset.version.clone());
    let (export_test_id, uninstall_test_id) = (format!("toolset-export-{id}"), format!("toolset-uninstall-{id}"));
    let (export_label, what) = (format!("Export {}", toolset.name), toolset.name.clone());
    let toolset = StoredValue::new(toolset);
    view! {
        <button
            class="button button-small"
            type="button"
            aria-label=export_label
            data-testid=export_test_id
            on:click=move |_| toolsets.export(id.clone(), version.clone())
        >
            "Export"
        </button>
        // Its tools leave every chat at once, so it asks (R223), although it can be undone.
        <Removal
            what
            test_id=uninstall_test_id
            verb="Uninstall"
            sure="Yes, uninstall"
            ok_test_id="confirm-ok"
            on_remove=move || toolset.with_value(|toolset| toolsets.uninstall(toolset))
        />
    }
    .into_any()
}

fn facts(toolset: &ToolsetRead) -> String {
    let tools = match toolset.tool_count {
        0 => "no tools of its own".to_owned(),
        1 => "1 tool".to_owned(),
        count => format!("{count} tools"),
    };
    format!("{} · {tools} · {}", toolset.id, origin(&toolset.source_type))
}

/// Where a toolset came from, in words.
pub(crate) fn origin(source_type: &str) -> &'static str {
    match source_type {
        "zip" => "from a file",
        "local" => "from a folder",
        "url" => "from the web",
        "builtin" => "built in",
        _ => "made here",
    }
}
