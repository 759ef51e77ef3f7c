//! The server's first answer: who it takes the app for, and what it can do for it.

use serde::{Deserialize, Serialize};

/// Answer of `GET /api/v1/policy`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Version of the server program.
    pub version: String,
    /// What this server can do; the app shows the rest as needing another server.
    pub capabilities: Vec<Capability>,
    /// The account the access token belongs to.
    pub account: AccountSummary,
    /// Ids of the toolsets that the operator does not allow (C48).
    #[serde(default)]
    pub disabled_toolsets: Vec<String>,
    /// Names of the account's secrets that have a value (C38).
    #[serde(default)]
    pub secrets: Vec<String>,
}

/// The account behind an access token, as the app may see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountSummary {
    /// Stable id, a UUID.
    pub id: String,
    /// The name the operator gave it.
    pub name: String,
}

/// One thing a server can do beyond serving the app.
///
/// An app that is older than its server meets names it does not know; they are kept as [`Capability::Unknown`] so that
/// the rest of the answer still reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Provider keys and streamed model traffic.
    Models,
    /// MCP servers, run or reached for the app.
    Mcp,
    /// HTTP tools through the server's outbound client.
    HttpTools,
    /// Requests of tools to hosts that let no page of another site read them.
    Fetch,
    /// Sealed sync between devices.
    Sync,
    /// Something a newer server can do.
    #[serde(other)]
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_on_the_wire() {
        let policy = Policy {
            version: "0.1.0".into(),
            capabilities: vec![Capability::Models, Capability::HttpTools, Capability::Fetch],
            account: AccountSummary { id: "0198c5a4-7c1e-7000-8000-000000000001".into(), name: "me".into() },
            disabled_toolsets: vec!["shell".into()],
            secrets: vec!["WEATHER_KEY".into()],
        };
        insta::assert_json_snapshot!(policy, @r#"
        {
          "version": "0.1.0",
          "capabilities": [
            "models",
            "http_tools",
            "fetch"
          ],
          "account": {
            "id": "0198c5a4-7c1e-7000-8000-000000000001",
            "name": "me"
          },
          "disabled_toolsets": [
            "shell"
          ],
          "secrets": [
            "WEATHER_KEY"
          ]
        }
        "#);
    }

    /// C48: a server that says nothing of toolsets allows them all.
    #[test]
    fn an_older_servers_policy_allows_every_toolset() {
        let read: Policy =
            serde_json::from_str(r#"{"version": "0.1.0", "capabilities": [], "account": {"id": "1", "name": "me"}}"#)
                .expect("reads");
        assert_eq!((read.disabled_toolsets.len(), read.secrets.len()), (0, 0));
    }

    #[test]
    fn a_newer_servers_capability_reads_as_unknown() {
        let read: Vec<Capability> = serde_json::from_str(r#"["sync","teleport"]"#).expect("reads");
        assert_eq!(read, [Capability::Sync, Capability::Unknown]);
    }
}
