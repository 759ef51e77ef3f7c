//! Another package of a bundle, in which its tools are others (R243, R245).
//!
//! A package never changes: what is put into a bundle or taken out of it makes another one, in one commit that relies on the bundle being as
//! it was read. Where another tab was first, all of it is looked at again, so that of two that make the same tool one does (R258). The package
//! before goes with its rows: a bundle that is built up tool by tool would else leave as many behind as it has tools.

use std::collections::BTreeMap;

use serde_json::Value;

use super::call::Call;
use super::refusal::{Code, Refusal};
use super::replaced::Replaced;
use super::tool_bundles::{TRIES, bundle, refuse_built_in};
use super::toolsets;
use crate::bundle::{Bundle, Decision, InstallPlan, MANIFEST_FILE, Origin, package_id};
use crate::catalog::InstalledToolset;
use crate::ids::Uid;
use crate::record::{Package, RowKey, RowRef, Table, ToolsetFile};
use crate::store::{Commit, Store, StoreError};

/// What a bundle is to become.
pub(super) struct Edited {
    /// Its tools, as its manifest has them.
    pub(super) tools: Vec<Value>,
    /// What is stored with it.
    pub(super) also: Commit,
    /// The version that another one comes in the place of.
    pub(super) replaced: Option<Replaced>,
}

/// Makes another package of a bundle, in which its tools are as `edit` says. Where another tab was first, all of
/// it is looked at again.
pub(super) async fn change<S: Store>(
    call: &Call<'_, S>,
    edit: impl Fn(&InstalledToolset) -> Result<Edited, Refusal>,
) -> Result<(), Refusal> {
    let mut tries = 0;
    loop {
        tries += 1;
        let installed = bundle(call).await?;
        refuse_built_in(&installed.toolset)?;
        let edited = edit(&installed)?;
        let commit = repackaged(call, installed, edited).await?;
        match call.store.apply(commit, call.world.now).await {
            Ok(_) => return Ok(()),
            Err(StoreError::Changed(_)) if tries < TRIES => {}
            Err(error) => return Err(error.into()),
        }
    }
}

async fn repackaged<S: Store>(
    call: &Call<'_, S>,
    installed: InstalledToolset,
    edited: Edited,
) -> Result<Commit, Refusal> {
    let Edited { tools, also, replaced } = edited;
    let toolset = installed.toolset.clone();
    let damaged = || Refusal::new(Code::Damaged, format!("{} cannot be changed: its package is damaged", toolset.id));
    let package = installed.package.as_ref().ok_or_else(damaged)?;
    if !is_whole(package, &installed.files) {
        // A change of it would lose what is on its way from another device.
        let message =
            format!("{} has not come whole from another device yet; wait until sync is up to date", toolset.id);
        return Err(Refusal::new(Code::Damaged, message));
    }
    let mut manifest = package.manifest.as_object().cloned().ok_or_else(damaged)?;
    let ids: Vec<&str> = tools.iter().filter_map(|entry| entry.get("id")?.as_str()).collect();
    if let Some(Value::Array(overrides)) = manifest.get_mut("tool_overrides") {
        let of_gone = |entry: &Value| {
            let id = entry.get("tool_id").and_then(Value::as_str).unwrap_or_default();
            installed.tools.iter().any(|tool| tool.tool_id.name() == id) && !ids.contains(&id)
        };
        overrides.retain(|entry| !of_gone(entry));
        if let Some(replaced) = &replaced {
            overrides.extend(replaced.declared_override(overrides));
        }
    }
    manifest.insert("slug".into(), toolset.slug.clone().into());
    manifest.insert("name".into(), toolset.name.clone().into());
    manifest.insert("description".into(), toolset.description.clone().into());
    manifest.insert("version".into(), next_version(&toolset.version).into());
    manifest.insert("tools".into(), Value::Array(tools));
    let files = toolsets::contents_of(call.store, &toolset.id, installed.files.clone()).await?;
    let bundle = bundle_of(call, &Value::Object(manifest), files)?;
    let followed = match &replaced {
        Some(replaced) => replaced.follow(call.store, &installed, bundle.manifest(), call.world.now).await?,
        None => Commit::default(),
    };
    Ok(successor(call, installed, bundle).await?.then(followed).then(also))
}

/// The bundle of a manifest and the files beside it.
pub(super) fn bundle_of<S>(
    call: &Call<'_, S>,
    manifest: &Value,
    mut files: BTreeMap<String, Vec<u8>>,
) -> Result<Bundle, Refusal> {
    files.remove(MANIFEST_FILE);
    Ok(Bundle::with_manifest(manifest, files, &call.world.limits.bundle)?)
}

/// The commit that puts the package of a bundle in the place of a toolset's own, which goes.
pub(super) async fn successor<S: Store>(
    call: &Call<'_, S>,
    installed: InstalledToolset,
    bundle: Bundle,
) -> Result<Commit, Refusal> {
    let toolset = installed.toolset.clone();
    let origin = Origin { source_type: toolset.source_type, source_ref: toolset.source_ref.clone() };
    let plan = InstallPlan::new(bundle, origin, Some(installed.into_installed()))?;
    let plan = if toolset.user_mcp { plan.for_one_server() } else { plan };
    let decision = Decision { enabled: toolset.enabled, connect: false, replace: true };
    let mut commit = plan.into_commit(call.world.now, decision, || call.fresh(Uid::parse))?;
    let old = toolset.package.to_string();
    commit = commit.delete(RowRef { table: Table::Packages, key: RowKey::one(&old) });
    for table in [Table::Tools, Table::ToolsetFiles, Table::ToolRenderConfigs] {
        for (key, _) in call.store.rows_where(table, "package", &old).await? {
            commit = commit.delete(RowRef { table, key });
        }
    }
    Ok(commit)
}

/// Whether all files of a package are there: it is named by them.
pub(super) fn is_whole(package: &Package, files: &[ToolsetFile]) -> bool {
    package_id(&package.manifest, files.iter().map(|file| (file.path.as_str(), file.sha256))) == package.package
}

/// The version after this one, so that whoever has the one before is offered an upgrade.
pub(super) fn next_version(version: &str) -> String {
    match semver::Version::parse(version) {
        Ok(version) => semver::Version::new(version.major, version.minor, version.patch + 1).to_string(),
        Err(_) => "1.0.1".into(),
    }
}

/// The tools of a bundle as its manifest has them, each with the version that it has now, which another version of the whole must not move.
pub(super) fn entries(installed: &InstalledToolset) -> Vec<Value> {
    let written = installed.package.as_ref().and_then(|package| package.manifest.get("tools")?.as_array().cloned());
    let mut entries = written.unwrap_or_default();
    for entry in &mut entries {
        let id = entry.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let row = installed.tools.iter().find(|tool| tool.tool_id.name() == id);
        if let (Some(row), Some(entry)) = (row, entry.as_object_mut()) {
            entry.insert("version".into(), row.version.clone().into());
        }
    }
    entries
}
