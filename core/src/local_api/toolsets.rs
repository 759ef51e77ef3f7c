//! `/local/toolsets`: what is installed, in and out of it (R234).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::apart::{self, ApartBody};
use super::bundles;
use super::call::Call;
use super::permissions::{self, HostBody, RememberedBody};
use super::refusal::{Code, Refusal};
use super::response::Response;
use super::route::Answer;
use super::servers::ServerBody;
use super::tools::{Counted, ToolLine};
use crate::bundle::manifest::SecretDeclaration;
use crate::bundle::{self, Bundle, Decision, ExportSource, Origin};
use crate::catalog::{self, InstalledToolset, Surroundings, ToolsetId, ToolsetList};
use crate::digest::BlobId;
use crate::record::{FileKind, SourceType, ToolOverride, ToolRenderConfig, Toolset, ToolsetFile};
use crate::store::Store;
use crate::time::Timestamp;

/// Answer of `GET /local/toolsets`.
#[derive(Debug, Serialize)]
struct ToolsetsBody {
    toolsets: Vec<ToolsetLine>,
    /// Those that can still be brought back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uninstalled: Vec<UninstalledLine>,
    /// Rows that cannot be read, so that nothing is hidden by them (R317).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken: Vec<String>,
}

/// A toolset, in a list.
#[derive(Debug, Serialize)]
struct ToolsetLine {
    id: ToolsetId,
    name: String,
    version: String,
    description: String,
    enabled: bool,
    user_mcp: bool,
    source_type: SourceType,
    /// The secrets and variables it wants (C49).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<SecretDeclaration>,
    #[serde(flatten)]
    standing: Standing,
}

/// A toolset that was uninstalled, within its undo time.
#[derive(Debug, Serialize)]
struct UninstalledLine {
    id: ToolsetId,
    name: String,
    version: String,
    until: Timestamp,
}

/// What is not in the row: how much there is, and whether it can be used.
#[derive(Debug, Serialize)]
struct Standing {
    tool_count: usize,
    /// In how many other versions devices have it that changed it while they were apart; nobody has chosen yet.
    #[serde(skip_serializing_if = "is_none")]
    apart_count: usize,
    available: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable_reason: Option<String>,
}

/// A toolset by itself: its whole row.
#[derive(Debug, Serialize)]
struct ToolsetBody {
    #[serde(flatten)]
    row: Toolset,
    #[serde(flatten)]
    standing: Standing,
    /// The secrets and variables that have no value yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_secrets: Vec<String>,
    /// What of it cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken: Vec<String>,
}

/// Answer of `GET /local/toolsets/{id}`.
#[derive(Debug, Serialize)]
struct ToolsetDetails {
    toolset: ToolsetBody,
    tools: Vec<ToolLine>,
    files: Vec<FileBody>,
    mcp_servers: Vec<ServerBody>,
    render_configs: Vec<ToolRenderConfig>,
    /// Those in effect: the manifest's, and over them the user's.
    overrides: Vec<ToolOverride>,
    /// The hosts that its tools may ask for.
    hosts: Vec<HostBody>,
    /// The tools that were approved for longer than one call.
    remembered: Vec<RememberedBody>,
    /// What other devices made of it while they were apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    apart: Vec<ApartBody>,
}

/// A file of a package.
#[derive(Debug, Serialize)]
struct FileBody {
    path: String,
    kind: FileKind,
    sha256: BlobId,
    size: u64,
}

/// Body of `POST /local/toolsets/{id}/enable`, and of that for one tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EnableBody {
    pub(super) enabled: bool,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

impl Standing {
    fn of(installed: &InstalledToolset, surroundings: &Surroundings) -> Self {
        let reason = surroundings.unavailable(installed);
        Self {
            tool_count: installed.all_tools().count(),
            apart_count: installed.apart.len(),
            available: reason.is_none(),
            unavailable_reason: reason.map(|reason| reason.to_string()),
        }
    }
}

impl ToolsetLine {
    fn of(installed: InstalledToolset, surroundings: &Surroundings) -> Self {
        let standing = Standing::of(&installed, surroundings);
        let secrets = installed.manifest.map(|manifest| manifest.secrets).unwrap_or_default();
        let Toolset { id, name, version, description, enabled, user_mcp, source_type, .. } = installed.toolset;
        Self { id, name, version, description, enabled, user_mcp, source_type, secrets, standing }
    }
}

