//! What a Python function said about itself, where its manifest says nothing (C34). It is a fact of the package, so that it is asked for
//! once, kept, and goes with the package.

use crate::record::PackageId;

/// The key in `kv` under which it is kept.
#[must_use]
pub fn described_key(package: PackageId, entrypoint: &str) -> String {
    format!("{}{entrypoint}", described_prefix(&package.to_string()))
}

/// How all such keys of a package begin.
pub(super) fn described_prefix(package: &str) -> String {
    format!("described/{package}/")
}
