//! `satchel mcp list | approve | revoke`: what the operator sees and decides (C39).
//!
//! What is shown comes from bundles and pages, so it is shown whole and with its control characters written out: nothing in it can hide
//! a part of itself, or anything else, on a terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use satchel_core::protocol::McpDefinition;

use super::{Fingerprint, OperatorServers};
use crate::database::{Database, DatabaseError};

/// Why a command of the operator was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum McpCommandError {
    /// It is no fingerprint.
    #[error("a fingerprint has 64 characters, 0 to 9 and a to f; the app shows it, and `satchel mcp list` does")]
    NotAFingerprint,
    /// Nobody has published it.
    #[error("nothing with this fingerprint is published; `satchel mcp list` shows what is")]
    NotPublished,
    /// It was not approved.
    #[error("nothing with this fingerprint was approved here; what the operator's file approves is withdrawn there")]
    NotApproved,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Every command that is published, approved or in the operator's file, and how it stands. Of the file it is shown what accounts see: keys need
/// not be on a terminal.
pub async fn list(database: &Database, operator: &OperatorServers) -> Result<String, McpCommandError> {
    let approvals = database.mcp_approvals().await?;
    let mut commands: BTreeMap<Fingerprint, Listed> = BTreeMap::new();
    let mut entry = |definition: &McpDefinition, add: &dyn Fn(&mut Listed)| {
        // One that was published with the values of the file written out is still the file's.
        let definition = operator.find(definition).map_or(definition, |server| &server.shown);
        if let Some(fingerprint) = Fingerprint::of(definition) {
            add(commands.entry(fingerprint).or_insert_with(|| Listed::new(definition)));
        }
    };
    for server in operator.servers() {
        entry(&server.shown, &|listed| listed.in_file.push(server.name.clone()));
    }
    for published in database.mcp_servers().await? {
        entry(&published.definition, &|listed| listed.keys.push(published.key.to_string()));
    }
    for (_, definition) in database.mcp_approved().await? {
        entry(&definition, &|_| {});
    }
    let mut text = String::new();
    for (fingerprint, Listed { definition, keys, in_file }) in &commands {
        let standing = match (in_file.as_slice(), approvals.contains(fingerprint)) {
            ([], true) => "approved".to_owned(),
            ([], false) => "not approved".to_owned(),
            (names, _) => format!("approved by the operator's file as {names:?}"),
        };
        let keys = if keys.is_empty() { "published by nobody".to_owned() } else { keys.join(", ") };
        put(&mut text, format_args!("{fingerprint}  {standing}  ({keys})\n{}", described(definition)));
    }
    if text.is_empty() {
        text.push_str("no commands are published\n");
    }
    Ok(text)
}

/// A command in the list.
struct Listed {
    definition: McpDefinition,
    /// The keys that it is published under.
    keys: Vec<String>,
    /// What the operator's file calls it.
    in_file: Vec<String>,
}

impl Listed {
    fn new(definition: &McpDefinition) -> Self {
        Self { definition: definition.clone(), keys: Vec::new(), in_file: Vec::new() }
    }
}

/// Approves a command that somebody has published; what was approved.
pub async fn approve(database: &Database, fingerprint: &str) -> Result<String, McpCommandError> {
    let wanted = Fingerprint::parse(fingerprint.trim()).ok_or(McpCommandError::NotAFingerprint)?;
    let published = database.mcp_servers().await?;
    let found = published.into_iter().find(|server| Fingerprint::of(&server.definition).as_ref() == Some(&wanted));
    let definition = found.ok_or(McpCommandError::NotPublished)?.definition;
    database.approve_mcp(&definition).await?;
    Ok(format!("approved; a running server starts it within a second:\n{}", described(&definition)))
}

/// Takes an approval back.
pub async fn revoke(database: &Database, fingerprint: &str) -> Result<String, McpCommandError> {
    let fingerprint = Fingerprint::parse(fingerprint.trim()).ok_or(McpCommandError::NotAFingerprint)?;
    match database.revoke_mcp(&fingerprint).await? {
        true => Ok("approval withdrawn; a running server stops it within a few seconds\n".to_owned()),
        false => Err(McpCommandError::NotApproved),
    }
}

