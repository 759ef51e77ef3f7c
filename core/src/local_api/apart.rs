//! `/local/toolsets/{id}/apart`: what another device made of a toolset while both were apart (C28).
//!
//! The toolset goes on with the package that was made last. The other one stays beside it until its user has chosen, and what they choose
//! is one commit: a conflict that is settled on one device is settled on all.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::call::Call;
use super::refusal::{Code, Refusal};
use super::repackage::{bundle_of, is_whole, next_version, successor};
use super::route::Answer;
use super::tool_bundles::TRIES;
use super::toolsets;
use crate::approval;
use crate::bundle::{Bundle, Decision, InstallPlan, MANIFEST_FILE, Origin};
use crate::catalog::{Differences, InstalledToolset, files_differ, put_together, tools_differ};
use crate::digest::BlobId;
use crate::ids::Uid;
use crate::record::{Package, PackageId, Record as _, RowRef, Table, Tool, ToolRenderConfig, ToolsetFile};
use crate::store::{Commit, Lookup, Store, StoreError, records_of};

/// Another package, in the details of a toolset.
#[derive(Debug, Serialize)]
pub(super) struct ApartBody {
    package: PackageId,
    version: String,
    tools: DifferencesBody,
    files: DifferencesBody,
}

/// How it differs from the one in use.
#[derive(Debug, Serialize)]
struct DifferencesBody {
    only_there: Vec<String>,
    only_here: Vec<String>,
    changed: Vec<String>,
}

/// Body of `POST`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceBody {
    choice: Choice,
}

/// What becomes of the other package.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Choice {
    /// What only it has comes to what is in use.
    PutTogether,
    /// It takes the place of what is in use.
    UseOther,
    /// It becomes a toolset of its own.
    KeepBoth,
    /// It goes.
    Discard,
}

/// Another package with everything that is stored of it.
struct Other {
    package: Package,
    files: Vec<ToolsetFile>,
    rows: Vec<RowRef>,
}

impl From<Differences> for DifferencesBody {
    fn from(found: Differences) -> Self {
        let Differences { only_there, only_here, changed } = found;
        Self { only_there, only_here, changed }
    }
}

/// What other devices made of a toolset while they were apart.
pub(super) async fn of(store: &impl Store, installed: &InstalledToolset) -> Result<Vec<ApartBody>, Refusal> {
    let mut all = Vec::new();
    let manifest = installed.package.as_ref().map_or(&Value::Null, |package| &package.manifest);
    for package in &installed.apart {
        let other = Other::load(store, package.clone()).await?;
        all.push(ApartBody {
            package: package.package,
            version: package.version.clone(),
            tools: tools_differ(manifest, &package.manifest).into(),
            files: files_differ(&by_path(&installed.files), &by_path(&other.files)).into(),
        });
    }
    Ok(all)
}

