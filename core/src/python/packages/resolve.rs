//! From what a toolset declares to the wheels that are unpacked for it.
//!
//! Requirements are followed depth first, and of each package the newest version is taken that everything known so far allows. When a
//! later requirement does not allow what was taken, it is remembered and the search begins again; wheels and pages that were fetched are
//! not fetched again. That finds what people's packages need in practice, and ends in every case.

use std::collections::{BTreeMap, BTreeSet};

use super::address::{SourceAddress, SourceKind};
use super::error::PackageError;
use super::index::{PAGE_TYPE, Page};
use super::lock::Lock;
use super::name::PackageName;
use super::offer::{Offer, Offers, best, offers_of_lock, offers_of_page};
use super::requirement::Requirement;
use super::source::{self, FetchFailure, PackageLimits, PackageSource, Step};
use super::version::{Specifiers, Version};
use super::wheel::{WheelName, requirements};
use crate::digest::BlobId;

/// A wheel of the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShippedWheel {
    /// Its file name, without a folder.
    pub file_name: String,
    /// The wheel.
    pub bytes: Vec<u8>,
}

/// A wheel that was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundWheel {
    /// The package.
    pub name: PackageName,
    /// Its version.
    pub version: Version,
    /// Its file.
    pub file_name: String,
    /// The SHA-256 that its source gives, and that it has.
    pub sha256: BlobId,
    /// Where it came from.
    pub href: String,
    /// The wheel.
    pub bytes: Vec<u8>,
}

/// Finds all wheels that are needed beside the shipped ones, in the order in which they are to be unpacked.
pub async fn resolve(
    declared: &[Requirement],
    shipped: &[ShippedWheel],
    sources: &[SourceAddress],
    source: &impl PackageSource,
    limits: &PackageLimits,
    on_step: &dyn Fn(Step<'_>),
) -> Result<Vec<FoundWheel>, PackageError> {
    let shipped = read_shipped(shipped, limits)?;
    let mut search = Search {
        sources,
        source,
        limits,
        on_step,
        locks: BTreeMap::new(),
        pages: BTreeMap::new(),
        fetched: BTreeMap::new(),
        narrowed: BTreeMap::new(),
    };
    let mut last = None;
    for _ in 0..limits.attempts {
        match search.attempt(declared, &shipped).await? {
            Attempt::Fits(order) => {
                let wheels = order.into_iter().filter_map(|href| search.fetched.remove(&href));
                return Ok(wheels.map(|(wheel, _)| wheel).collect());
            }
            Attempt::Narrowed(name) => last = Some(name),
        }
    }
    match last {
        Some(name) => Err(PackageError::Knot { name }),
        None => Ok(Vec::new()),
    }
}

fn read_shipped(
    shipped: &[ShippedWheel],
    limits: &PackageLimits,
) -> Result<BTreeMap<PackageName, Taken>, PackageError> {
    let mut taken = BTreeMap::new();
    for wheel in shipped {
        let bad = |reason: String| PackageError::BadWheel { file_name: wheel.file_name.clone(), reason };
        let name = WheelName::parse(&wheel.file_name).ok_or_else(|| bad("its name is not one of a wheel".into()))?;
        let requires = requirements(&wheel.bytes, limits.metadata_bytes).map_err(|error| bad(error.to_string()))?;
        let (version, extras) = (name.version, BTreeSet::new());
        taken.insert(name.name, Taken { version, requires, extras, is_shipped: true, is_followed: false });
    }
    Ok(taken)
}

/// What was decided about a package.
#[derive(Clone)]
struct Taken {
    version: Version,
    requires: Vec<Requirement>,
    extras: BTreeSet<String>,
    is_shipped: bool,
    is_followed: bool,
}

enum Attempt {
    /// The addresses of the wheels, in order.
    Fits(Vec<String>),
    /// A package was taken in a version that will not do.
    Narrowed(PackageName),
}

struct Search<'a, S> {
    sources: &'a [SourceAddress],
    source: &'a S,
    limits: &'a PackageLimits,
    on_step: &'a dyn Fn(Step<'_>),
    /// Lock files; none where the folder next to the app is not there.
    locks: BTreeMap<String, Option<Lock>>,
    /// Pages of indexes, by their address; none where an index does not have the package.
    pages: BTreeMap<String, Option<Page>>,
    /// Wheels by their address, with what they require.
    fetched: BTreeMap<String, (FoundWheel, Vec<Requirement>)>,
    /// What was learnt by earlier attempts: requirements on a package, and whose they are.
    narrowed: BTreeMap<PackageName, Vec<(Specifiers, String)>>,
}

