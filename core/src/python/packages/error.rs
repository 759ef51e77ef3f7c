//! Why packages cannot be had. Every one names the package or the source, and says what can be done.

use super::address::SourceAddress;
use super::name::PackageName;
use super::requirement::RequirementError;
use super::source::FetchFailure;
use crate::store::StoreError;

/// What a declared package can fail with.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// There is nowhere to look.
    #[error(
        "{name} is not in the bundle's wheels/ and no package source is set; name one in Settings under Python packages, or put the package \
         into the folder packages/ next to the app"
    )]
    NoSource {
        /// The package.
        name: PackageName,
    },
    /// No source has it.
    #[error(
        "{name}, which {asked_by} needs, is neither in the bundle's wheels/ nor at {places}; check its name, or add a source that has it in \
         Settings under Python packages"
    )]
    NotFound {
        /// The package.
        name: PackageName,
        /// Who needs it.
        asked_by: String,
        /// Where it was looked for.
        places: String,
    },
    /// A source has it, in no version that will do.
    #[error(
        "{name} is needed as {wanted}, and {places} has {has}; change the requirement, or add a source that has such a version"
    )]
    NoVersion {
        /// The package.
        name: PackageName,
        /// What is wanted and by whom.
        wanted: String,
        /// Where it was looked for.
        places: String,
        /// What there is instead.
        has: String,
    },
    /// A source has it, in no form that runs here.
    #[error(
        "{name} has no wheel at {places} that runs in a browser: it has to be pure Python (py3-none-any) or built for Pyodide \
         (cp314, pyemscripten_2026_0_wasm32)"
    )]
    NoWheel {
        /// The package.
        name: PackageName,
        /// Where it was looked for.
        places: String,
    },
    /// What the bundle ships does not meet what is required.
    #[error(
        "the bundle ships {name} {version}, and {asked_by} needs {wanted}; ship another version, or change the requirement"
    )]
    ShippedMisfit {
        /// The package.
        name: PackageName,
        /// The version in the bundle.
        version: String,
        /// Who needs another.
        asked_by: String,
        /// Which.
        wanted: String,
    },
    /// A requirement names an address.
    #[error(
        "{asked_by} wants {name} from an address of its own, and packages come only from the user's sources; ship it in wheels/"
    )]
    OwnAddress {
        /// The package.
        name: PackageName,
        /// Who wants it.
        asked_by: String,
    },
    /// It is a library for other packages and not a wheel.
    #[error(
        "{name}, which {asked_by} needs, is a shared library of Pyodide, and only wheels can be unpacked for a toolset"
    )]
    NotAWheel {
        /// The package.
        name: PackageName,
        /// Who needs it.
        asked_by: String,
    },
    /// What came is not what the source says it is.
    #[error(
        "{file_name} from {place} is not what the source says it is: its SHA-256 is {found}, and it should be {wanted}. It was not kept; try again, and if that does not help, tell whoever runs the source"
    )]
    WrongHash {
        /// The file.
        file_name: String,
        /// Where it came from.
        place: String,
        /// What it is.
        found: String,
        /// What it should be.
        wanted: String,
    },
    /// The source gives no hash.
    #[error("{place} gives no SHA-256 for {file_name}, so it cannot be checked; use another source")]
    NoHash {
        /// The file.
        file_name: String,
        /// The source.
        place: String,
    },
    /// The source names a file where none is fetched from.
    #[error(
        "{place} keeps {file_name} at an address that is not fetched from; only HTTPS, or the source's own host, will do"
    )]
    Elsewhere {
        /// The file.
        file_name: String,
        /// The source.
        place: String,
    },
    /// The source cannot be reached.
    #[error(
        "{place} cannot be reached, redirects, or does not let pages read it (CORS); connect to the network, or check the address in Settings under Python packages"
    )]
    Unreachable {
        /// The source or the file.
        place: String,
    },
    /// It answers something else.
    #[error("{place} answers with the status {status}; check the address in Settings under Python packages")]
    Status {
        /// The source or the file.
        place: String,
        /// The status.
        status: u16,
    },
    /// It has nothing at that address.
    #[error("there is nothing at {place}; check the address in Settings under Python packages")]
    Absent {
        /// The source or the file.
        place: String,
    },
    /// There is no folder next to the app, which is no fault: most have none.
    #[error(
        "there is no folder packages/ next to the app, and none is needed where an index is set; to have one, start the server with \
         --packages and a folder of wheels, or put packages/ beside the app on its static host"
    )]
    NoFolder,
    /// What it gives is not what a source gives.
    #[error("{place} cannot be used as a package source: {reason}")]
    BadSource {
        /// The source.
        place: String,
        /// Why.
        reason: String,
    },
    /// What it gives is no lock file at all.
    #[error("{place} is not a Pyodide lock file; check the address in Settings under Python packages")]
    NotALock {
        /// The source.
        place: String,
    },
    /// Something is larger than it may be.
    #[error("{what} is larger than the limit of {limit} bytes")]
    TooLarge {
        /// What.
        what: String,
        /// The most.
        limit: u64,
    },
    /// There are too many.
    #[error("the toolset's packages come to more than {0} wheels, the most there may be")]
    TooMany(usize),
    /// No set of versions was found that fits.
    #[error(
        "no versions of the packages were found that fit together, the last trouble being {name}; require exact versions that do"
    )]
    Knot {
        /// A package that is required in two ways.
        name: PackageName,
    },
    /// A wheel cannot be read.
    #[error("{file_name} cannot be used: {reason}")]
    BadWheel {
        /// The wheel.
        file_name: String,
        /// Why.
        reason: String,
    },
    /// The manifest declares what cannot be understood.
    #[error("the toolset declares a package that cannot be understood: {0}")]
    Requirement(RequirementError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Its sentence is part of ours, so that it is no source beside it and is said once.
impl From<RequirementError> for PackageError {
    fn from(error: RequirementError) -> Self {
        Self::Requirement(error)
    }
}

impl PackageError {
    pub(super) fn bad_source(address: &SourceAddress, reason: &str) -> Self {
        Self::BadSource { place: address.to_string(), reason: reason.to_owned() }
    }

    /// Whether the folder next to the app is simply not there. Without a network nobody can say, and some static hosts answer with the
    /// app's page instead.
    pub(super) fn is_missing_folder(&self) -> bool {
        matches!(self, Self::Absent { .. } | Self::Unreachable { .. } | Self::NotALock { .. } | Self::NoFolder)
    }

    pub(super) fn fetch(place: &impl ToString, failure: FetchFailure, limit: u64) -> Self {
        let place = place.to_string();
        match failure {
            FetchFailure::Absent => Self::Absent { place },
            FetchFailure::Status(status) => Self::Status { place, status },
            FetchFailure::Unreachable => Self::Unreachable { place },
            FetchFailure::TooLarge => Self::TooLarge { what: place, limit },
        }
    }
}
