//! What a toolset is made of, shown in the same way before it is installed and after.

use leptos::prelude::*;
use satchel_core::local_api::reading::{FileRead, ServerRead, ToolRead};

use super::file_view::FileView;
use crate::ui::parts::in_words;

/// A part with its headline, which can be folded away.
#[component]
pub(crate) fn Part(
    /// What it is.
    title: &'static str,
    /// How many there are.
    count: usize,
    /// Whether it is in sight at once.
    #[prop(optional)]
    open: bool,
    /// The items.
    children: Children,
) -> impl IntoView {
    (count > 0).then(|| {
        view! {
            <details class="part" open=open>
                <summary>
                    {title}
                    <span class="part-count">{count}</span>
                </summary>
                {children()}
            </details>
        }
    })
}

/// Its tools.
#[component]
pub(crate) fn ToolList(
    /// The tools.
    tools: Vec<ToolRead>,
) -> impl IntoView {
    let count = tools.len();
    let row = |tool: ToolRead| {
        view! {
            <li class="part-row">
                <div class="tool-line">
                    <strong>{tool.name}</strong>
                    <code>{tool.tool_id}</code>
                    <span class="badge">{tool.kind}</span>
                    {tool.renderer.map(|renderer| view! { <span class="badge">"shows " {renderer}</span> })}
                    {tool
                        .requires_confirmation
                        .then(|| view! { <span class="badge" data-kind="caution">"asks first"</span> })}
                    {tool
                        .unavailable_reason
                        .map(|reason| view! { <span class="badge" data-kind="caution">{reason}</span> })}
                </div>
                {(!tool.description.is_empty()).then(|| view! { <p class="field-hint">{tool.description}</p> })}
            </li>
        }
    };
    view! {
        <Part title="Tools" count open=true>
            <ul class="part-list">{tools.into_iter().map(row).collect_view()}</ul>
        </Part>
    }
}

/// Its servers, each with its whole command line or address.
#[component]
pub(crate) fn ServerList(
    /// The servers.
    servers: Vec<ServerRead>,
) -> impl IntoView {
    let count = servers.len();
    let row = |server: ServerRead| {
        let about = if server.is_command {
            "A command. It never runs in this browser, and on a Satchel server only after its operator approved exactly this line."
        } else {
            "An address. A connected Satchel server contacts it once this is installed."
        };
        view! {
            <li class="part-row">
                <div class="tool-line">
                    <strong>{server.server_id}</strong>
                    {server
                        .unavailable_reason
                        .map(|reason| view! { <span class="badge" data-kind="caution">{reason}</span> })}
                </div>
                <pre class="exact" data-testid="server-line">{server.line}</pre>
                <p class="field-hint">{about}</p>
            </li>
        }
    };
    view! {
        <Part title="MCP servers" count open=true>
            <ul class="part-list">{servers.into_iter().map(row).collect_view()}</ul>
        </Part>
    }
}

/// How many files are listed; more than these nobody reads in a list.
const LISTED: usize = 500;

/// Its files. Those of an installed toolset can be read.
#[component]
pub(crate) fn FileList(
    /// The files.
    files: Vec<FileRead>,
    /// Whether their bytes are stored here.
    #[prop(optional)]
    stored: bool,
) -> impl IntoView {
    let count = files.len();
    let opened = RwSignal::new(None::<String>);
    let row = move |file: FileRead| {
        let (path, size) = (file.path.clone(), in_words(file.size));
        if !stored {
            return view! {
                <li class="part-row file-line">
                    <code>{path}</code>
                    <span class="field-hint">{size}</span>
                </li>
            }
            .into_any();
        }
        let is_open = {
            let path = path.clone();
            Memo::new(move |_| opened.with(|opened| opened.as_ref() == Some(&path)))
        };
        let toggle = {
            let path = path.clone();
            move |_| opened.set((!is_open.get()).then(|| path.clone()))
        };
        view! {
            <li class="part-row">
                <button class="file-line" type="button" aria-expanded=move || is_open.get().to_string() on:click=toggle>
                    <code>{path}</code>
                    <span class="field-hint">{size}</span>
                </button>
                <Show when=move || is_open.get()>
                    <FileView sha256=file.sha256 />
                </Show>
            </li>
        }
        .into_any()
    };
    view! {
        <Part title="Files" count>
            <ul class="part-list">{files.into_iter().take(LISTED).map(row).collect_view()}</ul>
            {(count > LISTED).then(|| view! { <p class="part-row field-hint">{format!("and {} more", count - LISTED)}</p> })}
        </Part>
    }
}

/// Plain names, such as hosts.
#[component]
pub(crate) fn NameList(
    /// What they are.
    title: &'static str,
    /// What it means that they are there.
    about: &'static str,
    /// The names, each with what its author says of it.
    names: Vec<(String, Option<String>)>,
) -> impl IntoView {
    let count = names.len();
    let row = |(name, description): (String, Option<String>)| {
        view! {
            <li>
                <code>{name}</code>
                {description.map(|description| view! { " " <span class="field-hint">{description}</span> })}
            </li>
        }
    };
    view! {
        <Part title count open=true>
            <p class="field-hint part-about">{about}</p>
            <ul class="name-list">{names.into_iter().map(row).collect_view()}</ul>
        </Part>
    }
}