impl<S: PackageSource> Search<'_, S> {
    async fn attempt(
        &mut self,
        declared: &[Requirement],
        shipped: &BTreeMap<PackageName, Taken>,
    ) -> Result<Attempt, PackageError> {
        let mut taken = shipped.clone();
        let mut order = Vec::new();
        let mut open: Vec<(Requirement, String)> = Vec::new();
        let follow =
            |open: &mut Vec<(Requirement, String)>, requires: &[Requirement], extras: &[String], by: String| {
                let holding = requires.iter().rev().filter(|required| required.applies(extras));
                open.extend(holding.map(|required| (required.clone(), by.clone())));
            };
        follow(&mut open, declared, &[], "the toolset".into());
        while let Some((wanted, asked_by)) = open.pop() {
            let name = wanted.name.clone();
            if wanted.has_address {
                return Err(PackageError::OwnAddress { name, asked_by });
            }
            if !taken.contains_key(&name) {
                let (found, href) = self.take(&wanted, &asked_by).await?;
                if order.len() >= self.limits.wheels {
                    return Err(PackageError::TooMany(self.limits.wheels));
                }
                order.push(href);
                taken.insert(name.clone(), found);
            }
            let Some(known) = taken.get_mut(&name) else { continue };
            if !wanted.specifiers.allow(&known.version) {
                if known.is_shipped {
                    let (version, wanted) = (known.version.to_string(), wanted.to_string());
                    return Err(PackageError::ShippedMisfit { name, version, asked_by, wanted });
                }
                self.narrowed.entry(name.clone()).or_default().push((wanted.specifiers, asked_by));
                return Ok(Attempt::Narrowed(name));
            }
            let before = known.extras.len();
            known.extras.extend(wanted.extras);
            if !known.is_followed || known.extras.len() > before {
                known.is_followed = true;
                let extras: Vec<String> = known.extras.iter().cloned().collect();
                follow(&mut open, &known.requires, &extras, name.to_string());
            }
        }
        self.check_total(&order)?;
        Ok(Attempt::Fits(order))
    }

    fn check_total(&self, order: &[String]) -> Result<(), PackageError> {
        let wheels = order.iter().filter_map(|href| self.fetched.get(href));
        let total: u64 = wheels.map(|(wheel, _)| wheel.bytes.len() as u64).sum();
        let limit = self.limits.all_bytes;
        if total > limit {
            return Err(PackageError::TooLarge { what: "what the toolset needs in packages".into(), limit });
        }
        Ok(())
    }

    /// Chooses a version of a package and fetches its wheel.
    async fn take(&mut self, wanted: &Requirement, asked_by: &str) -> Result<(Taken, String), PackageError> {
        let name = &wanted.name;
        (self.on_step)(Step::Looking { name: name.as_str() });
        let learnt = self.narrowed.get(name).cloned().unwrap_or_default();
        let mut seen = Seen::default();
        for address in self.sources {
            let offers = match self.offers(address, name, asked_by).await? {
                Offers::NoSuchFolder => continue,
                Offers::NotThere => {
                    seen.places.push(address.to_string());
                    continue;
                }
                Offers::There(offers) => offers,
            };
            seen.places.push(address.to_string());
            seen.is_known = true;
            seen.has.extend(offers.iter().map(|offer| offer.version.clone()));
            if let Some(offer) = best(offers, wanted, &learnt) {
                return self.fetch(offer, name).await;
            }
        }
        Err(seen.error(wanted, asked_by, &learnt))
    }

    async fn offers(
        &mut self,
        address: &SourceAddress,
        name: &PackageName,
        asked_by: &str,
    ) -> Result<Offers, PackageError> {
        match address.kind() {
            SourceKind::Lock => {
                let href = address.href().to_owned();
                if !self.locks.contains_key(&href) {
                    let lock = match source::lock(address, self.source, self.limits).await {
                        Ok(lock) => Some(lock),
                        Err(error) if address.is_own_folder() && error.is_missing_folder() => None,
                        Err(error) => return Err(error),
                    };
                    self.locks.insert(href.clone(), lock);
                }
                match self.locks.get(&href) {
                    Some(Some(lock)) => offers_of_lock(lock, address, name, asked_by),
                    Some(None) | None => Ok(Offers::NoSuchFolder),
                }
            }
            SourceKind::Index => {
                let href = format!("{}{name}/", address.href());
                if !self.pages.contains_key(&href) {
                    let page = match self.source.fetch(&href, PAGE_TYPE, self.limits.page_bytes).await {
                        Ok(bytes) => Some(serde_json::from_slice::<Page>(&bytes).map_err(|error| {
                            PackageError::bad_source(address, &format!("its page of {name} cannot be read ({error})"))
                        })?),
                        Err(FetchFailure::Absent) => None,
                        Err(failure) => return Err(PackageError::fetch(address, failure, self.limits.page_bytes)),
                    };
                    self.pages.insert(href.clone(), page);
                }
                match self.pages.get(&href) {
                    Some(Some(page)) => Ok(offers_of_page(page, address, &href, name)),
                    Some(None) | None => Ok(Offers::NotThere),
                }
            }
        }
    }

    async fn fetch(&mut self, offer: Offer, name: &PackageName) -> Result<(Taken, String), PackageError> {
        let Offer { version, file_name, href, sha256, depends, place, .. } = offer;
        let Some(href) = href else { return Err(PackageError::Elsewhere { file_name, place }) };
        let Some(wanted) = sha256.and_then(|text| BlobId::parse(&text.to_ascii_lowercase()).ok()) else {
            return Err(PackageError::NoHash { file_name, place });
        };
        if !self.fetched.contains_key(&href) {
            (self.on_step)(Step::Fetching { file_name: &file_name });
            let limit = self.limits.wheel_bytes;
            let bytes = self.source.fetch(&href, "*/*", limit).await;
            let bytes = bytes.map_err(|failure| PackageError::fetch(&href, failure, limit))?;
            let found = BlobId::of(&bytes);
            if found != wanted {
                let (found, wanted) = (found.to_string(), wanted.to_string());
                return Err(PackageError::WrongHash { file_name, place, found, wanted });
            }
            let bad = |reason: String| PackageError::BadWheel { file_name: file_name.clone(), reason };
            let of_wheel = requirements(&bytes, self.limits.metadata_bytes).map_err(|error| bad(error.to_string()))?;
            let requires = depends.unwrap_or(of_wheel);
            let (name, version, href) = (name.clone(), version.clone(), href.clone());
            let wheel = FoundWheel { name, version, file_name, sha256: wanted, href: href.clone(), bytes };
            self.fetched.insert(href, (wheel, requires));
        }
        let requires = self.fetched.get(&href).map(|(_, requires)| requires.clone()).unwrap_or_default();
        Ok((Taken { version, requires, extras: BTreeSet::new(), is_shipped: false, is_followed: false }, href))
    }
}

