//! An installed toolset with everything that is stored under it.
//!
//! Loading never fails because one row is broken: the toolset is there, with what could be read and a [`ToolsetFault`] for what could
//! not, and can still be looked at, exported in part, or removed (R317).

use std::collections::BTreeMap;

use super::{ToolId, ToolsetId, built_in, overrides_in_effect};
use crate::bundle::{Installed, Manifest, ManifestError};
use crate::ids::Uid;
use crate::mcp::SeenServer;
use crate::pins::{PinStanding, Pins};
use crate::record::{
    McpSeen, Package, PackageId, PackageStanding, Pin, Record, RowKey, RowRef, Tool, ToolOverride, ToolRenderConfig,
    Toolset, ToolsetFile, ToolsetMcpServer,
};
use crate::store::{Lookup, Rows, Store, StoreError, get, records_of};
use crate::sync::Stamp;

/// A toolset and all its rows, those of the active package only.
#[derive(Debug)]
pub struct InstalledToolset {
    /// Its own row.
    pub toolset: Toolset,
    /// The newest stamp of that row.
    pub stamp: Option<Stamp>,
    /// Its active package.
    pub package: Option<Package>,
    /// What that package says, as far as it can be understood.
    pub manifest: Option<Manifest>,
    /// Its tools, in its author's order.
    pub tools: Vec<Tool>,
    /// Its files, sorted by path.
    pub files: Vec<ToolsetFile>,
    /// How its tools are shown.
    pub render_configs: Vec<ToolRenderConfig>,
    /// Its servers, sorted by id.
    pub servers: Vec<ToolsetMcpServer>,
    /// What those offered when they were last connected.
    pub seen: Vec<SeenServer>,
    /// How the tools of its package stand that were used before; those of its servers say so themselves.
    pub pins: BTreeMap<ToolId, PinStanding>,
    /// What its user has changed.
    pub user_overrides: Vec<ToolOverride>,
    /// What is changed about its tools, by its manifest and its user together.
    pub overrides: BTreeMap<String, ToolOverride>,
    /// Packages that other devices made of it at the same time, and that the active one does not contain: nobody has chosen yet.
    pub apart: Vec<Package>,
    /// What could not be read.
    pub faults: Vec<ToolsetFault>,
}

/// Something of a toolset that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ToolsetFault {
    /// Its package is not stored.
    #[error("its package {0} is not stored; import the toolset again")]
    NoPackage(PackageId),
    /// Its package says what this version does not understand.
    #[error("its manifest cannot be read ({0}); import the toolset again")]
    Manifest(ManifestError),
    /// One of its rows cannot be read.
    #[error(transparent)]
    Row(StoreError),
}

impl ToolsetFault {
    /// Whether the toolset cannot be used with it.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::NoPackage(_) | Self::Manifest(_) => true,
            Self::Row(_) => false,
        }
    }
}

/// The toolsets of a device.
#[derive(Debug, Default)]
pub struct ToolsetList {
    /// Those that were not uninstalled and those that are built in, sorted by id.
    pub toolsets: Vec<InstalledToolset>,
    /// The rows of those that were uninstalled and are not purged yet.
    pub uninstalled: Vec<Toolset>,
    /// The rows that could not be read at all.
    pub unreadable: Vec<StoreError>,
}

impl ToolsetList {
    /// Loads every toolset that was not uninstalled.
    pub async fn load(store: &impl Store) -> Result<Self, StoreError> {
        let mut list = Self::default();
        for (key, stored) in store.rows(Toolset::TABLE).await? {
            let stamp = stored.stamp().cloned();
            match stored.record::<Toolset>(&RowRef { table: Toolset::TABLE, key }) {
                Ok(toolset) if toolset.soft_deleted_at.is_some() => list.uninstalled.push(toolset),
                Ok(toolset) => list.toolsets.push(InstalledToolset::of(store, toolset, stamp).await?),
                Err(error) => list.unreadable.push(error),
            }
        }
        for which in built_in::Which::ALL {
            list.toolsets.push(built_in::load(store, which).await?);
        }
        list.toolsets.sort_by(|one, other| one.toolset.id.cmp(&other.toolset.id));
        Ok(list)
    }
}

