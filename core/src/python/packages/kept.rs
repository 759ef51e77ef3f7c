//! The wheels that are kept: fetched once for a package of a toolset, and there from then on, with a network and without.

use super::address::{SourceAddress, SourceAddressError};
use super::error::PackageError;
use super::requirement::Requirement;
use super::resolve::{ShippedWheel, resolve};
use super::source::{PackageLimits, PackageSource, Step};
use crate::digest::BlobId;
use crate::record::{
    Package, PackageId, PythonPackages, PythonWheel, RowKey, RowRef, Setting, Table, Toolset, ToolsetFile,
};
use crate::store::{Blob, Commit, Store, StoreError, get, list, list_where};
use crate::time::Timestamp;

/// The key of the setting that has the addresses.
const SETTING: &str = "package_sources";
/// The folder of a bundle in which wheels are.
const WHEELS: &str = "wheels/";

/// What is needed to have the packages of toolsets.
pub struct Packages<'a, S, F> {
    /// Where they are kept.
    pub store: &'a S,
    /// Who fetches.
    pub source: &'a F,
    /// How much.
    pub limits: PackageLimits,
    /// The time; fetching takes some.
    pub now: &'a dyn Fn() -> Timestamp,
}

/// How things stand with the packages of a toolset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolsetPackages {
    /// The toolset's package.
    pub package: PackageId,
    /// What it declares.
    pub declared: Vec<String>,
    /// The file names of the wheels it ships.
    pub shipped: Vec<String>,
    /// What is kept for it, if all of it is there.
    pub kept: Option<PythonPackages>,
}