/// What was seen while looking for a package, for the sentence that says it was not found.
#[derive(Default)]
struct Seen {
    places: Vec<String>,
    is_known: bool,
    has: BTreeSet<Version>,
}

impl Seen {
    fn error(self, wanted: &Requirement, asked_by: &str, learnt: &[(Specifiers, String)]) -> PackageError {
        let name = wanted.name.clone();
        if self.places.is_empty() {
            return PackageError::NoSource { name };
        }
        let places = self.places.join(" or ");
        if !self.is_known {
            return PackageError::NotFound { name, asked_by: asked_by.to_owned(), places };
        }
        let Some(newest) = self.has.iter().next_back() else { return PackageError::NoWheel { name, places } };
        let has = match self.has.len() {
            1 => format!("{newest} alone"),
            count => format!("{count} versions, the newest being {newest}"),
        };
        let first = (&wanted.specifiers, asked_by);
        let all = std::iter::once(first).chain(learnt.iter().map(|(specifiers, by)| (specifiers, by.as_str())));
        let all = all.filter(|(specifiers, _)| !specifiers.is_empty());
        let wanted = all.map(|(specifiers, by)| format!("{specifiers} by {by}")).collect::<Vec<_>>().join(" and ");
        PackageError::NoVersion { name, wanted, places, has }
    }
}

#[cfg(test)]
mod tests;
