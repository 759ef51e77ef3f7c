//! Asking a package source.

use std::fmt;

use super::address::{SourceAddress, SourceKind};
use super::error::PackageError;
use super::index::PAGE_TYPE;
use super::lock::Lock;

/// Fetches files. Whatever it is given was allowed by the user or is the app's own.
#[expect(async_fn_in_trait, reason = "one thread: nothing here is ever sent to another")]
pub trait PackageSource {
    /// Fetches a file, without credentials and without following anywhere else. An address without a host is of the app's own origin.
    async fn fetch(&self, href: &str, accept: &str, limit: u64) -> Result<Vec<u8>, FetchFailure>;
}

/// Why a file was not had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchFailure {
    /// There is none at that address.
    Absent,
    /// The host answered with another status.
    Status(u16),
    /// It cannot be reached, sends elsewhere, or does not let pages read it.
    Unreachable,
    /// The file is larger than it may be.
    TooLarge,
}

/// How much is taken from a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackageLimits {
    /// Wheels of one toolset.
    pub wheels: usize,
    /// Bytes of one wheel.
    pub wheel_bytes: u64,
    /// Bytes of all wheels of one toolset.
    pub all_bytes: u64,
    /// Bytes of a lock file or a page of an index.
    pub page_bytes: u64,
    /// Bytes of the METADATA of a wheel.
    pub metadata_bytes: u64,
    /// How often the search begins again because two requirements narrowed each other.
    pub attempts: usize,
}

impl Default for PackageLimits {
    fn default() -> Self {
        Self {
            wheels: 200,
            wheel_bytes: 100_000_000,
            all_bytes: 400_000_000,
            page_bytes: 40_000_000,
            metadata_bytes: 2_000_000,
            attempts: 50,
        }
    }
}

/// What is being done, for people who wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// A package is looked for.
    Looking {
        /// Its name.
        name: &'a str,
    },
    /// A wheel is fetched.
    Fetching {
        /// Its file.
        file_name: &'a str,
    },
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Looking { name } => write!(f, "Looking for {name}"),
            Self::Fetching { file_name } => write!(f, "Fetching {file_name}"),
        }
    }
}

/// Asks a source whether it is one; gives how many packages it names, where it says so.
pub async fn look(
    address: &SourceAddress,
    source: &impl PackageSource,
    limits: &PackageLimits,
) -> Result<Option<usize>, PackageError> {
    match address.kind() {
        SourceKind::Lock => match lock(address, source, limits).await {
            Ok(lock) => Ok(Some(lock.packages.len())),
            // A server that has no such folder says so, and some static hosts answer with the app's page.
            Err(PackageError::Absent { .. } | PackageError::NotALock { .. }) if address.is_own_folder() => {
                Err(PackageError::NoFolder)
            }
            Err(error) => Err(error),
        },
        SourceKind::Index => {
            // The page of all packages may be huge; that of one that every index has is not.
            let href = format!("{}pip/", address.href());
            match source.fetch(&href, PAGE_TYPE, limits.page_bytes).await {
                Ok(bytes) => {
                    let unreadable =
                        |error| PackageError::bad_source(address, &format!("its pages cannot be read ({error})"));
                    serde_json::from_slice::<super::index::Page>(&bytes).map_err(unreadable)?;
                    Ok(None)
                }
                // A private index need not have it.
                Err(FetchFailure::Absent) => Ok(None),
                Err(failure) => Err(PackageError::fetch(address, failure, limits.page_bytes)),
            }
        }
    }
}

/// The lock file of a source.
pub(super) async fn lock(
    address: &SourceAddress,
    source: &impl PackageSource,
    limits: &PackageLimits,
) -> Result<Lock, PackageError> {
    let bytes = source.fetch(address.href(), "application/json", limits.page_bytes).await;
    let bytes = bytes.map_err(|failure| PackageError::fetch(address, failure, limits.page_bytes))?;
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(PackageError::NotALock { place: address.to_string() });
    }
    Lock::parse(&bytes).map_err(|error| PackageError::bad_source(address, &error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{INDEX, Shelf, at_once};
    use super::*;

    #[test]
    fn a_look_says_what_is_there_and_what_is_not() {
        let check = |address: &SourceAddress, file: Option<(&str, &str)>, expected: &str| {
            let shelf = Shelf::default();
            if let Some((href, text)) = file {
                shelf.files.borrow_mut().insert(href.into(), text.into());
            }
            let looked = match at_once(look(address, &shelf, &PackageLimits::default())) {
                Ok(packages) => format!("{packages:?}"),
                Err(error) => error.to_string(),
            };
            assert!(looked.starts_with(expected), "{looked}");
        };
        let (own, index) = (SourceAddress::own_folder(), SourceAddress::parse(INDEX).expect("is an address"));
        let lock = serde_json::to_string(&Lock::empty()).expect("a lock file is JSON");
        check(&own, Some((own.href(), &lock)), "Some(0)");
        check(&own, None, "there is no folder packages/ next to the app");
        check(&own, Some((own.href(), "<!doctype html>")), "there is no folder packages/ next to the app");
        check(&index, None, "None");
        check(&index, Some((&format!("{INDEX}pip/"), "<!doctype html>")), &format!("{INDEX} cannot be used"));
    }
}
