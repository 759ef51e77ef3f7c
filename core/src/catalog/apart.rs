//! What two devices made of one toolset while they were apart: how it differs, and both put together.
//!
//! A toolset names one active package, and of two devices that changed it the later one counts (`core/src/sync/merge.rs`). The other's package
//! is kept beside it, and nobody has said of it that it was replaced; the user is shown both, and chooses. Nothing here knows
//! what the package was before: what only one of both has may be new there, or removed here, so putting together keeps it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::bundle::MANIFEST_FILE;
use crate::digest::BlobId;

/// How another package differs from the active one, by the names of what is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Only in the other.
    pub only_there: Vec<String>,
    /// Only in the active one.
    pub only_here: Vec<String>,
    /// In both, and not the same.
    pub changed: Vec<String>,
}

/// The lists of a manifest, and what tells their items apart.
const LISTS: [(&str, &str); 4] =
    [("tools", "id"), ("tool_overrides", "tool_id"), ("mcp_servers", "id"), ("secrets", "name")];

/// How the tools of another manifest differ.
#[must_use]
pub fn tools_differ(active: &Value, other: &Value) -> Differences {
    let of = |manifest: &Value| -> BTreeMap<String, Value> {
        items(manifest, "tools").iter().map(|tool| (title(tool), without_id(tool))).collect()
    };
    differ(&of(active), &of(other))
}

/// How the files of another package differ; the manifest is none of them.
#[must_use]
pub fn files_differ(active: &BTreeMap<String, BlobId>, other: &BTreeMap<String, BlobId>) -> Differences {
    let mut found = differ(active, other);
    for names in [&mut found.only_there, &mut found.only_here, &mut found.changed] {
        names.retain(|name| name != MANIFEST_FILE);
    }
    found
}

fn differ<T: PartialEq>(active: &BTreeMap<String, T>, other: &BTreeMap<String, T>) -> Differences {
    let lacks = |one: &BTreeMap<String, T>, two: &BTreeMap<String, T>| {
        one.keys().filter(|name| !two.contains_key(*name)).cloned().collect()
    };
    let changed = active.iter().filter(|(name, here)| other.get(*name).is_some_and(|there| there != *here));
    Differences {
        only_there: lacks(other, active),
        only_here: lacks(active, other),
        changed: changed.map(|(name, _)| name.clone()).collect(),
    }
}

/// Both manifests as one: everything of the active one, and what only the other has. Where both have a thing of one name, the active one's
/// stays.
#[must_use]
pub fn put_together(active: &Value, other: &Value) -> Value {
    let mut whole = active.as_object().cloned().unwrap_or_default();
    for (key, value) in other.as_object().into_iter().flatten() {
        whole.entry(key.clone()).or_insert_with(|| value.clone());
    }
    for (list, name) in LISTS {
        let mut joined = items(active, list).to_vec();
        for item in items(other, list) {
            let known = joined.iter().find(|known| named(known, name) == named(item, name));
            match known {
                None => joined.push(item.clone()),
                // Both devices gave one id to two tools.
                Some(known) if list == "tools" && title(known) != title(item) => {
                    if joined.iter().all(|known| title(known) != title(item)) {
                        let renamed = with_free_id(item, &joined);
                        joined.push(renamed);
                    }
                }
                Some(_) => {}
            }
        }
        set(&mut whole, list, joined);
    }
    let packages = strings(items(active, "python_packages"), items(other, "python_packages"));
    set(&mut whole, "python_packages", packages);
    let hosts =
        |manifest: &Value| manifest.get("network").map(|network| items(network, "hosts").to_vec()).unwrap_or_default();
    let hosts = strings(&hosts(active), &hosts(other));
    if let Some(Value::Object(network)) = whole.get_mut("network") {
        set(network, "hosts", hosts);
    }
    Value::Object(whole)
}