impl InstalledToolset {
    /// Loads the toolset of this id, or of this second name (C02). One that was uninstalled within its undo time is found too.
    pub async fn find(store: &impl Store, name: &str) -> Result<Option<Self>, StoreError> {
        if let Some(which) = built_in::Which::named(name) {
            return built_in::load(store, which).await.map(Some);
        }
        let row = RowRef { table: Toolset::TABLE, key: RowKey::one(name) };
        if let Some(stored) = store.row(&row).await? {
            let stamp = stored.stamp().cloned();
            return Self::of(store, stored.record(&row)?, stamp).await.map(Some);
        }
        let Ok(uid) = Uid::parse(name) else { return Ok(None) };
        for (key, stored) in store.rows(Toolset::TABLE).await? {
            let stamp = stored.stamp().cloned();
            match stored.record::<Toolset>(&RowRef { table: Toolset::TABLE, key }) {
                Ok(toolset) if toolset.uid == uid => return Self::of(store, toolset, stamp).await.map(Some),
                // Another toolset's broken row does not hide this one.
                Ok(_) | Err(_) => {}
            }
        }
        Ok(None)
    }

    /// Loads a toolset as it is with another of its packages, which an upgrade leaves stored; nothing where that package is not stored, or is
    /// another toolset's. What was approved is not said of the tools of a package that is not in use.
    pub async fn find_with_package(
        store: &impl Store,
        id: &ToolsetId,
        package: PackageId,
    ) -> Result<Option<Self>, StoreError> {
        let Some(toolset) = get::<Toolset>(store, RowKey::one(id.as_str())).await? else { return Ok(None) };
        let installed = Self::of(store, Toolset { package, ..toolset }, None).await?;
        let is_its_own = installed.package.as_ref().is_some_and(|package| package.toolset_id == *id);
        Ok(is_its_own.then(|| Self { pins: BTreeMap::new(), ..installed }))
    }

    async fn of(store: &impl Store, toolset: Toolset, stamp: Option<Stamp>) -> Result<Self, StoreError> {
        let mut faults = Vec::new();
        let (id, package) = (toolset.id.as_str(), toolset.package.to_string());
        let package_row = RowRef::to::<Package>(RowKey::one(&package));
        let [found, all, tools, files, render_configs, servers, user_overrides, seen, pins] = store
            .look_up([
                Lookup::Row(&package_row),
                Lookup::records_where::<Package>("toolset_id", id),
                Lookup::records_where::<Tool>("package", &package),
                Lookup::records_where::<ToolsetFile>("package", &package),
                Lookup::records_where::<ToolRenderConfig>("package", &package),
                Lookup::records_where::<ToolsetMcpServer>("toolset_id", id),
                Lookup::records_where::<ToolOverride>("toolset_id", id),
                Lookup::records_where::<McpSeen>("toolset_id", id),
                Lookup::records_where::<Pin>("toolset_id", id),
            ])
            .await?;
        let apart = records_of::<Package>(all).into_iter().flatten();
        let apart = apart
            .filter(|other| other.standing == Some(PackageStanding::Current) && other.package != toolset.package)
            .collect();
        let found: Option<Package> = readable(found, &mut faults).pop();
        if found.is_none() {
            faults.push(ToolsetFault::NoPackage(toolset.package));
        }
        let manifest = match found.as_ref().map(|found| Manifest::from_json(&found.manifest)).transpose() {
            Ok(manifest) => manifest,
            Err(error) => {
                faults.push(ToolsetFault::Manifest(error));
                None
            }
        };
        let mut tools: Vec<Tool> = readable(tools, &mut faults);
        if let Some(manifest) = &manifest {
            let place = |tool: &Tool| manifest.tools.iter().position(|one| one.id.as_str() == tool.tool_id.name());
            tools.sort_by_key(|tool| place(tool).unwrap_or(usize::MAX));
        }
        let user_overrides: Vec<ToolOverride> = readable(user_overrides, &mut faults);
        let servers: Vec<ToolsetMcpServer> = readable(servers, &mut faults);
        let pins = Pins::read(pins);
        let seen = SeenServer::all(readable(seen, &mut faults), &servers, &toolset, &pins);
        let declared = manifest.as_ref().map_or(&[][..], |manifest| &manifest.overrides);
        Ok(Self {
            files: readable(files, &mut faults),
            render_configs: readable(render_configs, &mut faults),
            servers,
            seen,
            pins: pins.of_package(&tools),
            overrides: overrides_in_effect(&toolset.id, declared, &user_overrides),
            package: found,
            toolset,
            stamp,
            manifest,
            tools,
            user_overrides,
            apart,
            faults,
        })
    }

