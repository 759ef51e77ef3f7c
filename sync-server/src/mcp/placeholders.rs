//! `${VAR}` in a definition, and where its value comes from (C38).
//!
//! An account's secrets are for everything it publishes. The operator's own environment is only for what the operator has chosen too: a
//! command that was approved, or an entry of the operator's file. Otherwise an account could have it sent to an address of its choice.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use satchel_core::protocol::{McpDefinition, SecretName};

use crate::database::AccountId;
use crate::vault::{OpenError, Secret, Vault};

/// The variables of the server's environment that the operator lets MCP servers have.
#[derive(Clone, Debug, Default)]
pub struct PassedOn(HashMap<String, Secret>);

/// A definition with values in it. It does not show itself in logs.
pub(super) struct Filled {
    pub(super) definition: McpDefinition,
    /// What was filled in, by name.
    pub(super) values: BTreeMap<String, Secret>,
}

/// Why a definition cannot be filled in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unfilled {
    /// Nobody has entered it (R125).
    #[error("the variable {0} has no value; enter it in Settings, under Secrets and variables")]
    NoValue(String),
    /// It cannot be opened any more.
    #[error("the secret {0} is damaged in the server's vault; enter it again in Settings")]
    Damaged(String),
    /// It would let the account choose what runs.
    #[error("{0} may not be filled in from a variable, because it decides what is started; write it out")]
    Decides(String),
    /// The vault failed.
    #[error("the server could not read its vault; its log says why")]
    Failed,
}

impl PassedOn {
    /// Takes the values of the names that the operator lists; one that is not set stays without.
    #[must_use]
    pub fn new(names: &[String], environment: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &String| Some((name.clone(), Secret::new(environment(name)?)));
        Self(names.iter().filter_map(value).collect())
    }

    /// Whether a variable is passed on and has a value.
    #[must_use]
    pub fn has(&self, name: &SecretName) -> bool {
        self.0.contains_key(name.as_str())
    }
}

impl fmt::Debug for Filled {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Filled").field("values", &self.values.keys()).finish_non_exhaustive()
    }
}

impl Filled {
    /// Fills a definition in. `passed_on` is the operator's part, where it may be used.
    pub(super) async fn new(
        definition: &McpDefinition,
        vault: &Vault,
        account: &AccountId,
        passed_on: Option<&PassedOn>,
    ) -> Result<Self, Unfilled> {
        check(definition)?;
        let mut values = BTreeMap::new();
        for name in mentioned(definition) {
            if values.contains_key(name.as_str()) {
                continue;
            }
            let kept = vault.get(account, &name).await.map_err(|error| match error {
                OpenError::Damaged => Unfilled::Damaged(name.to_string()),
                OpenError::Database(error) => {
                    tracing::error!(%error, "cannot read a secret for an MCP server");
                    Unfilled::Failed
                }
            })?;
            let value = kept.or_else(|| passed_on?.0.get(name.as_str()).cloned());
            values.insert(name.to_string(), value.ok_or_else(|| Unfilled::NoValue(name.to_string()))?);
        }
        let fill = |text: &str| fill(text, &values);
        let fill_all =
            |map: &BTreeMap<String, String>| map.iter().map(|(name, text)| (name.clone(), fill(text))).collect();
        let definition = match definition {
            McpDefinition::Command { command, args, env, cwd } => McpDefinition::Command {
                command: command.clone(),
                args: args.iter().map(|text| fill(text)).collect(),
                env: fill_all(env),
                cwd: cwd.clone(),
            },
            McpDefinition::Url { url, transport, headers } => {
                McpDefinition::Url { url: fill(url), transport: *transport, headers: fill_all(headers) }
            }
        };
        Ok(Self { definition, values })
    }

    /// The same, where some of what the definition has written out is nobody's to read either; by the names that stand for it.
    pub(super) fn hiding<'a>(mut self, written: impl IntoIterator<Item = &'a (SecretName, Secret)>) -> Self {
        for (name, value) in written {
            let value = Secret::new(fill(value.reveal(), &self.values));
            self.values.insert(name.to_string(), value);
        }
        self
    }

    /// A text in which none of the values is to be read.
    pub(super) fn redact(&self, text: String) -> String {
        // What is shorter is in every text. The longest go first, because one may be a part of another.
        let mut long: Vec<_> = self.values.iter().filter(|(_, value)| value.reveal().len() >= 4).collect();
        long.sort_by_key(|(_, value)| std::cmp::Reverse(value.reveal().len()));
        long.into_iter().fold(text, |text, (name, value)| text.replace(value.reveal(), &format!("${{{name}}}")))
    }
}

/// The variables that a definition names, as often as it does.
pub(super) fn mentioned(definition: &McpDefinition) -> impl Iterator<Item = SecretName> {
    definition.texts().flat_map(names)
}