/// A command, one part to a line. Quotes show where each begins and ends.
fn described(definition: &McpDefinition) -> String {
    let McpDefinition::Command { command, args, env, cwd } = definition else { return String::new() };
    let mut text = String::new();
    put(&mut text, format_args!("  command   {command:?}\n"));
    for argument in args {
        put(&mut text, format_args!("  argument  {argument:?}\n"));
    }
    if let Some(cwd) = cwd {
        put(&mut text, format_args!("  folder    {cwd:?}\n"));
    }
    for (name, value) in env {
        put(&mut text, format_args!("  variable  {name:?} = {value:?}\n"));
    }
    if definition.texts().any(|text| text.contains("${")) {
        text.push_str(
            "  What is between ${ and } is filled in when it is started, from the account's secrets or from the operator's file.\n",
        );
    }
    text
}

fn put(text: &mut String, part: std::fmt::Arguments<'_>) {
    text.write_fmt(part).expect("a text takes everything");
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_core::protocol::parse_server_key;

    async fn database(folder: &tempfile::TempDir, definition: serde_json::Value) -> (Database, String) {
        let database = Database::open(&folder.path().join("satchel.db")).expect("opens");
        let account = database.first_account().await.expect("an account").id;
        let definition: McpDefinition = serde_json::from_value(definition).expect("reads");
        let key = parse_server_key("web~search").expect("a key");
        database.put_mcp_server(&account, &key, &definition, 10).await.expect("writes");
        let fingerprint = Fingerprint::of(&definition).expect("a command").to_string();
        (database, fingerprint)
    }

    /// C39
    #[tokio::test]
    async fn a_command_is_approved_and_taken_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let definition =
            serde_json::json!({"command": "npx", "args": ["a b", ""], "env": {"K": "${K}"}, "cwd": "/srv"});
        let (database, fingerprint) = database(&folder, definition).await;
        let operator = OperatorServers::default();
        let before = list(&database, &operator).await.expect("lists");
        assert!(
            before.starts_with(&format!("{fingerprint}  not approved  (web~search)\n  command   \"npx\"\n")),
            "{before}"
        );
        assert!(
            before.contains("argument  \"a b\"\n  argument  \"\"\n  folder    \"/srv\"\n  variable  \"K\" = \"${K}\""),
            "{before}"
        );

        let approved = approve(&database, &format!(" {fingerprint}\n")).await.expect("approves");
        assert!(approved.contains("command   \"npx\""), "{approved}");
        assert!(list(&database, &operator).await.expect("lists").contains("  approved  "));
        revoke(&database, &fingerprint).await.expect("takes back");
        assert!(matches!(revoke(&database, &fingerprint).await, Err(McpCommandError::NotApproved)));
        assert!(matches!(approve(&database, &"0".repeat(64)).await, Err(McpCommandError::NotPublished)));
        assert!(matches!(approve(&database, "npx").await, Err(McpCommandError::NotAFingerprint)));
    }

    /// C39, I8: the operator's file is listed whether or not anybody has published of it, and its keys are not shown.
    #[tokio::test]
    async fn the_operators_file_is_listed() {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = serde_json::json!({"command": "npx", "env": {"K": "s3cret"}});
        let (database, _) = database(&folder, whole.clone()).await;
        let more = serde_json::json!({"command": "uvx", "args": ["time"]});
        let file = serde_json::json!({"mcpServers": {"search": whole, "time": more, "web": {"url": "https://x.test"}}});
        let operator = OperatorServers::parse(&file.to_string()).expect("reads");
        let listed = list(&database, &operator).await.expect("lists");
        for expected in [
            "  approved by the operator's file as [\"search\"]  (web~search)\n",
            "  approved by the operator's file as [\"time\"]  (published by nobody)\n  command   \"uvx\"",
            "variable  \"K\" = \"${OPERATOR_SEARCH_K}\"",
        ] {
            assert!(listed.contains(expected), "{listed}");
        }
        assert!(!listed.contains("s3cret"), "{listed}");
    }

    #[tokio::test]
    async fn a_command_cannot_hide_on_a_terminal() {
        let folder = tempfile::tempdir().expect("a folder");
        let hidden = "x\u{1b}[2K\r\u{202e}harmless\n";
        let (database, _) =
            database(&folder, serde_json::json!({"command": "sh", "args": [hidden], "env": {"A": hidden}})).await;
        let shown = list(&database, &OperatorServers::default()).await.expect("lists");
        assert!(!shown.contains(['\u{1b}', '\r', '\u{202e}']), "{shown:?}");
        assert_eq!(shown.lines().count(), 4, "{shown}");
    }
}
