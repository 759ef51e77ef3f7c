//! The Python packages that a toolset needs, and whether they are here.

use leptos::prelude::*;

use super::contents::Part;
use crate::browser::spawn::spawn;
use crate::state::Toolsets;
use crate::ui::parts::{in_words, sentence};
use crate::ui::settings::section::SectionId;
use crate::work::packages::{self, ToolsetLine, WheelLine};

/// The packages of a toolset; nothing where it needs none.
#[component]
pub(crate) fn PackageList(
    /// The toolset.
    id: String,
) -> impl IntoView {
    let found = RwSignal::new(None::<ToolsetLine>);
    let failure = RwSignal::new(String::new());
    let toolset = StoredValue::new(id);
    let look = move || {
        spawn(async move {
            match packages::overview(Some(toolset.get_value())).await {
                Ok(overview) => drop(found.try_set(overview.toolsets.into_iter().next())),
                Err(error) => drop(failure.try_set(sentence(&error.to_string()))),
            }
        });
    };
    let toolsets = Toolsets::expect();
    Effect::new(move |_| {
        toolsets.changes();
        look();
    });
    let is_fetching = RwSignal::new(false);
    let fetch = move |_| {
        is_fetching.set(true);
        failure.set(String::new());
        spawn(async move {
            if let Err(error) = packages::fetch(toolset.get_value()).await {
                failure.try_set(sentence(&error.to_string()));
            }
            is_fetching.try_set(false);
            look();
        });
    };
    move || {
        found.get().map(|line| {
            let ToolsetLine { declared, shipped, kept, .. } = line;
            let is_missing = kept.is_none() && !declared.is_empty();
            let count = declared.len().max(shipped.len());
            view! {
                <Part title="Python packages" count open=is_missing>
                    <ul class="part-list" data-testid="toolset-packages">
                        {declared.into_iter().map(|declared| view! { <DeclaredRow declared is_missing /> }).collect_view()}
                        {shipped.into_iter().map(|file| view! { <WheelRow name=file place="in the bundle".into() /> }).collect_view()}
                        {kept.into_iter().flatten().map(|wheel| view! { <KeptRow wheel /> }).collect_view()}
                    </ul>
                    <p class="part-row field-error" role="alert" data-testid="toolset-packages-error" hidden=move || failure.with(String::is_empty)>
                        {failure}
                    </p>
                    {is_missing
                        .then(|| {
                            view! {
                                <div class="part-row permission-line">
                                    <a class="field-hint" href=SectionId::Packages.link()>"Package sources"</a>
                                    <button class="button button-small" type="button" data-testid="toolset-packages-fetch" disabled=is_fetching on:click=fetch>
                                        {move || if is_fetching.get() { "Fetching…" } else { "Fetch now" }}
                                    </button>
                                </div>
                            }
                        })}
                </Part>
            }
        })
    }
}

#[component]
fn DeclaredRow(
    /// What is declared.
    declared: String,
    /// Whether it is still to be fetched.
    is_missing: bool,
) -> impl IntoView {
    let (kind, word) = if is_missing { ("caution", "to be fetched") } else { ("good", "here") };
    view! {
        <li class="part-row permission-line">
            <code>{declared}</code>
            <span class="badge" data-kind=kind>{word}</span>
        </li>
    }
}

#[component]
fn KeptRow(
    /// The wheel.
    wheel: WheelLine,
) -> impl IntoView {
    let WheelLine { name, version, size, href } = wheel;
    view! { <WheelRow name=format!("{name} {version}") place=format!("{}, from {href}", in_words(size)) /> }
}

#[component]
fn WheelRow(
    /// What it is.
    name: String,
    /// Where it is or was.
    place: String,
) -> impl IntoView {
    view! {
        <li class="part-row file-line">
            <code>{name}</code>
            <span class="field-hint">{place}</span>
        </li>
    }
}
