//! The Python packages that toolsets declare (R306): which wheels they come to, where those are had from, and how they are kept.
//!
//! Wheels in a bundle's `wheels/` come first. What else a manifest declares under `python_packages`, and what that depends on, is looked
//! for in the folder next to the app and then at the addresses the user has entered. Nothing is fetched from anywhere else, every file is
//! checked against the hash its source gives, and what was found is kept, for that package of that toolset alone: it is resolved once
//! and works without a network from then on.

mod address;
mod environment;
mod error;
mod index;
mod kept;
mod lock;
mod marker;
mod name;
mod offer;
mod requirement;
mod resolve;
#[cfg(test)]
mod sample;
mod source;
mod version;
mod wheel;

pub use address::{SourceAddress, SourceAddressError, SourceKind};
pub use environment::{ABI, PLATFORM, PYTHON};
pub use error::PackageError;
pub use index::PAGE_TYPE;
pub use kept::{
    Packages, ToolsetPackages, kept_packages, package_sources, remove_kept, set_package_sources, toolset_packages,
};
pub use lock::{Lock, LockEntry, LockError, LockInfo};
pub use name::{PackageName, PackageNameError};
pub use requirement::{Requirement, RequirementError};
pub use resolve::{FoundWheel, ShippedWheel, resolve};
pub use source::{FetchFailure, PackageLimits, PackageSource, Step, look};
pub use version::{Specifiers, Version, VersionError};
pub use wheel::{Fit, WheelError, WheelName, requirements};
