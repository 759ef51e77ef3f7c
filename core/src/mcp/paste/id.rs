//! The id a server gets: its name as far as an id can spell it, and another where that is taken.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Renamed;
use crate::catalog::{ServerId, ToolsetId};

/// A free id for a server of this name.
pub(super) fn free(name: &str, taken: &BTreeSet<String>) -> (ServerId, Option<Renamed>) {
    let plain = spelled(name);
    // A standalone server's toolset has the same id, so that it has to be a name for both (C10).
    let usable = |id: &str| ToolsetId::parse(id).is_ok() && !taken.contains(id);
    let numbered = (2_usize..).map(|number| format!("{plain}-{number}"));
    let id = std::iter::once(plain.clone()).chain(numbered).find(|id| usable(id)).expect("numbers do not end");
    let renamed = match (id == name, id == plain) {
        (true, _) => None,
        (false, true) => Some(Renamed::Spelling),
        (false, false) => Some(Renamed::Taken),
    };
    (ServerId::parse(id).expect("what a toolset can be called, a server can"), renamed)
}

/// A name for a server that is written without one.
pub(super) fn of_config(config: &Value) -> String {
    let text = |key: &str| config.get(key).and_then(Value::as_str);
    if let Some(url) = ["url", "serverUrl", "httpUrl"].into_iter().find_map(text) {
        let host = url.split_once("://").map_or(url, |(_, rest)| rest);
        return host.split(['/', ':', '?', '#']).next().unwrap_or_default().to_owned();
    }
    let args = config.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let words: Vec<&str> = text("command").into_iter().chain(args).collect();
    // `npx -y some-package`: what is run says more than what runs it.
    let said = words.iter().skip(1).find(|word| !word.starts_with('-')).or(words.first());
    let said = said.copied().unwrap_or_default();
    said.rsplit(['/', '\\']).next().unwrap_or_default().split('@').next().unwrap_or_default().to_owned()
}

fn spelled(name: &str) -> String {
    let mut id = String::new();
    for char in name.chars() {
        let char = if char.is_ascii_alphanumeric() || char == '_' { char } else { '-' };
        // Two underscores separate the parts of a wire name; two hyphens only look bad.
        if !(matches!(char, '-' | '_') && id.ends_with(['-', '_'])) {
            id.push(char);
        }
    }
    let id = id.trim_matches(['-', '_']);
    let id = if id.starts_with(|first: char| first.is_ascii_alphabetic()) {
        id.to_owned()
    } else {
        format!("server-{id}").trim_end_matches('-').to_owned()
    };
    // Room for a number behind it.
    id.chars().take(56).collect::<String>().trim_end_matches(['-', '_']).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// R318: a name that is taken is offered another one.
    #[test]
    fn ids_are_free_and_spelled_well() {
        let taken = BTreeSet::from(["github".to_owned(), "github-2".to_owned()]);
        let check = |name: &str, expected: &str, renamed| {
            assert_eq!(free(name, &taken), (ServerId::parse(expected).expect("is an id"), renamed), "{name}");
        };
        check("memory", "memory", None);
        check("github", "github-3", Some(Renamed::Taken));
        check("My Server (new)", "My-Server-new", Some(Renamed::Spelling));
        check("a__b", "a_b", Some(Renamed::Spelling));
        check("7zip", "server-7zip", Some(Renamed::Spelling));
        check("", "server", Some(Renamed::Spelling));
        check("mcp", "mcp-2", Some(Renamed::Taken));
        check(&"x".repeat(200), &"x".repeat(56), Some(Renamed::Spelling));
    }

    #[test]
    fn a_server_without_a_name_gets_one_by_what_it_is() {
        let check = |config: Value, expected: &str| assert_eq!(of_config(&config), expected);
        check(json!({"url": "https://mcp.example.com:8080/mcp"}), "mcp.example.com");
        check(json!({"command": "npx", "args": ["-y", "@scope/server-memory@1.0"]}), "server-memory");
        check(json!({"command": "/usr/bin/server"}), "server");
    }
}
