//! What is told of saved toolsets, in the words of hypertool-mcp (FORMATS): the same to a screen, a model and another program.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{ContextShare, DiscoveredTool, Discovery, Resolution, Shelf, Staleness, budget_warning};
use crate::record::{SavedToolset, ToolReference};

/// What is known of one saved toolset.
#[must_use]
pub fn toolset_info(toolset: &SavedToolset, shelf: &Shelf, discovery: &Discovery) -> Value {
    let resolution = Resolution::of(toolset, discovery);
    let staleness = Staleness::of(toolset.allow_stale_refs);
    let mut servers: BTreeMap<String, usize> = BTreeMap::new();
    let tool = |reference: &ToolReference| {
        let found = discovery.resolve_tool_reference(reference, staleness);
        let active = found.tool.as_ref().is_some_and(|tool| tool.unavailable.is_none());
        let problem = found.errors.first().map(|error| format!("SECURITY: {error}")).or_else(|| match &found.tool {
            None => Some("Tool not found".to_owned()),
            Some(tool) => tool.unavailable.clone(),
        });
        json!({
            "namespacedName": reference.namespaced_name(),
            "refId": reference.ref_id(),
            "server": found.server_name,
            "active": active,
            "problem": problem,
            "context": found.tool.as_ref().map(|tool| ContextShare::of(tool.tokens, discovery.tokens())),
        })
    };
    let tools: Vec<Value> = toolset.tools.iter().map(tool).collect();
    for tool in &resolution.tools {
        *servers.entry(tool.server_name.clone()).or_default() += 1;
    }
    let is_enabled = |server: &str| {
        let usable = |tool: &&DiscoveredTool| tool.server_name == server && tool.unavailable.is_none();
        resolution.tools.iter().any(|tool| usable(&tool))
    };
    let listed: Vec<Value> = (servers.iter())
        .map(|(name, count)| json!({"name": name, "enabled": is_enabled(name), "toolCount": count}))
        .collect();
    let tokens = resolution.tokens();
    json!({
        "name": toolset.name,
        "description": toolset.description,
        "version": toolset.version,
        "createdAt": toolset.created_at,
        "lastModified": toolset.modified_at,
        "toolCount": toolset.tools.len(),
        "active": shelf.equipped.as_deref() == Some(&toolset.name),
        "location": "satchel",
        "totalServers": servers.len(),
        "enabledServers": servers.keys().filter(|server| is_enabled(server)).count(),
        "totalTools": resolution.tools.len(),
        "servers": listed,
        "tools": tools,
        "toolNotes": notes(toolset),
        "allowStaleRefs": toolset.allow_stale_refs,
        "context": ContextShare::of(tokens, discovery.tokens()),
        "warnings": resolution.warnings.into_iter().chain(resolution.errors).chain(budget_warning(tokens, None)).collect::<Vec<_>>(),
    })
}

fn notes(toolset: &SavedToolset) -> Vec<Value> {
    let reference = |tool: &ToolReference| json!({"namespacedName": tool.namespaced_name(), "refId": tool.ref_id()});
    toolset.notes.iter().map(|one| json!({"toolRef": reference(&one.tool), "notes": one.notes})).collect()
}

/// Everything that can be chosen, by server or toolset (R141).
#[must_use]
pub fn available_answer(discovery: &Discovery) -> Value {
    let total = discovery.tokens();
    let server = |(name, tools): (&str, Vec<&DiscoveredTool>)| {
        let tokens = tools.iter().map(|tool| tool.tokens).sum();
        let tools: Vec<Value> = (tools.iter())
            .map(|tool| {
                let mut told = brief(tool, total);
                told.insert("refId".to_owned(), tool.ref_id.clone().into());
                told.insert("toolId".to_owned(), tool.id.to_string().into());
                told.extend(tool.unavailable.clone().map(|reason| ("unavailable".to_owned(), reason.into())));
                Value::Object(told)
            })
            .collect();
        json!({"serverName": name, "toolCount": tools.len(), "context": ContextShare::of(tokens, total), "tools": tools})
    };
    let servers: Vec<Value> = discovery.by_server().into_iter().map(server).collect();
    json!({
        "summary": {"totalTools": discovery.choosable().count(), "totalServers": servers.len()},
        "meta": {"totalPossibleContext": total},
        "toolsByServer": servers,
    })
}

/// What is equipped, and how each of its tools is doing (R140).
#[must_use]
pub fn active_answer(shelf: &Shelf, discovery: &Discovery) -> Value {
    let groups = discovery.by_server();
    let is_up = |tools: &[&DiscoveredTool]| tools.iter().any(|tool| tool.unavailable.is_none());
    let up = groups.iter().filter(|(_, tools)| is_up(tools)).count();
    let away: Vec<Value> = (groups.iter())
        .filter(|(_, tools)| !is_up(tools))
        .map(|(name, tools)| json!({"name": name, "reason": tools.iter().find_map(|tool| tool.unavailable.as_deref())}))
        .collect();
    let resolution = shelf.resolve_equipped(discovery).unwrap_or_default();
    let usable: Vec<&DiscoveredTool> = resolution.tools.iter().filter(|tool| tool.unavailable.is_none()).collect();
    let mut exposed: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    let tokens: u64 = usable.iter().map(|tool| tool.tokens).sum();
    for tool in &usable {
        exposed.entry(&tool.server_name).or_default().push(Value::Object(brief(tool, tokens)));
    }
    let toolset = shelf.equipped.as_deref().and_then(|name| shelf.toolsets.get(name));
    let unusable = resolution.tools.iter().filter_map(|tool| {
        let reason = tool.unavailable.as_ref()?;
        Some(format!("{} cannot be used now: {reason}", tool.namespaced_name))
    });
    let warnings: Vec<String> = resolution
        .warnings
        .iter()
        .chain(&resolution.errors)
        .cloned()
        .chain(unusable)
        .chain(budget_warning(tokens, None))
        .collect();
    json!({
        "equipped": shelf.equipped.is_some(),
        "toolset": toolset.map(|toolset| toolset_info(toolset, shelf, discovery)),
        "serverStatus": {
            "totalConfigured": groups.len(), "enabled": groups.len(), "available": up,
            "unavailable": groups.len() - up, "disabled": 0,
        },
        "toolSummary": {
            "currentlyExposed": usable.len(), "totalDiscovered": discovery.tools().len(),
            "filteredOut": discovery.tools().len() - usable.len(),
        },
        "exposedTools": exposed,
        "unavailableServers": away,
        "warnings": warnings,
        "context": ContextShare::of(tokens, discovery.tokens()),
    })
}

fn brief(tool: &DiscoveredTool, total: u64) -> Map<String, Value> {
    let told = json!({
        "name": tool.name,
        "description": tool.description,
        "namespacedName": tool.namespaced_name,
        "serverName": tool.server_name,
        "context": ContextShare::of(tool.tokens, total),
    });
    match told {
        Value::Object(told) => told,
        _ => Map::new(),
    }
}
