//! What was read of a configuration, before anything is added: each server with its whole command or address, and what it leaves open.

use std::collections::BTreeMap;

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use satchel_core::local_api::reading::{AskedRead, PastedRead, PastedServerRead};

use crate::browser::spawn::spawn;
use crate::state::McpServers;
use crate::ui::parts::sentence;

/// The servers, to be agreed to.
#[component]
pub(super) fn PastedServers(
    /// What was read.
    found: PastedRead,
    /// Told when it is over, added or not.
    done: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let servers = McpServers::expect();
    let PastedRead { servers: read, asked, remarks } = found;
    let ids: Vec<RwSignal<String>> = read.iter().map(|server| RwSignal::new(server.id.clone())).collect();
    let values: Vec<(String, RwSignal<String>)> =
        asked.iter().map(|one| (one.name.clone(), RwSignal::new(one.default.clone().unwrap_or_default()))).collect();
    let (problem, is_busy) = (RwSignal::new(None::<String>), RwSignal::new(false));
    let (to_add, given, named) = (read.clone(), values.clone(), ids.clone());
    let add = move |event: SubmitEvent| {
        event.prevent_default();
        let chosen = to_add
            .iter()
            .zip(&named)
            .map(|(server, id)| PastedServerRead { id: id.get_untracked().trim().to_owned(), ..server.clone() });
        let chosen: Vec<PastedServerRead> = chosen.collect();
        let values: BTreeMap<String, String> =
            given.iter().map(|(name, value)| (name.clone(), value.get_untracked())).collect();
        problem.set(None);
        is_busy.set(true);
        spawn(async move {
            match servers.add(chosen, values).await {
                Ok(()) => done(),
                Err(error) => {
                    problem.try_set(Some(error));
                    is_busy.try_set(false);
                }
            }
        });
    };
    let rows = read.into_iter().zip(ids).map(|(server, id)| view! { <Server server id /> }).collect_view();
    let inputs =
        asked.into_iter().zip(values).map(|(asked, (_, value))| view! { <Asked asked value /> }).collect_view();
    view! {
        <form class="pasted" data-testid="server-pasted" on:submit=add>
            <h3>"This is what will be added"</h3>
            <ul class="pasted-list">{rows}</ul>
            {inputs}
            {remarks.into_iter().map(|remark| view! { <p class="field-hint">{sentence(&remark)}</p> }).collect_view()}
            {move || problem.get().map(|error| view! { <p class="field-error" role="alert">{sentence(&error)}</p> })}
            <div class="form-actions">
                <button class="button button-accent" type="submit" data-testid="server-pasted-add" disabled=move || is_busy.get()>
                    "Add and connect"
                </button>
                <button class="button" type="button" data-testid="server-pasted-cancel" on:click=move |_| done()>"Cancel"</button>
            </div>
        </form>
    }
}

#[component]
fn Server(
    /// The server.
    server: PastedServerRead,
    /// The id it gets, which can be changed.
    id: RwSignal<String>,
) -> impl IntoView {
    let why = server.renamed.as_deref().map(|why| match why {
        "taken" => format!("{} is taken, so it gets another id.", server.name),
        _ => format!("{} cannot be an id, so it gets another one.", server.name),
    });
    let command = server.is_command.then_some(
        "This is a command: your Satchel server starts it only after its operator has approved exactly this.",
    );
    let secrets = server.secrets.len();
    let taken = (secrets > 0).then(|| {
        let names: Vec<String> = server.secrets.iter().map(|(name, _)| name.clone()).collect();
        format!("It contains a key, which goes to your vault as {}.", names.join(", "))
    });
    view! {
        <li class="pasted-server">
            <label class="field">
                <span class="field-label">{server.name.clone()}</span>
                <input class="input" type="text" aria-label="Id" data-testid=format!("server-pasted-id-{}", server.id) bind:value=id />
            </label>
            <pre class="server-line">{server.line}</pre>
            {[why, taken, command.map(str::to_owned)]
                .into_iter()
                .flatten()
                .map(|words| view! { <p class="field-hint">{words}</p> })
                .collect_view()}
        </li>
    }
}

/// A value that the configuration leaves open.
#[component]
fn Asked(
    /// What is asked for.
    asked: AskedRead,
    /// What is entered.
    value: RwSignal<String>,
) -> impl IntoView {
    let test_id = format!("server-asked-{}", asked.name);
    let field = match asked.options.is_empty() {
        true => {
            let kind = if asked.hidden { "password" } else { "text" };
            view! { <input class="input" type=kind autocomplete="off" data-testid=test_id bind:value=value /> }
                .into_any()
        }
        false => {
            let option = |option: String| {
                let (shown, chosen) = (option.clone(), option.clone());
                view! { <option value=option selected=move || value.with(|value| *value == chosen)>{shown}</option> }
            };
            view! {
                <select class="input" data-testid=test_id on:change=move |event| value.set(event_target_value(&event))>
                    {asked.options.into_iter().map(option).collect_view()}
                </select>
            }
            .into_any()
        }
    };
    let hint = asked.description.unwrap_or_else(|| format!("Needed by {}.", asked.servers.join(", ")));
    view! {
        <label class="field">
            <span class="field-label">{asked.name}</span>
            {field}
            <span class="field-hint">{hint} " What you leave empty can be entered in Settings later."</span>
        </label>
    }
}
