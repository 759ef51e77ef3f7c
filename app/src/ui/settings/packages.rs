//! Python packages: where toolsets get what they declare, and what is kept for which of them.

use leptos::prelude::*;

use super::section::{Section, SectionId};
use crate::browser::spawn::spawn;
use crate::state::{NoticeKind, Notices};
use crate::ui::parts::{in_words, sentence};
use crate::work::packages::{self, Overview, ToolsetLine, WheelLine};

/// What was found at a source: what it is called, and a sentence or what is wrong.
type Found = (String, Result<String, String>);

/// The section of packages.
#[component]
pub(crate) fn PackagesSection() -> impl IntoView {
    let overview = RwSignal::new(None::<Result<Overview, String>>);
    read(overview);
    view! {
        <Section
            id=SectionId::Packages
            about="Packages come from the wheels in a toolset's bundle, then from here. They are fetched once, checked, and kept for that toolset only."
        >
            {move || match overview.get() {
                None => view! { <p class="row field-hint">"Loading…"</p> }.into_any(),
                Some(Err(error)) => view! { <p class="row field-error" role="alert">{sentence(&error)}</p> }.into_any(),
                Some(Ok(Overview { sources, toolsets })) => {
                    view! {
                        <SourcesForm sources />
                        <KeptList toolsets overview />
                    }
                        .into_any()
                }
            }}
        </Section>
    }
}

/// The addresses, one a line.
#[component]
fn SourcesForm(
    /// Those in force.
    sources: Vec<String>,
) -> impl IntoView {
    let text = RwSignal::new(sources.join("\n"));
    let failure = RwSignal::new(String::new());
    let found = RwSignal::new(Vec::<Found>::new());
    let is_looking = RwSignal::new(false);
    let notices = Notices::expect();
    let save = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let addresses = lines(&text.get_untracked());
        spawn(async move {
            // The form is gone if the user has left the page meanwhile.
            match packages::set_sources(addresses).await {
                Ok(()) => {
                    failure.try_set(String::new());
                    notices.show(NoticeKind::Success, "The package sources are saved.");
                }
                Err(error) => drop(failure.try_set(sentence(&error.to_string()))),
            }
        });
    };
    let look = move |_| {
        is_looking.set(true);
        found.set(Vec::new());
        let addresses = lines(&text.get_untracked());
        spawn(async move {
            for address in std::iter::once(None).chain(addresses.into_iter().map(Some)) {
                let looked = look_at(address).await;
                found.try_update(|found| found.push(looked));
            }
            is_looking.try_set(false);
        });
    };
    view! {
        <form class="row row-stack" on:submit=save>
            <label class="field">
                <span class="field-label">"Package sources"</span>
                <textarea
                    class="input packages-sources"
                    rows="3"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="https://packages.example.org/simple/"
                    data-testid="package-sources"
                    bind:value=text
                ></textarea>
                <span class="field-hint">
                    "One address per line, tried in this order after the folder packages/ next to the app: an index such as https://packages.example.org/simple/, or the lock file of a Pyodide distribution. The names of needed packages are sent there, and their files are fetched from wherever it keeps them."
                </span>
            </label>
            <p class="field-error" role="alert" data-testid="package-error" hidden=move || failure.with(String::is_empty)>
                {failure}
            </p>
            <div class="row-buttons">
                <button class="button button-accent" type="submit" data-testid="package-save">"Save"</button>
                <button class="button" type="button" data-testid="package-look" disabled=is_looking on:click=look>
                    {move || if is_looking.get() { "Checking…" } else { "Check" }}
                </button>
            </div>
            <ul class="packages-found" role="status">
                {move || found.get().into_iter().map(|found| view! { <FoundLine found /> }).collect_view()}
            </ul>
        </form>
    }
}

#[component]
fn FoundLine(
    /// What was found.
    found: Found,
) -> impl IntoView {
    let (place, outcome) = found;
    let (kind, word, words) = match outcome {
        Ok(words) => ("good", "Found", words),
        Err(words) => ("caution", "Not found", words),
    };
    view! {
        <li data-testid="package-found">
            <span class="badge" data-kind=kind>{word}</span>
            " "
            <code>{place}</code>
            <p class="field-hint">{words}</p>
        </li>
    }
}

async fn look_at(address: Option<String>) -> Found {
    let place = address.clone().unwrap_or_else(|| "packages/".into());
    let outcome = match packages::look(address).await {
        Ok(Some(1)) => Ok("It lists one package.".into()),
        Ok(Some(count)) => Ok(format!("It lists {count} packages.")),
        Ok(None) => Ok("It answers; packages are looked up there one by one.".into()),
        Err(error) => Err(sentence(&error.to_string())),
    };
    (place, outcome)
}

/// What is kept, toolset by toolset.
#[component]
fn KeptList(
    /// The toolsets that need packages.
    toolsets: Vec<ToolsetLine>,
    /// Where a fresh look goes.
    overview: RwSignal<Option<Result<Overview, String>>>,
) -> impl IntoView {
    if toolsets.is_empty() {
        return view! { <p class="row field-hint">"No installed toolset needs packages."</p> }.into_any();
    }
    let rows = toolsets.into_iter().map(|toolset| view! { <KeptRow toolset overview /> });
    view! { {rows.collect_view()} }.into_any()
}

#[component]
fn KeptRow(
    /// The toolset.
    toolset: ToolsetLine,
    /// Where a fresh look goes.
    overview: RwSignal<Option<Result<Overview, String>>>,
) -> impl IntoView {
    let ToolsetLine { id, name, package, declared, shipped, kept } = toolset;
    let test_id = format!("package-remove-{id}");
    let notices = Notices::expect();
    let is_kept = kept.as_ref().is_some_and(|wheels| !wheels.is_empty());
    let remove = move |_| {
        spawn(async move {
            match packages::remove(package).await {
                Ok(()) => read(overview),
                Err(error) => notices.show(NoticeKind::Error, format!("Nothing was removed: {error}.")),
            }
        });
    };
    view! {
        <div class="row" data-testid=format!("package-toolset-{id}")>
            <div class="field">
                <div class="field-label">{name}</div>
                <p class="field-hint">{in_short(&declared, &shipped, kept.as_deref())}</p>
            </div>
            {is_kept
                .then(|| view! { <button class="button" type="button" data-testid=test_id on:click=remove>"Remove"</button> })}
        </div>
    }
}

/// How things stand with a toolset's packages, in a sentence or two.
fn in_short(declared: &[String], shipped: &[String], kept: Option<&[WheelLine]>) -> String {
    let ships = match shipped.len() {
        0 => String::new(),
        1 => "Its bundle has one wheel. ".to_owned(),
        count => format!("Its bundle has {count} wheels. "),
    };
    let rest = match kept {
        _ if declared.is_empty() => String::new(),
        Some([]) => "Everything it needs is in its bundle.".to_owned(),
        Some(wheels) => {
            let size = in_words(wheels.iter().map(|wheel| wheel.size).sum());
            let names = wheels.iter().map(|wheel| format!("{} {}", wheel.name, wheel.version));
            format!("Kept, {size}: {}.", names.collect::<Vec<_>>().join(", "))
        }
        None => format!("Still to be fetched, for its next run: {}.", declared.join(", ")),
    };
    format!("{ships}{rest}").trim_end().to_owned()
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn read(overview: RwSignal<Option<Result<Overview, String>>>) {
    spawn(async move {
        let found = packages::overview(None).await.map_err(|error| error.to_string());
        // Nobody waits for it if the user has left the page meanwhile.
        overview.try_set(Some(found));
    });
}
