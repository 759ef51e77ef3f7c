//! Toolsets that several devices change while they are apart: by the requests of the app, so that what is tried is what it does.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::random::Random;
use crate::at_once::at_once;
use crate::catalog::Surroundings;
use crate::local_api::{LocalApiLimits, Request, Response, World, answer};
use crate::record::{RowKey, RowRef, Table};
use crate::store::{MemoryStore, StoredRow};
use crate::time::Timestamp;

/// The one bundle that all devices have, made on whichever is first.
const BUNDLE: &str = "/local/tools/bundles/0198c5a4-7c1e-7000-8000-0000000000b1";

/// Adds a tool, or settles what devices have made of a toolset apart; the tool that was made, if one was.
pub(super) fn edit(store: &MemoryStore, random: &mut Random, now: Timestamp) -> Option<String> {
    if random.one_in(3) {
        settle(store, random, now);
        return None;
    }
    let bundle = json!({"slug": "weather", "displayName": "Weather", "isEnabled": true, "description": ""});
    ask(store, random, now, "PUT", BUNDLE, &bundle);
    let slug = format!("tool{}", random.next());
    let tool = json!({
        "type": "http",
        "argSchema": {"type": "object"},
        "httpImpl": {"allowedHosts": ["a.test"], "request": {"urlTemplate": "https://a.test/"}},
    });
    let made = ask(store, random, now, "PUT", &format!("{BUNDLE}/tools/{slug}/version/1"), &tool);
    (made.status == 201).then_some(slug)
}

/// Chooses, where there is something to choose, what loses no tool.
fn settle(store: &MemoryStore, random: &mut Random, now: Timestamp) {
    let details = ask(store, random, now, "GET", "/local/toolsets/weather", &Value::Null);
    let details: Value = serde_json::from_slice(&details.body).unwrap_or_default();
    if let Some(package) = details["apart"][0]["package"].as_str() {
        let choice = if random.one_in(4) { "keep_both" } else { "put_together" };
        let path = format!("/local/toolsets/weather/apart/{package}");
        ask(store, random, now, "POST", &path, &json!({ "choice": choice }));
    }
}

fn ask(store: &MemoryStore, random: &mut Random, now: Timestamp, method: &str, path: &str, body: &Value) -> Response {
    let ids: Vec<String> = (0..64).map(|_| random.uuid(0xe)).collect();
    let next = std::cell::Cell::new(0);
    let fresh_id = || {
        next.set(next.get() + 1);
        ids[next.get() % ids.len()].clone()
    };
    let (surroundings, limits) = (Surroundings::default(), LocalApiLimits::default());
    let world =
        World { now, fresh_id: &fresh_id, surroundings: &surroundings, limits: &limits, tools: None, shelf: None };
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    at_once(answer(store, &world, Request { method: method.into(), path: path.into(), query: String::new(), body }))
}

/// Whether every toolset has its package, and every tool that was made is in one that is there.
pub(super) fn check(rows: &BTreeMap<RowRef, StoredRow>, made: &[String]) -> Result<(), String> {
    for (row, package) in active(rows) {
        let named = RowRef { table: Table::Packages, key: RowKey::one(&package) };
        if !rows.get(&named).is_some_and(StoredRow::is_alive) {
            return Err(format!("the package of {row} is lost"));
        }
    }
    let tools: BTreeSet<&str> = current(rows)
        .filter_map(|(_, stored)| stored.fields.get("manifest")?.get("tools")?.as_array())
        .flatten()
        .filter_map(|tool| tool["slug"].as_str())
        .collect();
    match made.iter().find(|tool| !tools.contains(tool.as_str())) {
        Some(lost) => Err(format!("the tool {lost} is lost")),
        None => Ok(()),
    }
}

/// How many packages are there beside those in use.
pub(super) fn apart(rows: &BTreeMap<RowRef, StoredRow>) -> usize {
    let used: BTreeSet<String> = active(rows).map(|(_, package)| package).collect();
    current(rows).filter(|(row, _)| !used.contains(&row.key.to_string())).count()
}

/// The packages that no other has taken the place of.
fn current(rows: &BTreeMap<RowRef, StoredRow>) -> impl Iterator<Item = (&RowRef, &StoredRow)> {
    let packages = rows.iter().filter(|(row, _)| row.table == Table::Packages);
    packages.filter(|(_, stored)| stored.fields.get("standing").is_some_and(|standing| standing == "current"))
}

fn active(rows: &BTreeMap<RowRef, StoredRow>) -> impl Iterator<Item = (&RowRef, String)> {
    let toolsets = rows.iter().filter(|(row, stored)| row.table == Table::Toolsets && stored.is_alive());
    toolsets.filter_map(|(row, stored)| Some((row, stored.fields.get("package")?.as_str()?.to_owned())))
}