/// What a tool is called by people: a tool that was made in the app by its slug and version, any other by its id.
fn title(tool: &Value) -> String {
    match (text(tool, "slug"), text(tool, "version")) {
        (Some(slug), Some(version)) => format!("{slug} {version}"),
        _ => text(tool, "id").unwrap_or_default().to_owned(),
    }
}

fn without_id(tool: &Value) -> Value {
    let mut tool = tool.as_object().cloned().unwrap_or_default();
    if tool.contains_key("slug") {
        tool.shift_remove("id");
    }
    Value::Object(tool)
}

fn with_free_id(tool: &Value, others: &[Value]) -> Value {
    let taken: BTreeSet<&str> = others.iter().filter_map(|other| text(other, "id")).collect();
    let id = text(tool, "id").unwrap_or_default();
    let free = (2..).map(|number| format!("{id}-{number}")).find(|free| !taken.contains(free.as_str()));
    let mut tool = tool.as_object().cloned().unwrap_or_default();
    tool.insert("id".into(), free.expect("numbers do not end").into());
    Value::Object(tool)
}

fn strings(active: &[Value], other: &[Value]) -> Vec<Value> {
    let mut joined = active.to_vec();
    joined.extend(other.iter().filter(|value| !active.contains(value)).cloned());
    joined
}

/// A list that is empty is left as it was, which may be not at all.
fn set(whole: &mut Map<String, Value>, list: &str, joined: Vec<Value>) {
    if !joined.is_empty() {
        whole.insert(list.to_owned(), Value::Array(joined));
    }
}

fn items<'v>(manifest: &'v Value, list: &str) -> &'v [Value] {
    manifest.get(list).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn named<'v>(item: &'v Value, name: &str) -> &'v str {
    text(item, name).unwrap_or_default()
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn both_put_together_have_what_either_has() {
        let here = json!({
            "id": "weather", "version": "1.0.2",
            "tools": [{"id": "rain", "a": 1}, {"id": "sun", "a": 1}],
            "network": {"hosts": ["a.test"]},
        });
        let there = json!({
            "id": "weather", "version": "1.0.1", "x-author": "me",
            "tools": [{"id": "rain", "a": 2}, {"id": "wind", "a": 1}],
            "secrets": [{"name": "KEY"}],
            "network": {"hosts": ["b.test", "a.test"]},
        });
        let differences = tools_differ(&here, &there);
        assert_eq!(differences.only_there, texts(&["wind"]));
        assert_eq!(differences.only_here, texts(&["sun"]));
        assert_eq!(differences.changed, texts(&["rain"]));
        assert_eq!(
            put_together(&here, &there),
            json!({
                "id": "weather", "version": "1.0.2", "x-author": "me",
                "tools": [{"id": "rain", "a": 1}, {"id": "sun", "a": 1}, {"id": "wind", "a": 1}],
                "secrets": [{"name": "KEY"}],
                "network": {"hosts": ["a.test", "b.test"]},
            })
        );
    }

    /// An id is given out by each device for itself; slug and version say which tool it is.
    #[test]
    fn one_id_for_two_tools_loses_neither() {
        let tool = |version: &str| json!({"id": "rain-2", "slug": "rain", "version": version});
        let manifest = |tools: &[Value]| json!({"tools": tools});
        let (here, there) = (manifest(&[tool("2")]), manifest(&[tool("3")]));
        let moved = json!({"id": "rain-2-2", "slug": "rain", "version": "3"});
        assert_eq!(put_together(&here, &there), manifest(&[tool("2"), moved.clone()]));
        assert_eq!(tools_differ(&here, &there).only_there, texts(&["rain 3"]));
        // What has come over under another id is the same tool.
        let both = manifest(&[tool("2"), moved]);
        assert_eq!(put_together(&both, &there), both);
        assert_eq!(
            tools_differ(&both, &there),
            Differences { only_here: texts(&["rain 2"]), ..Differences::default() }
        );
    }
}