    /// What an [`InstallPlan`](crate::bundle::InstallPlan) compares a bundle with.
    #[must_use]
    pub fn into_installed(self) -> Installed {
        let Self { toolset, stamp, tools, servers, package, .. } = self;
        Installed { toolset, stamp, tools, servers, package }
    }
}

/// Those that can be read; the others become faults.
fn readable<R: Record>(found: Rows, faults: &mut Vec<ToolsetFault>) -> Vec<R> {
    let records = records_of(found).into_iter();
    records.filter_map(|record| record.map_err(|error| faults.push(ToolsetFault::Row(error))).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Device, MIXED, PYTHON};
    use super::*;
    use crate::at_once::at_once;
    use crate::catalog::{Surroundings, Unavailable};
    use crate::record::Table;
    use crate::store::{Commit, Put};

    fn ids(list: &ToolsetList) -> Vec<&str> {
        list.toolsets.iter().map(|installed| installed.toolset.id.as_str()).collect()
    }

    #[test]
    fn all_rows_of_a_toolset_are_loaded() {
        let device = Device::with(MIXED);
        device.install(PYTHON);
        let list = device.list();
        assert_eq!(ids(&list), ["builtin", "builtin-exa-web-search", "mixed", "python-only"]);
        let mixed = &list.toolsets[2];
        assert_eq!((mixed.tools.len(), mixed.files.len(), mixed.servers.len()), (2, 1, 1));
        assert_eq!(mixed.manifest.as_ref().map(|manifest| manifest.name.as_str()), Some("Mixed"));
        assert!(mixed.faults.is_empty() && list.unreadable.is_empty());
    }

    /// C02: a toolset goes by two names.
    #[test]
    fn a_toolset_is_found_by_either_name() {
        let device = Device::with(MIXED);
        device.install(PYTHON);
        let uid = device.list().toolsets[3].toolset.uid.to_string();
        let found = |name: &str| {
            at_once(InstalledToolset::find(&device.store, name))
                .expect("reads")
                .map(|found| found.toolset.id.to_string())
        };
        assert_eq!(found("python-only").as_deref(), Some("python-only"));
        assert_eq!(found(&uid).as_deref(), Some("python-only"));
        assert_eq!(found("0198c5a4-7c1e-7000-8000-0000000000ff"), None);
        assert_eq!(found("other"), None);
    }

    /// R317: a broken toolset is there and says why it cannot be used; the others are not affected.
    #[test]
    fn a_broken_toolset_hides_nothing() {
        let device = Device::with(MIXED);
        device.install(PYTHON);
        let package = device.list().toolsets[2].toolset.package;
        device
            .apply(Commit::default().delete(RowRef { table: Table::Packages, key: RowKey::one(package.to_string()) }));
        let torn = RowRef { table: Table::Toolsets, key: RowKey::one("torn") };
        let fields = serde_json::Map::from_iter([("id".to_owned(), "torn".into())]);
        device.apply(Commit { puts: vec![Put { row: torn, fields, must_exist: false }], ..Commit::default() });

        let list = device.list();
        assert_eq!(ids(&list), ["builtin", "builtin-exa-web-search", "mixed", "python-only"]);
        assert_eq!(list.unreadable.len(), 1);
        let reason = format!("its package {package} is not stored; import the toolset again");
        let surroundings = Surroundings::default();
        assert_eq!(surroundings.unavailable(&list.toolsets[2]), Some(Unavailable::Damaged(reason)));
        assert_eq!(surroundings.unavailable(&list.toolsets[3]), None);
    }
}