/// `POST /local/toolsets/{id}/apart/{package}`
pub(super) async fn choose<S: Store>(call: Call<'_, S>) -> Answer {
    let ChoiceBody { choice } = call.json(r#"{"choice": "put_together"}"#)?;
    let mut tries = 0;
    loop {
        tries += 1;
        let installed = toolsets::installed(&call).await?;
        let id = installed.toolset.id.clone();
        let wanted = call.parameters.get("package");
        let package = installed.apart.iter().find(|other| other.package.to_string() == wanted).cloned();
        let package = package.ok_or_else(|| Refusal::not_found(format!("{id} has no such other version any more")))?;
        let other = Other::load(call.store, package).await?;
        let commit = match choice {
            Choice::Discard => Commit::default(),
            Choice::PutTogether => put_both(&call, installed, &other).await?,
            Choice::UseOther => use_other(&call, installed, &other).await?,
            Choice::KeepBoth => keep_both(&call, &installed, &other).await?,
        };
        match call.store.apply(other.rows.into_iter().fold(commit, Commit::delete), call.world.now).await {
            Ok(_) => return toolsets::answer_with(&call, &id).await,
            Err(StoreError::Changed(_)) if tries < TRIES => {}
            Err(error) => return Err(error.into()),
        }
    }
}

async fn put_both<S: Store>(call: &Call<'_, S>, installed: InstalledToolset, other: &Other) -> Result<Commit, Refusal> {
    let package = installed.package.as_ref().ok_or_else(|| damaged(&installed, "its package is not stored"))?;
    let mut manifest = put_together(&package.manifest, &other.package.manifest);
    name_version(&mut manifest, &installed, other);
    let mut files = other.contents(call.store, &installed).await?;
    files.extend(toolsets::contents_of(call.store, &installed.toolset.id, installed.files.clone()).await?);
    replace(call, installed, &manifest, files).await
}

async fn use_other<S: Store>(
    call: &Call<'_, S>,
    installed: InstalledToolset,
    other: &Other,
) -> Result<Commit, Refusal> {
    let mut manifest = other.package.manifest.clone();
    name_version(&mut manifest, &installed, other);
    let files = other.contents(call.store, &installed).await?;
    replace(call, installed, &manifest, files).await
}

/// Puts another package in the place of the active one. What was said of the tools before is not said of these (C14).
async fn replace<S: Store>(
    call: &Call<'_, S>,
    installed: InstalledToolset,
    manifest: &Value,
    files: BTreeMap<String, Vec<u8>>,
) -> Result<Commit, Refusal> {
    let forgotten = approval::withdraw_of_package(call.store, &installed.toolset.id).await?;
    let bundle = bundle_of(call, manifest, files)?;
    Ok(successor(call, installed, bundle).await?.then(forgotten))
}

/// Makes a toolset of its own of the other package, under the next id that is free. It connects to nothing before its user says so.
async fn keep_both<S: Store>(
    call: &Call<'_, S>,
    installed: &InstalledToolset,
    other: &Other,
) -> Result<Commit, Refusal> {
    let toolset = &installed.toolset;
    let mut number = 2;
    while InstalledToolset::find(call.store, &format!("{}-{number}", toolset.id)).await?.is_some() {
        number += 1;
    }
    let (id, name) = (format!("{}-{number}", toolset.id), format!("{} ({number})", toolset.name));
    let mut manifest = other.package.manifest.clone();
    for (key, value) in [("id", &id), ("slug", &id), ("name", &name)] {
        set(&mut manifest, key, value);
    }
    let mut files = other.contents(call.store, installed).await?;
    files.remove(MANIFEST_FILE);
    let bundle = Bundle::with_manifest(&manifest, files, &call.world.limits.bundle)?;
    let origin = Origin { source_type: toolset.source_type, source_ref: None };
    let plan = InstallPlan::new(bundle, origin, None)?;
    let decision = Decision { enabled: toolset.enabled, connect: false, replace: false };
    Ok(plan.into_commit(call.world.now, decision, || call.fresh(Uid::parse))?)
}

/// The version after both, so that whoever has one of them sees a newer one.
fn name_version(manifest: &mut Value, installed: &InstalledToolset, other: &Other) {
    let later = |one: &str, two: &str| match (semver::Version::parse(one), semver::Version::parse(two)) {
        (Ok(first), Ok(second)) if second > first => two.to_owned(),
        _ => one.to_owned(),
    };
    let version = next_version(&later(&installed.toolset.version, &other.package.version));
    set(manifest, "version", &version);
}

fn set(manifest: &mut Value, key: &str, value: &str) {
    if let Some(manifest) = manifest.as_object_mut() {
        manifest.insert(key.to_owned(), value.into());
    }
}

fn by_path(files: &[ToolsetFile]) -> BTreeMap<String, BlobId> {
    files.iter().map(|file| (file.path.clone(), file.sha256)).collect()
}

fn damaged(installed: &InstalledToolset, why: &str) -> Refusal {
    Refusal::new(Code::Damaged, format!("{} cannot be put together: {why}", installed.toolset.id))
}

impl Other {
    async fn load(store: &impl Store, package: Package) -> Result<Self, StoreError> {
        let name = package.package.to_string();
        let [files, tools, render_configs] = store
            .look_up([
                Lookup::records_where::<ToolsetFile>("package", &name),
                Lookup::records_where::<Tool>("package", &name),
                Lookup::records_where::<ToolRenderConfig>("package", &name),
            ])
            .await?;
        let mut rows = vec![RowRef { table: Table::Packages, key: package.key() }];
        let found =
            [(Table::ToolsetFiles, &files), (Table::Tools, &tools), (Table::ToolRenderConfigs, &render_configs)];
        for (table, found) in found {
            rows.extend(found.iter().map(|(key, _)| RowRef { table, key: key.clone() }));
        }
        Ok(Self { package, files: records_of(files).into_iter().flatten().collect(), rows })
    }

    /// The bytes of its files. One that has not come whole from its device yet is no choice.
    async fn contents(
        &self,
        store: &impl Store,
        installed: &InstalledToolset,
    ) -> Result<BTreeMap<String, Vec<u8>>, Refusal> {
        if !is_whole(&self.package, &self.files) {
            return Err(damaged(installed, "the other version has not come whole yet; wait until sync is up to date"));
        }
        toolsets::contents_of(store, &installed.toolset.id, self.files.clone()).await
    }
}
