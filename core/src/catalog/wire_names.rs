//! What tools are called towards a model, and the way back (C05, C06, C08).
//!
//! Providers allow letters, digits, `_` and `-`, 64 of them. A stored id has other marks and may be longer, so that its wire name is made
//! for one request, and that request's own map is what restores it. The name alone is only taken apart to say what it seems to mean.

use std::collections::{BTreeMap, BTreeSet};

use super::ToolId;
use crate::digest::BlobId;

/// How long a wire name may be.
const MOST: usize = 64;

/// The wire names of the tools of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireNames {
    tools: BTreeMap<String, ToolId>,
    names: BTreeMap<ToolId, String>,
}

/// What a name in a model's answer stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restored<'a> {
    /// A tool of the request.
    Offered(&'a ToolId),
    /// A name that is spelled like one of this tool, which the request did not have.
    NotOffered {
        /// The toolset.
        toolset: String,
        /// The tool.
        tool: String,
    },
    /// Nothing that is known.
    Unknown,
}

impl WireNames {
    /// Names tools, in the order in which they are offered: where two would be called the same, the first keeps the plain name.
    #[must_use]
    pub fn of(tools: impl IntoIterator<Item = ToolId>) -> Self {
        let mut made = Self::default();
        for tool in tools {
            if made.names.contains_key(&tool) {
                continue;
            }
            let plain =
                plain_names(&tool).into_iter().find(|name| name.len() <= MOST && !made.tools.contains_key(name));
            let name = plain.unwrap_or_else(|| made.hashed(&tool));
            made.tools.insert(name.clone(), tool.clone());
            made.names.insert(tool, name);
        }
        made
    }

    /// The name of a tool of the request.
    #[must_use]
    pub fn name(&self, tool: &ToolId) -> Option<&str> {
        self.names.get(tool).map(String::as_str)
    }

    /// What a name in the answer stands for. Small models leave out the beginning or change the case of letters; what can only be one
    /// tool of the request is taken for it.
    #[must_use]
    pub fn restore(&self, name: &str) -> Restored<'_> {
        let name = name.trim();
        let name = name.strip_prefix("functions.").unwrap_or(name);
        if let Some(tool) = self.tools.get(name).or_else(|| self.only(name)) {
            return Restored::Offered(tool);
        }
        let parts = name.strip_prefix("toolset__").and_then(|rest| rest.split_once("__"));
        match parts.filter(|(toolset, tool)| !toolset.is_empty() && !tool.is_empty()) {
            Some((toolset, tool)) => Restored::NotOffered { toolset: toolset.to_owned(), tool: tool.to_owned() },
            None => Restored::Unknown,
        }
    }

    fn only(&self, name: &str) -> Option<&ToolId> {
        let same = |(wire, tool): &(&String, &ToolId)| {
            wire.eq_ignore_ascii_case(name) || tool.name().eq_ignore_ascii_case(name) || tool.to_string() == name
        };
        let found: BTreeSet<&ToolId> = self.tools.iter().filter(same).map(|(_, tool)| tool).collect();
        if found.len() == 1 { found.into_iter().next() } else { None }
    }

    /// A readable beginning and a part of the hash of the stored id, more of it should even that be taken.
    fn hashed(&self, tool: &ToolId) -> String {
        let hash = BlobId::of(tool.to_string().as_bytes()).to_string();
        let plain = plain_names(tool).swap_remove(0);
        let with = |digits: &usize| format!("{}_{}", &plain[..plain.len().min(MOST - 1 - digits)], &hash[..*digits]);
        let free = [8, 16, 32].iter().map(with).find(|name| !self.tools.contains_key(name));
        free.expect("two ids do not share half of their hashes")
    }
}

/// The names a tool would like to have, the best first.
fn plain_names(tool: &ToolId) -> Vec<String> {
    let (toolset, server) = match tool {
        ToolId::BuiltIn(_) => ("builtin", None),
        ToolId::Toolset(toolset, _) => (toolset.as_str(), None),
        ToolId::Mcp(key, _) => (key.toolset.as_str(), Some(key.server.as_str())),
    };
    let name = legal(tool.name());
    let with_server = server.map(|server| format!("toolset__{toolset}__{server}__{name}"));
    [format!("toolset__{toolset}__{name}")].into_iter().chain(with_server).collect()
}