impl<S: Store, F: PackageSource> Packages<'_, S, F> {
    /// The wheels of a package beside those it ships, by their file names in the order in which they are to be unpacked. What is not
    /// kept yet is fetched.
    pub async fn ready(
        &self,
        package: PackageId,
        on_step: &dyn Fn(Step<'_>),
    ) -> Result<Vec<(String, BlobId)>, PackageError> {
        let names =
            |kept: PythonPackages| kept.wheels.into_iter().map(|wheel| (wheel.file_name, wheel.sha256)).collect();
        let row = RowRef { table: Table::Packages, key: RowKey::one(package.to_string()) };
        let Some(stored) = self.store.row(&row).await? else { return Ok(Vec::new()) };
        let stamp = stored.stamp().cloned();
        let owner: Package = stored.record(&row)?;
        let declared = declared(&owner);
        if declared.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(kept) = kept_of(self.store, package).await? {
            return Ok(names(kept));
        }
        let declared = declared.iter().map(|text| Requirement::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let shipped = self.shipped(package).await?;
        let mut sources = vec![SourceAddress::own_folder()];
        sources.extend(package_sources(self.store).await?);
        let found = resolve(&declared, &shipped, &sources, self.source, &self.limits, on_step).await?;

        // A toolset that was removed meanwhile needs nothing any more, so its row must still be as it was.
        let mut commit = Commit::default().expect(row, stamp);
        let mut wheels = Vec::with_capacity(found.len());
        for wheel in found {
            wheels.push(PythonWheel {
                name: wheel.name.to_string(),
                version: wheel.version.to_string(),
                file_name: wheel.file_name,
                sha256: wheel.sha256,
                size: wheel.bytes.len() as u64,
                href: wheel.href,
            });
            commit = commit.blob(Blob::named(wheel.sha256, wheel.bytes));
        }
        let now = (self.now)();
        let kept = PythonPackages { package, toolset_id: owner.toolset_id, wheels, kept_at: now };
        // Those of its earlier versions are of no more use.
        for other in list_where::<PythonPackages>(self.store, "toolset_id", kept.toolset_id.as_str()).await? {
            let other = other?;
            if other.package != package {
                commit = commit.delete(RowRef::of(&other));
            }
        }
        self.store.apply(commit.put(&kept), now).await?;
        Ok(names(kept))
    }

    async fn shipped(&self, package: PackageId) -> Result<Vec<ShippedWheel>, PackageError> {
        let mut shipped = Vec::new();
        for (file_name, sha256) in shipped_files(self.store, package).await? {
            let bytes = self.store.blob(sha256).await?.filter(|bytes| BlobId::of(bytes) == sha256);
            let Some(bytes) = bytes else {
                let reason = "it is damaged or not stored; import the toolset again".into();
                return Err(PackageError::BadWheel { file_name, reason });
            };
            shipped.push(ShippedWheel { file_name, bytes });
        }
        Ok(shipped)
    }
}

/// How things stand with the packages of a toolset.
pub async fn toolset_packages(store: &impl Store, toolset: &Toolset) -> Result<ToolsetPackages, StoreError> {
    let package = toolset.package;
    let owner = get::<Package>(store, RowKey::one(package.to_string())).await?;
    let declared = owner.as_ref().map(declared).unwrap_or_default();
    let shipped = shipped_files(store, package).await?.into_iter().map(|(file_name, _)| file_name).collect();
    Ok(ToolsetPackages { package, declared, shipped, kept: kept_of(store, package).await? })
}

/// Everything that is kept, of all toolsets.
pub async fn kept_packages(store: &impl Store) -> Result<Vec<PythonPackages>, StoreError> {
    Ok(list::<PythonPackages>(store).await?.into_iter().flatten().collect())
}

/// Lets go of what is kept for a package; the next call fetches it again.
pub async fn remove_kept(store: &impl Store, package: PackageId, now: Timestamp) -> Result<(), StoreError> {
    let row = RowRef { table: Table::PythonPackages, key: RowKey::one(package.to_string()) };
    store.apply(Commit::default().delete(row), now).await.map(drop)
}

/// The addresses that the user has entered, in the order in which they are asked.
pub async fn package_sources(store: &impl Store) -> Result<Vec<SourceAddress>, StoreError> {
    let setting = get::<Setting>(store, RowKey::one(SETTING)).await?;
    let texts = setting.and_then(|setting| serde_json::from_value::<Vec<String>>(setting.value).ok());
    // An address that is none any more is no reason to ask nobody.
    Ok(texts.unwrap_or_default().iter().filter_map(|text| SourceAddress::parse(text).ok()).collect())
}

/// Keeps the addresses that the user has entered. To enter one is to agree that packages are fetched from there.
pub fn set_package_sources(texts: &[String]) -> Result<Setting, SourceAddressError> {
    let mut addresses: Vec<SourceAddress> = Vec::new();
    for text in texts.iter().filter(|text| !text.trim().is_empty()) {
        let address = SourceAddress::parse(text)?;
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    let hrefs: Vec<&str> = addresses.iter().map(SourceAddress::href).collect();
    Ok(Setting { key: SETTING.into(), value: hrefs.into() })
}

/// What is kept for a package, if all of it is there.
async fn kept_of(store: &impl Store, package: PackageId) -> Result<Option<PythonPackages>, StoreError> {
    let Some(kept) = get::<PythonPackages>(store, RowKey::one(package.to_string())).await? else { return Ok(None) };
    let ids: Vec<BlobId> = kept.wheels.iter().map(|wheel| wheel.sha256).collect();
    Ok(store.missing_blobs(&ids).await?.is_empty().then_some(kept))
}

fn declared(package: &Package) -> Vec<String> {
    let declared = package.manifest.get("python_packages").and_then(|declared| declared.as_array());
    declared.into_iter().flatten().filter_map(|one| one.as_str()).map(str::to_owned).collect()
}

async fn shipped_files(store: &impl Store, package: PackageId) -> Result<Vec<(String, BlobId)>, StoreError> {
    let files = list_where::<ToolsetFile>(store, "package", &package.to_string()).await?;
    let wheel = |file: ToolsetFile| {
        let name = file.path.strip_prefix(WHEELS).filter(|name| name.ends_with(".whl"))?;
        Some((name.rsplit('/').next().unwrap_or(name).to_owned(), file.sha256))
    };
    Ok(files.into_iter().flatten().filter_map(wheel).collect())
}

#[cfg(test)]
mod tests;
