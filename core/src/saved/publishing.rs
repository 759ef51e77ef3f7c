//! The app's side of the hub: which tools the Satchel server can reach by itself, and what is published of them.

use super::Kept;
use super::discovery::declared_object;
use crate::catalog::{EffectiveTool, InstalledToolset, Surroundings, ToolId, Unavailable};
use crate::http_tool::{HttpLimits, HttpTool, WantedGrant, argument_names};
use crate::network;
use crate::pins;
use crate::protocol::{HubProvider, HubPublication, HubTool};
use crate::record::{Setting, SourceType, ToolKind};
use crate::settings::Settings;
use crate::store::{self, Commit, Store, StoreError};
use crate::time::Timestamp;
use crate::tool_run::RunLimits;

/// The tools that the server can reach by itself, each with who carries out its calls.
#[derive(Debug)]
pub struct Reachable<'a>(Vec<(EffectiveTool<'a>, HubProvider)>);

impl<'a> Reachable<'a> {
    /// Finds them. A tool that asks hosts which the user has not granted is none of them: the server has nobody to ask.
    pub async fn find(
        store: &impl Store,
        toolsets: &'a [InstalledToolset],
        surroundings: &Surroundings,
    ) -> Result<Self, StoreError> {
        let rows = store::list::<Setting>(store).await?.into_iter().flatten();
        let limits = Settings::read(rows).0.limits.run();
        let mut found = Vec::new();
        for installed in toolsets {
            let granted = network::granted(store, &installed.toolset.id).await?;
            let is_own = match installed.toolset.source_type {
                SourceType::Created | SourceType::Builtin => true,
                SourceType::Zip | SourceType::Local | SourceType::Url => false,
            };
            let is_granted = |wanted: &WantedGrant<'_>| wanted.names().iter().all(|name| granted.contains(name));
            let may_ask = |tool: &HttpTool| is_own || tool.wants().iter().all(is_granted);
            for tool in installed.tools_in_effect(surroundings) {
                if let Some(provider) = provider_of(&tool, &limits, may_ask) {
                    found.push((tool, provider));
                }
            }
        }
        Ok(Self(found))
    }

    /// Pins those that were never used before: to be published is to be used (C14).
    #[must_use]
    pub fn pin_first(&self, now: Timestamp) -> Commit {
        pins::pin_first(self.0.iter().map(|(tool, _)| tool), now)
    }
}

impl Kept {
    /// What is to be published: nothing where nothing is saved, so that whoever does not use the hub tells it nothing.
    #[must_use]
    pub fn publication(&self, reachable: &Reachable<'_>) -> Option<HubPublication> {
        if self.shelf.toolsets.is_empty() {
            return None;
        }
        let tools = reachable.0.iter().map(|(tool, provider)| HubTool {
            id: tool.declared.tool_id.clone(),
            description: tool.description.to_owned(),
            received: tool.seen.map_or_else(|| declared_object(tool), |seen| seen.received.clone()),
            provider: provider.clone(),
        });
        Some(HubPublication {
            tools: tools.collect(),
            toolsets: self.shelf.toolsets.values().cloned().collect(),
            equipped: self.shelf.equipped.clone(),
        })
    }
}

/// Who would carry out a call for the hub; none where the server cannot reach it, or nobody may use it. Whether a server is connected and
/// a secret is there is the Satchel server's to say, when it is asked.
fn provider_of(
    tool: &EffectiveTool<'_>,
    limits: &RunLimits,
    may_ask: impl Fn(&HttpTool) -> bool,
) -> Option<HubProvider> {
    let declared = tool.declared;
    match (&declared.tool_id, declared.kind) {
        (ToolId::Mcp(server, name), _) => {
            let is_usable =
                matches!(tool.unavailable, None | Some(Unavailable::NotConnected(_) | Unavailable::NeedsLogin));
            let provider = HubProvider::Mcp { server: server.clone(), tool: name.clone() };
            tool.seen.filter(|_| is_usable).map(|_| provider)
        }
        (ToolId::Toolset(..), ToolKind::Http) => {
            let is_usable = matches!(tool.unavailable, None | Some(Unavailable::SecretsMissing(_)));
            let definition = declared.http.clone().filter(|_| is_usable)?;
            let arguments = argument_names(declared.input_schema.as_ref());
            let read = HttpTool::read(&definition, &arguments, &HttpLimits::default()).ok()?;
            let time_limit_ms = u64::try_from(limits.time_of(declared.timeout_seconds).as_millis()).unwrap_or(u64::MAX);
            may_ask(&read).then_some(HubProvider::Http { definition, time_limit_ms })
        }
        (ToolId::Toolset(..), ToolKind::Python | ToolKind::Builtin | ToolKind::Mcp) | (ToolId::BuiltIn(_), _) => None,
    }
}
