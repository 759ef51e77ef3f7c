//! Saved toolsets, over tools that are given, and over a device.

mod consistency;
mod files;
mod operations;
mod over_a_device;
mod publishing;

use serde_json::{Value, json};

use super::{Discovery, Namespace, NewlyFound};
use crate::catalog::ToolId;
use crate::record::ToolReference;
use crate::time::Timestamp;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

/// A tool of a server that is a toolset by itself.
fn found(server: &str, tool: &str, schema: Value) -> NewlyFound {
    NewlyFound {
        id: ToolId::parse(&format!("mcp:{server}~{server}:{tool}")).expect("is a tool id"),
        namespace: Namespace::Server(server.into(), server.into()),
        received: json!({"name": tool, "inputSchema": schema}),
        description: format!("Does {tool}"),
        unavailable: None,
    }
}

fn object() -> Value {
    json!({"type": "object"})
}

fn changed() -> Value {
    json!({"type": "object", "required": ["path"]})
}

fn git_and_docker() -> Discovery {
    Discovery::of(vec![
        found("git", "status", object()),
        found("git", "commit", object()),
        found("docker", "ps", object()),
    ])
}

/// A reference by both names, as the tool is in a discovery.
fn both(discovery: &Discovery, name: &str) -> ToolReference {
    let tool = discovery.tools().iter().find(|tool| tool.namespaced_name == name).expect("is there");
    ToolReference::new(Some(name.into()), Some(tool.ref_id.clone())).expect("names a tool")
}

fn by_name(name: &str) -> ToolReference {
    ToolReference::new(Some(name.into()), None).expect("names a tool")
}
