//! The reference by which saved toolsets know a tool of an MCP server (C13, R152): that of hypertool-mcp, so that either reads the other's.

use serde_json::{Map, Value};

use crate::digest::BlobId;

/// How a reference begins where it is stored.
const PREFIX: &str = "sha256:";

/// The reference of a tool, from the object that its server sent: the hash of name, server and schemas, in this order, and inside them in
/// the order in which they were received. The description is no part of it; that is what pins are for (C14).
#[must_use]
pub fn ref_id(server_name: &str, received: &Value) -> String {
    let mut hashed = Map::new();
    let mut put = |key: &str, value: Option<&Value>| {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            hashed.insert(key.to_owned(), value.clone());
        }
    };
    put("name", received.get("name"));
    put("serverName", Some(&server_name.into()));
    for key in ["inputSchema", "outputSchema", "annotations"] {
        put(key, received.get(key));
    }
    format!("{PREFIX}{}", BlobId::of(Value::Object(hashed).to_string().as_bytes()))
}

/// Whether two references are of the same tool; one may be written without its beginning.
#[must_use]
pub fn same_reference(one: &str, other: &str) -> bool {
    let bare = |text: &'_ str| text.strip_prefix(PREFIX).unwrap_or(text).to_ascii_lowercase();
    bare(one) == bare(other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(text: &str) -> Value {
        serde_json::from_str(text).expect("is JSON")
    }

    /// C13, R152: the hash is that of the text hypertool-mcp makes.
    #[test]
    fn the_hash_is_over_the_text_in_received_order() {
        let received = tool(
            r#"{"description":"Reads","inputSchema":{"type":"object","properties":{"z":{},"a":{}}},"name":"read"}"#,
        );
        let text =
            r#"{"name":"read","serverName":"files","inputSchema":{"type":"object","properties":{"z":{},"a":{}}}}"#;
        assert_eq!(ref_id("files", &received), format!("sha256:{}", BlobId::of(text.as_bytes())));
        let full = tool(
            r#"{"name":"read","annotations":{"readOnlyHint":true},"outputSchema":{"type":"object"},"inputSchema":{}}"#,
        );
        let text = r#"{"name":"read","serverName":"files","inputSchema":{},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#;
        assert_eq!(ref_id("files", &full), format!("sha256:{}", BlobId::of(text.as_bytes())));
    }

    /// R152: it changes with name, server and schema, and with nothing else.
    #[test]
    fn it_changes_with_what_a_caller_depends_on() {
        let base = json!({"name": "read", "description": "Reads", "inputSchema": {"type": "object"}});
        let same = ref_id("files", &base);
        let mut other = base.clone();
        other["description"] = "Reads and sends it away".into();
        assert_eq!(ref_id("files", &other), same);
        assert_ne!(ref_id("disk", &base), same);
        for (key, value) in [("name", json!("write")), ("inputSchema", json!({"type": "object", "required": []}))] {
            let mut other = base.clone();
            other[key] = value;
            assert_ne!(ref_id("files", &other), same, "{key}");
        }
    }

    #[test]
    fn the_beginning_may_be_left_out() {
        assert!(same_reference("sha256:ab", "AB") && !same_reference("sha256:ab", "sha256:ac"));
    }
}
