//! The tool that a call names, and who carries the call out.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{RunError, RunLimits, http};
use crate::builtin::{self, Builtin};
use crate::catalog::{EffectiveTool, InstalledToolset, Surroundings, ToolId, ToolsetId, own_name};
use crate::http_tool::{HttpCall, HttpFault};
use crate::ids::{ChatId, ToolCallId};
use crate::mcp::ServerCall;
use crate::python::{PythonCall, SessionKey};
use crate::record::{PackageId, ToolKind};
use crate::saved::Management;
use crate::store::Store;
use crate::workspace::Files;

/// The folder of a bundle in which wheels are.
const WHEELS: &str = "wheels/";

/// What is to be done, and who does it.
pub(super) enum Errand {
    /// Python in a cage.
    Python(Box<PythonCall>),
    /// A function that is compiled in.
    Builtin(&'static Builtin),
    /// An MCP server.
    Mcp(Box<ServerCall>),
    /// Saved toolsets are managed.
    Manage(Management),
    /// A host on the network.
    Http(Box<HttpCall>),
}

/// A name from outside, for a message.
fn shown(name: &str) -> String {
    name.chars().take(80).collect()
}

/// A toolset and the place of the named tool in it.
pub(super) struct Found {
    pub(super) installed: InstalledToolset,
    at: usize,
}

impl Found {
    /// Finds a tool of a toolset that was not uninstalled.
    pub(super) async fn of(store: &impl Store, toolset: &str, tool: &str) -> Result<Self, RunError> {
        let managing = Management::of_name(tool).filter(|_| toolset == ToolsetId::builtin().as_str());
        let installed = match managing {
            Some(managing) => Some(builtin::managing(managing)),
            None => InstalledToolset::find(store, toolset).await?,
        };
        let installed = installed
            .filter(|installed| installed.toolset.soft_deleted_at.is_none())
            .ok_or_else(|| RunError::NoToolset(shown(toolset)))?;
        Self::among(installed, tool)
    }

    /// Finds a tool in a toolset.
    pub(super) fn among(installed: InstalledToolset, tool: &str) -> Result<Self, RunError> {
        // Two servers of a toolset may have tools of one name: the first has it, and each is found with its server's name before it (C08).
        let tool = match installed.all_tools().any(|one| one.tool_id.name() == tool) {
            true => tool,
            // A whole id, perhaps one of old: in its toolset it is clear which tool it means (C09).
            false => own_name(installed.toolset.id.as_str(), tool),
        };
        let with_server = installed.all_tools().position(|one| one.tool_id.selection_name() == tool);
        let at = with_server.or_else(|| installed.all_tools().position(|one| one.tool_id.name() == tool));
        match at {
            Some(at) => Ok(Self { installed, at }),
            None => Err(RunError::NoTool { toolset: installed.toolset.id.to_string(), tool: shown(tool) }),
        }
    }

    /// The tool as it is here and now, if it can be used.
    pub(super) fn effective(&self, surroundings: &Surroundings) -> Result<EffectiveTool<'_>, RunError> {
        let tool = self.installed.tools_in_effect(surroundings).swap_remove(self.at);
        let tool_id = tool.declared.tool_id.clone();
        if let Some(reason) = tool.unavailable {
            return Err(RunError::Unavailable { tool: tool_id, reason });
        }
        Ok(tool)
    }

    /// The package whose code a call runs; none where it runs none of a package's.
    pub(super) fn package(&self, tool: &EffectiveTool<'_>) -> Option<PackageId> {
        match tool.declared.kind {
            ToolKind::Python | ToolKind::Http => Some(self.installed.toolset.package),
            ToolKind::Builtin | ToolKind::Mcp => None,
        }
    }

    /// What is to be done, without the arguments and who asks.
    pub(super) fn errand(
        &self,
        tool: &EffectiveTool<'_>,
        id: &ToolCallId,
        chat: &ChatId,
        files: &Files,
        limits: &RunLimits,
    ) -> Result<Errand, HttpFault> {
        if tool.declared.kind == ToolKind::Http {
            return http::errand(&self.installed.toolset, tool, id, chat, limits).map(Errand::Http);
        }
        if let ToolId::Mcp(server, name) = &tool.declared.tool_id {
            return Ok(Errand::Mcp(Box::new(ServerCall {
                id: id.clone(),
                tool_id: tool.declared.tool_id.clone(),
                chat: chat.clone(),
                message: None,
                server: server.clone(),
                tool: name.clone(),
                arguments: serde_json::Map::new(),
                time_limit: limits.time_of(tool.declared.timeout_seconds),
            })));
        }
        let managing = Management::of_name(tool.declared.tool_id.name());
        if let (ToolId::BuiltIn(_), Some(managing)) = (&tool.declared.tool_id, managing) {
            return Ok(Errand::Manage(managing));
        }
        Ok(match builtin::of_tool(tool.declared).filter(|_| tool.declared.kind == ToolKind::Builtin) {
            Some(builtin) => Errand::Builtin(builtin),
            None => Errand::Python(Box::new(self.python_call(tool, id, chat, files, limits))),
        })
    }

    fn python_call(
        &self,
        tool: &EffectiveTool<'_>,
        id: &ToolCallId,
        chat: &ChatId,
        files: &Files,
        limits: &RunLimits,
    ) -> PythonCall {
        let InstalledToolset { toolset, files: toolset_files, manifest, .. } = &self.installed;
        let is_wheel = |path: &str| path.starts_with(WHEELS) && path.ends_with(".whl");
        let (wheels, others): (Vec<_>, Vec<_>) = toolset_files.iter().partition(|file| is_wheel(&file.path));
        let file_name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        PythonCall {
            id: id.clone(),
            tool_id: tool.declared.tool_id.clone(),
            session: SessionKey { chat: chat.clone(), toolset: toolset.id.clone(), package: toolset.package },
            toolset_files: others.into_iter().map(|file| (file.path.clone(), file.sha256)).collect(),
            wheels: wheels.into_iter().map(|file| (file_name(&file.path), file.sha256)).collect(),
            workspace: files.iter().map(|(path, file)| (path.to_string(), file.sha256)).collect::<BTreeMap<_, _>>(),
            entrypoint: tool.declared.entrypoint.clone().unwrap_or_default(),
            arguments: Value::Null,
            declared_hosts: manifest.iter().flat_map(|manifest| manifest.hosts.clone()).collect(),
            time_limit: limits.time_of(tool.declared.timeout_seconds),
            output_limit: limits.output_bytes,
            file_limit: limits.workspace.files,
            file_bytes_limit: limits.workspace.file_bytes,
            workspace_bytes_limit: limits.workspace.workspace_bytes,
        }
    }
}