/// The variables whose values decide what a program loads or starts. An approval is for what was written, so none of these may come
/// from the account.
fn decides(variable: &str) -> bool {
    const BEGINNINGS: [&str; 5] = ["LD_", "DYLD_", "GIT_", "NPM_CONFIG_", "UV_"];
    const NAMES: [&str; 22] = [
        "PATH",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PYTHONPATH",
        "PYTHONHOME",
        "PYTHONSTARTUP",
        "PYTHONINSPECT",
        "BASH_ENV",
        "ENV",
        "SHELL",
        "SHELLOPTS",
        "IFS",
        "PERL5OPT",
        "PERL5LIB",
        "RUBYOPT",
        "RUBYLIB",
        "JAVA_TOOL_OPTIONS",
        "_JAVA_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "CLASSPATH",
        "HOME",
        "COMSPEC",
    ];
    let upper = variable.to_ascii_uppercase();
    NAMES.contains(&upper.as_str()) || BEGINNINGS.iter().any(|beginning| upper.starts_with(beginning))
}

fn check(definition: &McpDefinition) -> Result<(), Unfilled> {
    let McpDefinition::Command { command, env, cwd, .. } = definition else { return Ok(()) };
    let has_placeholder = |text: &str| names(text).next().is_some();
    if has_placeholder(command) {
        return Err(Unfilled::Decides("the command".to_owned()));
    }
    if cwd.as_deref().is_some_and(has_placeholder) {
        return Err(Unfilled::Decides("the folder".to_owned()));
    }
    match env.iter().find(|(name, text)| decides(name) && has_placeholder(text)) {
        Some((name, _)) => Err(Unfilled::Decides(format!("the variable {name}"))),
        None => Ok(()),
    }
}

/// The names that a text has placeholders for.
fn names(text: &str) -> impl Iterator<Item = SecretName> {
    pieces(text).filter_map(|piece| match piece {
        Piece::Placeholder(name) => Some(name),
        Piece::Text(_) => None,
    })
}

fn fill(text: &str, values: &BTreeMap<String, Secret>) -> String {
    pieces(text)
        .map(|piece| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Placeholder(name) => {
                values.get(name.as_str()).map_or_else(String::new, |value| value.reveal().to_owned())
            }
        })
        .collect()
}

enum Piece<'a> {
    Text(&'a str),
    Placeholder(SecretName),
}

/// Divides a text at its placeholders. What is between `${` and `}` and cannot be a name is text.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let found = rest.match_indices("${").find_map(|(start, _)| {
            let length = rest[start + 2..].find('}')?;
            let name = SecretName::parse(&rest[start + 2..start + 2 + length]).ok()?;
            Some((start, start + 3 + length, name))
        });
        match found {
            Some((0, end, name)) => {
                rest = &rest[end..];
                Some(Piece::Placeholder(name))
            }
            Some((start, _, _)) => {
                let (text, after) = rest.split_at(start);
                rest = after;
                Some(Piece::Text(text))
            }
            None => Some(Piece::Text(std::mem::take(&mut rest))),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_in_and_nothing_else() {
        let values: BTreeMap<_, _> =
            [("A", "1"), ("B_2", "${A}")].map(|(name, value)| (name.to_owned(), Secret::new(value.to_owned()))).into();
        let check = |text: &str, expected: &str| assert_eq!(fill(text, &values), expected, "{text}");
        check("", "");
        check("plain", "plain");
        check("${A}", "1");
        check("x${A}y${B_2}z", "x1y${A}z");
        check("${a b} ${} $A ${A", "${a b} ${} $A ${A");
        check("${a ${A}", "${a 1");
        check("ä${A}ö", "ä1ö");
    }

    /// C39: what an approval is for cannot be changed through a secret.
    #[test]
    fn what_decides_what_runs_is_written_out() {
        let check = |definition: serde_json::Value, expected: Option<&str>| {
            let definition: McpDefinition = serde_json::from_value(definition).expect("a definition");
            let refused = check(&definition).err().map(|error| error.to_string());
            match (refused, expected) {
                (None, None) => {}
                (Some(refused), Some(expected)) => assert!(refused.starts_with(expected), "{refused}"),
                (refused, _) => panic!("{refused:?} for {definition:?}"),
            }
        };
        check(serde_json::json!({"command": "x", "args": ["${A}"], "env": {"KEY": "${A}", "PATH": "/bin"}}), None);
        check(serde_json::json!({"command": "${A}"}), Some("the command"));
        check(serde_json::json!({"command": "x", "cwd": "/srv/${A}"}), Some("the folder"));
        for name in
            ["PATH", "Path", "LD_PRELOAD", "NODE_OPTIONS", "npm_config_registry", "PYTHONPATH", "GIT_SSH_COMMAND"]
        {
            check(serde_json::json!({"command": "x", "env": {name: "a${A}"}}), Some("the variable"));
        }
    }
}
