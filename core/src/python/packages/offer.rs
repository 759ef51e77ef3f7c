//! What sources have of a package, and which of it is taken.

use super::address::SourceAddress;
use super::error::PackageError;
use super::index::Page;
use super::lock::Lock;
use super::name::PackageName;
use super::requirement::Requirement;
use super::version::{Specifiers, Version};
use super::wheel::{Fit, WheelName};

/// A file that a source has of a package.
#[derive(Clone)]
pub(super) struct Offer {
    pub(super) version: Version,
    fit: Fit,
    pub(super) file_name: String,
    pub(super) href: Option<String>,
    pub(super) sha256: Option<String>,
    /// What a lock file says it depends on; else the wheel says it.
    pub(super) depends: Option<Vec<Requirement>>,
    pub(super) place: String,
}

/// What a source says about a package.
pub(super) enum Offers {
    /// It is the folder next to the app, and there is none.
    NoSuchFolder,
    /// It does not have it.
    NotThere,
    /// It has these.
    There(Vec<Offer>),
}

/// What a lock file has of a package: one version, or none.
pub(super) fn offers_of_lock(
    lock: &Lock,
    address: &SourceAddress,
    name: &PackageName,
    asked_by: &str,
) -> Result<Offers, PackageError> {
    let Some(entry) = lock.find(name) else { return Ok(Offers::NotThere) };
    let file_name = entry.file_name.rsplit('/').next().unwrap_or(&entry.file_name).to_owned();
    let Some(wheel) = WheelName::parse(&file_name) else {
        return Err(PackageError::NotAWheel { name: name.clone(), asked_by: asked_by.to_owned() });
    };
    let depends = entry.depends.iter().filter_map(|name| PackageName::parse(name).ok()).map(Requirement::any).collect();
    let offer = wheel.fit().map(|fit| Offer {
        version: wheel.version.clone(),
        fit,
        href: address.file(address.href(), &entry.file_name),
        file_name,
        sha256: Some(entry.sha256.clone()),
        depends: Some(depends),
        place: address.to_string(),
    });
    Ok(Offers::There(offer.into_iter().collect()))
}

/// What a page of an index has that runs in the cage.
pub(super) fn offers_of_page(page: &Page, address: &SourceAddress, href: &str, name: &PackageName) -> Offers {
    let offers = page.files.iter().filter(|file| !file.is_yanked() && file.is_for_this_python()).filter_map(|file| {
        let wheel = WheelName::parse(&file.filename).filter(|wheel| wheel.name == *name)?;
        Some(Offer {
            fit: wheel.fit()?,
            version: wheel.version,
            file_name: file.filename.clone(),
            href: address.file(href, &file.url),
            sha256: file.hashes.get("sha256").cloned(),
            depends: None,
            place: address.to_string(),
        })
    });
    Offers::There(offers.collect())
}

/// The newest version that everything allows, in the form that fits best. A version before a release is taken when it is asked for, or
/// when there is no other.
pub(super) fn best(offers: Vec<Offer>, wanted: &Requirement, learnt: &[(Specifiers, String)]) -> Option<Offer> {
    let allowed: Vec<Offer> = offers
        .into_iter()
        .filter(|offer| {
            wanted.specifiers.allow(&offer.version) && learnt.iter().all(|(other, _)| other.allow(&offer.version))
        })
        .collect();
    let asks = wanted.specifiers.ask_for_pre_releases() || learnt.iter().any(|(other, _)| other.ask_for_pre_releases());
    let has_release = allowed.iter().any(|offer| !offer.version.is_pre_release());
    let is_candidate = |offer: &Offer| asks || !has_release || !offer.version.is_pre_release();
    let candidates = allowed.into_iter().filter(is_candidate);
    candidates.max_by(|one, other| (&one.version, one.fit).cmp(&(&other.version, other.fit)))
}
