//! What a bundle contains and would do, before anything is installed.

use leptos::prelude::*;
use satchel_core::counted::counted;
use satchel_core::local_api::reading::{ContentsRead, OutcomeRead, PreviewRead, SecretRead};

use super::contents::{FileList, NameList, ServerList, ToolList};
use crate::state::Importing;
use crate::ui::parts::{in_words, sentence};

/// A bundle, and the question whether to install it.
#[component]
pub(crate) fn Preview(
    /// The file, folder or address.
    source: String,
    /// What it is.
    preview: PreviewRead,
) -> impl IntoView {
    let PreviewRead { outcome, from, contents, warnings } = preview;
    let headline = headline(outcome, from.as_deref(), &contents);
    let trouble = trouble(outcome, from.as_deref(), &contents);
    view! {
        <h2 id="import-title">{contents.name.clone()} " " <span class="toolset-version">{contents.version.clone()}</span></h2>
        <p class="dialog-name">{source}</p>
        <div class="dialog-body" tabindex="0" role="region" aria-label="What it contains">
            <p data-testid="import-outcome">{headline}</p>
            {trouble.map(|trouble| view! { <p class="problem" role="alert" data-testid="import-error">{trouble}</p> })}
            <Warnings warnings />
            <Contents contents />
        </div>
        <Answers outcome />
    }
}

/// How many warnings are in sight at once.
const WARNINGS: usize = 4;

#[component]
fn Warnings(
    /// What is worth a look.
    mut warnings: Vec<String>,
) -> impl IntoView {
    let rest = warnings.split_off(WARNINGS.min(warnings.len()));
    let list = |warnings: Vec<String>| {
        let rows = warnings.into_iter().map(|warning| view! { <li>{sentence(&warning)}</li> });
        view! { <ul class="warning-list">{rows.collect_view()}</ul> }
    };
    let more = (!rest.is_empty()).then(|| {
        view! {
            <details>
                <summary>{counted(rest.len(), "more warning")}</summary>
                {list(rest)}
            </details>
        }
    });
    (!warnings.is_empty())
        .then(|| view! { <div class="warnings" data-testid="import-warnings">{list(warnings)} {more}</div> })
}

#[component]
fn Contents(
    /// What is in it.
    contents: ContentsRead,
) -> impl IntoView {
    let ContentsRead { id, description, package, size, tools, servers, hosts, python_packages, secrets, files, .. } =
        contents;
    let plain = |names: Vec<String>| names.into_iter().map(|name| (name, None)).collect::<Vec<_>>();
    let secrets = secrets.into_iter().map(|SecretRead { name, description }| (name, description)).collect();
    view! {
        {(!description.is_empty()).then(|| view! { <p>{description}</p> })}
        <dl class="facts">
            <dt>"Id"</dt>
            <dd><code>{id}</code></dd>
            <dt>"Size"</dt>
            <dd>{in_words(size)}</dd>
            <dt>"Package"</dt>
            <dd><code>{package}</code></dd>
        </dl>
        <div class="parts">
            <ServerList servers />
            <NameList
                title="Hosts"
                about="Its tools want to reach these. You are asked before one first does."
                names=plain(hosts)
            />
            <NameList
                title="Secrets and variables"
                about="It needs a value for each of these. The toolset contains none."
                names=secrets
            />
            <NameList
                title="Python packages"
                about="Installed for this toolset only, in its cage."
                names=plain(python_packages)
            />
            <ToolList tools />
            <FileList files />
        </div>
    }
}

#[component]
fn Answers(
    /// What installing would mean.
    outcome: OutcomeRead,
) -> impl IntoView {
    let importing = Importing::expect();
    let (close, (label, test_id, replace)) = match outcome {
        OutcomeRead::New => ("Cancel", ("Install", "import-confirm", false)),
        OutcomeRead::Upgrade => ("Cancel", ("Upgrade", "import-confirm", false)),
        OutcomeRead::Downgrade | OutcomeRead::Conflict => ("Cancel", ("Replace", "import-replace", true)),
        OutcomeRead::Same => ("Close", ("Install again", "import-again", true)),
    };
    view! {
        <div class="dialog-actions">
            <button class="button" type="button" data-testid="import-cancel" on:click=move |_| importing.close()>
                {close}
            </button>
            <button
                class="button"
                class=("button-accent", outcome != OutcomeRead::Same)
                type="button"
                data-testid=test_id
                on:click=move |_| importing.install(replace)
            >
                {label}
            </button>
        </div>
    }
}

/// What another package means for tools (C14).
const OFF: &str = "Tools that you have used before stay off until you approve what changed.";

fn headline(outcome: OutcomeRead, from: Option<&str>, contents: &ContentsRead) -> String {
    let version = &contents.version;
    match outcome {
        OutcomeRead::New => "It is not on this device yet.".into(),
        OutcomeRead::Same => {
            "Exactly this is already installed. Install it again if its stored files were lost or damaged.".into()
        }
        OutcomeRead::Upgrade => {
            let from = from.unwrap_or("an older version");
            format!("An upgrade from {from} to {version}. Your switches, choices and changes are kept. {OFF}")
        }
        OutcomeRead::Downgrade | OutcomeRead::Conflict => {
            format!("It replaces what is installed. {OFF}")
        }
    }
}

/// What the user has to decide beyond installing.
fn trouble(outcome: OutcomeRead, from: Option<&str>, contents: &ContentsRead) -> Option<String> {
    let ContentsRead { id, version, .. } = contents;
    match outcome {
        OutcomeRead::New | OutcomeRead::Same | OutcomeRead::Upgrade => None,
        OutcomeRead::Downgrade => Some(format!(
            "{id} {} is installed, which is newer than {version}. Replace it only if you want to go back.",
            from.unwrap_or_default()
        )),
        OutcomeRead::Conflict => Some(format!(
            "{id} {version} is installed with other contents. Replace it only if you know where this one comes from; export the installed one first to keep it."
        )),
    }
}
