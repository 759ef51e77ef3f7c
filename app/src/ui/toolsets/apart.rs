//! What another device made of a toolset while both were apart, and the choice between the two.

use leptos::prelude::*;
use satchel_core::local_api::reading::{ApartRead, DifferencesRead, ToolsetRead};

use crate::state::Toolsets;
use crate::ui::parts::Agreement;

/// Every other version there is.
#[component]
pub(super) fn ApartList(
    /// The toolset.
    toolset: ToolsetRead,
    /// The other versions.
    apart: Vec<ApartRead>,
) -> impl IntoView {
    let one = |apart: ApartRead| view! { <Apart toolset=toolset.clone() apart /> };
    apart.into_iter().map(one).collect_view()
}

#[component]
fn Apart(
    /// The toolset.
    toolset: ToolsetRead,
    /// The other version.
    apart: ApartRead,
) -> impl IntoView {
    let toolsets = Toolsets::expect();
    let ApartRead { package, version, tools, files } = apart;
    let about = format!(
        "Another device changed it before it knew of your last change here. Version {} is in use; nothing of the other version {version} is lost, and you choose what becomes of it.",
        toolset.version
    );
    let choose = move |choice: &'static str| {
        let (id, package) = (toolset.id.clone(), package.clone());
        move || toolsets.settle_apart(id.clone(), package.clone(), choice)
    };
    let (put_together, keep_both) = (choose("put_together"), choose("keep_both"));
    let (use_other, discard) = (choose("use_other"), choose("discard"));
    view! {
        <section class="toolset-card toolset-apart" data-testid="toolset-apart" aria-label="Changed on two devices">
            <div class="toolset-about">
                <h2 class="toolset-title">"Changed on two devices at the same time"</h2>
                <p>{about}</p>
                <ul class="toolset-differences">{differences("tool", &tools)} {differences("file", &files)}</ul>
            </div>
            <div class="toolset-actions">
                <button
                    class="button button-small button-accent"
                    type="button"
                    title="Adds what only the other version has. What both have stays as it is in the one in use."
                    data-testid="apart-put-together"
                    on:click=move |_| put_together()
                >
                    "Put both together"
                </button>
                <button
                    class="button button-small"
                    type="button"
                    title="The other version becomes a toolset of its own beside this one."
                    data-testid="apart-keep-both"
                    on:click=move |_| keep_both()
                >
                    "Keep both"
                </button>
                <Agreement
                    label="Use the other"
                    question="The other version takes the place of the one in use, which is removed from all your devices.".to_owned()
                    ok="Use the other"
                    test_id="apart-use-other"
                    on_agree=Callback::new(move |()| use_other())
                />
                <Agreement
                    label="Discard the other"
                    question="The other version is removed from all your devices.".to_owned()
                    ok="Discard the other"
                    test_id="apart-discard"
                    on_agree=Callback::new(move |()| discard())
                />
            </div>
        </section>
    }
}

/// How the tools or files differ, a line for each way.
fn differences(noun: &str, found: &DifferencesRead) -> impl IntoView + use<> {
    let lines = [
        (&found.only_there, "Only the other version has the"),
        (&found.only_here, "Only the version in use has the"),
        (&found.changed, "Both have, and not the same, the"),
    ];
    let lines = lines.into_iter().filter(|(names, _)| !names.is_empty()).map(|(names, words)| {
        let plural = if names.len() == 1 { "" } else { "s" };
        format!("{words} {noun}{plural} {}.", names.join(", "))
    });
    lines.map(|line| view! { <li>{line}</li> }).collect_view()
}
