//! One tool of a toolset that is opened.

use leptos::prelude::*;
use satchel_core::catalog::{SelectableTool, ToolsetId};

use super::in_short;
use crate::browser::page;
use crate::state::Choosing;

/// A tool.
#[component]
pub(super) fn ToolRow(
    /// The toolset it is in.
    toolset: ToolsetId,
    /// The tool.
    tool: SelectableTool,
) -> impl IntoView {
    let choosing = Choosing::expect();
    // The name within its toolset, as it is stored (C62).
    let (row, box_test) =
        (format!("tool-row-{toolset}-{}", tool.id.name()), format!("tool-checkbox-{toolset}-{}", tool.id.name()));
    let reason_id = format!("wrench-reason-{}", tool.id);
    let (name, tokens) = (tool.name.clone(), format!("{} tokens", in_short(tool.tokens)));
    let why = tool.unavailable.as_ref().map(ToString::to_string);
    let can_be_used = why.is_none();
    let (of, asked) = (toolset.clone(), tool.clone());
    let is_chosen = Memo::new(move |_| choosing.with(|selection| selection.is_tool_enabled(&of, &asked)));
    let toggle = move |event: leptos::ev::Event| {
        choosing.toggle_tool(&toolset, &tool);
        page::set_box(&event, is_chosen.get_untracked(), false);
    };
    let title = why.clone();
    let reason = why.clone().map(|why| {
        let unsent = move || if is_chosen.get() { ", so it is not sent" } else { "" };
        view! { <p class="wrench-reason" id=reason_id.clone()>{why} {unsent}</p> }
    });
    view! {
        <li class="wrench-tool" data-testid=row title=title>
            <label class="wrench-label">
                // What was chosen and cannot be used can still be taken out.
                <input
                    class="tick"
                    type="checkbox"
                    data-testid=box_test
                    disabled=move || !can_be_used && !is_chosen.get()
                    aria-describedby=(!can_be_used).then_some(reason_id)
                    prop:checked=move || is_chosen.get()
                    on:change=toggle
                />
                <span class="wrench-name">{name}</span>
            </label>
            <span class="wrench-cost">{tokens}</span>
            {reason}
        </li>
    }
}
