//! The definition of a tool of an MCP server, as approvals and pins know it: its whole object and the identity of its server (C14).

use serde_json::Value;

use super::SeenTool;
use crate::approval::Definition;
use crate::bundle::canonical_json;
use crate::digest::BlobId;
use crate::protocol::McpIdentity;

/// Who gives the tools of a server: its name for itself, and where it is. Its version is no part of it: every tool says itself what it is.
#[must_use]
pub fn server_identity(identity: Option<&McpIdentity>, config: &Value) -> String {
    let name = identity.map_or("", |identity| identity.name.as_str());
    let mut reached = config.clone();
    if let Value::Object(members) = &mut reached {
        // Variables and headers are credentials more often than not; which server it is, they do not say.
        members.retain(|key, _| matches!(key.as_str(), "command" | "args" | "cwd" | "url"));
    }
    format!("{name} {}", canonical_json(&reached))
}

/// The name of a whole tool with the identity of its server. The order of keys means nothing in JSON and is no part of it.
pub(super) fn definition_hash(received: &Value, identity: &str) -> BlobId {
    BlobId::of(format!("satchel mcp tool 1\n{identity}\n{}", canonical_json(received)).as_bytes())
}

impl SeenTool {
    /// Its definition, as approvals and pins know it.
    #[must_use]
    pub fn definition(&self) -> Definition {
        Definition {
            value: self.received.clone(),
            identity: self.identity.clone(),
            hash: definition_hash(&self.received, &self.identity),
        }
    }
}