impl ToolsetBody {
    fn of(installed: &InstalledToolset, surroundings: &Surroundings) -> Self {
        Self {
            row: installed.toolset.clone(),
            standing: Standing::of(installed, surroundings),
            missing_secrets: surroundings.missing_secrets(installed),
            broken: installed.faults.iter().map(ToString::to_string).collect(),
        }
    }
}

/// `GET /local/toolsets`
pub(super) async fn list<S: Store>(call: Call<'_, S>) -> Answer {
    let ToolsetList { toolsets, uninstalled, unreadable } = ToolsetList::load(call.store).await?;
    let (limits, now) = (call.world.limits.toolset, call.world.now);
    let line = |toolset: Toolset| {
        let until = catalog::undo_ends(&toolset, limits).filter(|until| now < *until)?;
        Some(UninstalledLine { id: toolset.id, name: toolset.name, version: toolset.version, until })
    };
    let body = ToolsetsBody {
        uninstalled: uninstalled.into_iter().filter_map(line).collect(),
        toolsets: toolsets.into_iter().map(|one| ToolsetLine::of(one, call.world.surroundings)).collect(),
        broken: unreadable.iter().map(ToString::to_string).collect(),
    };
    Ok(Response::json(200, &body))
}

/// `GET /local/toolsets/{id}`
pub(super) async fn details<S: Store>(call: Call<'_, S>) -> Answer {
    let installed = installed(&call).await?;
    let surroundings = call.world.surroundings;
    let hosts = permissions::hosts(call.store, &installed).await?;
    let remembered = permissions::remembered(call.store, &installed).await?;
    let apart = apart::of(call.store, &installed).await?;
    let counted = Counted::load(call.store).await?;
    let body = ToolsetDetails {
        toolset: ToolsetBody::of(&installed, surroundings),
        tools: (installed.tools_in_effect(surroundings).iter()).map(|tool| ToolLine::of(tool, &counted)).collect(),
        files: (installed.files.iter().cloned())
            .map(|file| FileBody { path: file.path, kind: file.kind, sha256: file.sha256, size: file.size })
            .collect(),
        mcp_servers: installed.servers.iter().map(|server| ServerBody::of(server, &installed, surroundings)).collect(),
        render_configs: installed.render_configs.clone(),
        overrides: installed.overrides.into_values().collect(),
        hosts,
        remembered,
        apart,
    };
    Ok(Response::json(200, &body))
}

/// `POST /local/toolsets/preview`: what an import of the same body would do.
pub(super) async fn preview<S: Store>(call: Call<'_, S>) -> Answer {
    let bundle = bundle_of(&call)?;
    Ok(bundles::preview(call.store, bundle).await.0)
}

/// `POST /local/toolsets/import`: a ZIP or a bare manifest. Its servers are stored and left switched off: nobody was asked whether
/// they may be contacted.
pub(super) async fn import<S: Store>(call: Call<'_, S>) -> Answer {
    let replace = call.query.flag("replace")?;
    let bundle = bundle_of(&call)?;
    let origin = Origin { source_type: SourceType::Zip, source_ref: None };
    let decision = Decision { enabled: true, connect: false, replace };
    Ok(bundles::install(call.store, call.world, bundle, origin, decision).await)
}

fn bundle_of<S: Store>(call: &Call<'_, S>) -> Result<Bundle, Refusal> {
    let limits = call.world.limits;
    call.check_body(limits.bundle_bytes)?;
    Ok(Bundle::open(&call.body, &limits.bundle)?)
}

/// `GET /local/toolsets/{id}/export`
pub(super) async fn export<S: Store>(call: Call<'_, S>) -> Answer {
    let installed = installed(&call).await?;
    if installed.toolset.is_built_in {
        let message = format!("{} is built in; there is nothing to export", installed.toolset.id);
        return Err(Refusal::new(Code::BuiltIn, message));
    }
    let InstalledToolset { toolset, package, files, user_overrides, servers, faults, .. } = installed;
    let damaged = |why: String| Refusal::new(Code::Damaged, format!("{} cannot be exported: {why}", toolset.id));
    if let Some(fault) = faults.first() {
        return Err(damaged(fault.to_string()));
    }
    let package = package.ok_or_else(|| damaged(format!("its package {} is not stored", toolset.package)))?;
    let contents = contents_of(call.store, &toolset.id, files).await?;
    let source = ExportSource {
        toolset: &toolset,
        package: &package,
        files: contents,
        overrides: &user_overrides,
        servers: &servers,
    };
    let export = bundle::export(source).map_err(|error| damaged(error.to_string()))?;
    Ok(Response::download(Some(&export.file_name), export.bytes))
}

