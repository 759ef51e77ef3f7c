//! What an operator approves: one command with its arguments, its folder and its variables, known by a hash of all of it.
//!
//! Everything is taken as written, so `${VAR}` counts as these six characters: a secret may be changed without asking again, but a
//! variable that was a secret cannot become a fixed text.

use std::fmt;

use satchel_core::digest::BlobId;
use satchel_core::protocol::McpDefinition;
use serde_json::json;

/// What the hash begins with, so that it is of nothing else.
const BEGINNING: &[u8] = b"satchel mcp command 1\0";
/// Characters of a fingerprint.
const LENGTH: usize = 64;

/// The SHA-256 of a command, in lower-case hex.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// The fingerprint of a command; an address has none.
    #[must_use]
    pub fn of(definition: &McpDefinition) -> Option<Self> {
        let McpDefinition::Command { command, args, env, cwd } = definition else { return None };
        // JSON, because no two commands are written the same way in it; the variables are in the order of their names.
        let whole = json!({"command": command, "args": args, "cwd": cwd, "env": env}).to_string();
        Some(Self(BlobId::of(&[BEGINNING, whole.as_bytes()].concat()).to_string()))
    }

    /// Reads a fingerprint.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == LENGTH && text.bytes().all(hex)).then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(definition: serde_json::Value) -> Option<Fingerprint> {
        Fingerprint::of(&serde_json::from_value(definition).expect("a definition"))
    }

    /// C39, F17: a released program has approved commands by this, so it never changes.
    #[test]
    fn the_hash_is_this() {
        let known = of(json!({"command": "npx", "args": ["-y", "pkg"], "env": {"KEY": "${KEY}"}, "cwd": "/srv"}));
        insta::assert_snapshot!(known.expect("a command"), @"632e5b5bc2d0b8dce2f522e36b7ec97f18992119a982b0cd9d705059420b6187");
    }

    /// C39, F17
    #[test]
    fn whatever_changes_the_command_changes_the_fingerprint() {
        let base = json!({"command": "npx", "args": ["-y", "pkg"], "env": {"A": "1", "B": "${B}"}, "cwd": "/srv"});
        let fingerprint = of(base.clone()).expect("a command");
        let reordered = json!({"cwd": "/srv", "env": {"B": "${B}", "A": "1"}, "args": ["-y", "pkg"], "command": "npx"});
        assert_eq!(of(reordered), Some(fingerprint.clone()), "the order of keys says nothing");
        for (pointer, value) in [
            ("/command", json!("npx2")),
            ("/args", json!(["-y pkg"])),
            ("/args", json!(["pkg", "-y"])),
            ("/args", json!(["-y", "pkg", ""])),
            ("/args/1", json!("pkg2")),
            ("/env/A", json!("2")),
            ("/env/B", json!("the value of B")),
            ("/env", json!({"A": "1"})),
            ("/env", json!({"A": "1", "B": "${B}", "NODE_OPTIONS": "-r x"})),
            ("/cwd", json!("/srv/")),
            ("/cwd", json!(null)),
        ] {
            let mut changed = base.clone();
            *changed.pointer_mut(pointer).expect("is there") = value.clone();
            assert_ne!(of(changed), Some(fingerprint.clone()), "{pointer} {value}");
        }
        assert_eq!(of(json!({"url": "https://x/mcp"})), None);
    }

    #[test]
    fn only_a_hash_is_read() {
        let good = "0f".repeat(32);
        assert_eq!(Fingerprint::parse(&good).expect("reads").to_string(), good);
        for bad in ["", "0f", &"0F".repeat(32), &"0g".repeat(32), &"0f".repeat(33)] {
            assert_eq!(Fingerprint::parse(bad), None, "{bad}");
        }
    }
}