/// A name with nothing in it that a provider would refuse.
#[must_use]
pub fn legal(name: &str) -> String {
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-') { letter } else { '_' };
    name.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};

    use super::*;

    fn ids(ids: &[&str]) -> Vec<ToolId> {
        ids.iter().map(|id| ToolId::parse(id).expect("is a tool id")).collect()
    }

    fn check(tools: &[&str], expected: &[&str]) {
        let tools = ids(tools);
        let names = WireNames::of(tools.clone());
        assert_eq!(tools.iter().map(|tool| names.name(tool).expect("has one")).collect::<Vec<_>>(), expected);
        for tool in &tools {
            assert_eq!(names.restore(names.name(tool).expect("has one")), Restored::Offered(tool));
        }
    }

    /// R182, C05
    #[test]
    fn names_have_the_toolset_in_them() {
        check(
            &["write_file", "mine:count", "a:b__c"],
            &["toolset__builtin__write_file", "toolset__mine__count", "toolset__a__b__c"],
        );
    }

    /// R182, C06, C08: every tool keeps a name of its own, whatever it is called.
    #[test]
    fn names_that_cannot_be_had_are_made_others() {
        check(
            &[
                "mcp:a~one:search",
                "mcp:a~two:search",
                "mcp:a~two:list all/of.it",
                "mcp:a~two:list-all?of_it",
                "mcp:a~two:list all_of_it",
            ],
            &[
                "toolset__a__search",
                "toolset__a__two__search",
                "toolset__a__list_all_of_it",
                "toolset__a__list-all_of_it",
                "toolset__a__two__list_all_of_it",
            ],
        );
        check(
            &["mcp:a~one:x y", "mcp:a~one:x/y", "mcp:a~one:x.y"],
            &["toolset__a__x_y", "toolset__a__one__x_y", "toolset__a__x_y_bf2e71d7"],
        );
        let long = format!("mine:{}", "x".repeat(60));
        let names = WireNames::of(ids(&[&long]));
        let name = names.name(&ids(&[&long])[0]).expect("has one").to_owned();
        assert_eq!(name.len(), 64);
        assert!(name.starts_with("toolset__mine__xxx"), "{name}");
    }

    /// R182, R193: what a model makes of a name.
    #[test]
    fn names_find_their_way_back() {
        let tools = ids(&["write_file", "mine:count", "other:count", "other:sum"]);
        let names = WireNames::of(tools.clone());
        let check = |name: &str, expected: Restored<'_>| assert_eq!(names.restore(name), expected, "{name}");
        check(" toolset__mine__count ", Restored::Offered(&tools[1]));
        check("functions.toolset__mine__count", Restored::Offered(&tools[1]));
        check("Toolset__Mine__Count", Restored::Offered(&tools[1]));
        check("sum", Restored::Offered(&tools[3]));
        check("mine:count", Restored::Offered(&tools[1]));
        check("count", Restored::Unknown);
        check("", Restored::Unknown);
        let gone = Restored::NotOffered { toolset: "gone".into(), tool: "old__one".into() };
        check("toolset__gone__old__one", gone);
        check("toolset____x", Restored::Unknown);
    }

    proptest! {
        /// R182, C06: a legal name, another for every tool, and always the same for the same list.
        #[test]
        fn every_tool_has_a_legal_name_of_its_own(tools in prop::collection::btree_set("mcp:[ab]~[st]:.{1,70}", 0..12)) {
            let tools: Vec<ToolId> = tools.iter().filter_map(|id| ToolId::parse(id).ok()).collect();
            let names = WireNames::of(tools.clone());
            prop_assert_eq!(&names, &WireNames::of(tools.clone()));
            for tool in &tools {
                let name = names.name(tool).expect("every tool has one");
                let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
                prop_assert!((1..=64).contains(&name.len()) && name.bytes().all(legal), "{name}");
                prop_assert_eq!(names.restore(name), Restored::Offered(tool));
            }
        }
    }
}