/// The bytes of a toolset's files, by path.
pub(super) async fn contents_of(
    store: &impl Store,
    id: &ToolsetId,
    files: Vec<ToolsetFile>,
) -> Result<BTreeMap<String, Vec<u8>>, Refusal> {
    let mut contents = BTreeMap::new();
    for file in files {
        let bytes = store.blob(file.sha256).await?;
        let sound = bytes.filter(|bytes| BlobId::of(bytes) == file.sha256);
        let bytes = sound.ok_or_else(|| {
            let why = "the bytes of a file are damaged or not stored; run the storage check in Settings";
            Refusal::new(Code::Damaged, format!("{id} cannot be exported: {why}")).about(file.path.clone())
        })?;
        contents.insert(file.path, bytes);
    }
    Ok(contents)
}

/// `POST /local/toolsets/{id}/enable`
pub(super) async fn enable<S: Store>(call: Call<'_, S>) -> Answer {
    let EnableBody { enabled } = call.json(r#"{"enabled": true}"#)?;
    let installed = installed(&call).await?;
    call.apply(catalog::set_enabled(&installed.toolset, enabled)).await?;
    answer_with(&call, &installed.toolset.id).await
}

/// `DELETE /local/toolsets/{id}`
pub(super) async fn uninstall<S: Store>(call: Call<'_, S>) -> Answer {
    let installed = installed(&call).await?;
    call.apply(catalog::soft_delete(&installed.toolset, call.world.now)?).await?;
    Ok(Response::no_content())
}

/// `POST /local/toolsets/{id}/restore`
pub(super) async fn restore<S: Store>(call: Call<'_, S>) -> Answer {
    let installed = find(&call).await?;
    call.apply(catalog::restore(&installed.toolset)).await?;
    answer_with(&call, &installed.toolset.id).await
}

/// The toolset after a change.
pub(super) async fn answer_with<S: Store>(call: &Call<'_, S>, id: &ToolsetId) -> Answer {
    let installed = InstalledToolset::find(call.store, id.as_str()).await?;
    let installed = installed.ok_or_else(|| no_such(id.as_str()))?;
    Ok(Response::json(200, &ToolsetBody::of(&installed, call.world.surroundings)))
}

/// The toolset that the address names, if it was not uninstalled.
pub(super) async fn installed<S: Store>(call: &Call<'_, S>) -> Result<InstalledToolset, Refusal> {
    installed_as(call, call.parameters.get("id")).await
}

/// The toolset of this name, if it was not uninstalled.
pub(super) async fn installed_as<S: Store>(call: &Call<'_, S>, name: &str) -> Result<InstalledToolset, Refusal> {
    let found = find_as(call, name).await?;
    match catalog::undo_ends(&found.toolset, call.world.limits.toolset) {
        None => Ok(found),
        Some(end) => {
            let id = &found.toolset.id;
            let message =
                format!("{id} was uninstalled; until {end}, POST /local/toolsets/{id}/restore brings it back");
            Err(Refusal::not_found(message))
        }
    }
}

/// The toolset that the address names, also if it was uninstalled and can be brought back.
async fn find<S: Store>(call: &Call<'_, S>) -> Result<InstalledToolset, Refusal> {
    find_as(call, call.parameters.get("id")).await
}

async fn find_as<S: Store>(call: &Call<'_, S>, name: &str) -> Result<InstalledToolset, Refusal> {
    let found = InstalledToolset::find(call.store, name).await?;
    found
        .filter(|found| !catalog::is_due_for_purge(&found.toolset, call.world.limits.toolset, call.world.now))
        .ok_or_else(|| no_such(name))
}

fn no_such(name: &str) -> Refusal {
    let name: String = name.chars().take(80).collect();
    Refusal::not_found(format!("no toolset {name:?} is installed"))
}
