//! What a Python function said about itself, where its manifest says nothing (C34). It is a fact of the package, so that it is asked for
//! once, kept, and goes with the package.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::record::{KeptValue, PackageId, Tool};
use crate::store::{self, Store, StoreError};

/// What functions have said about themselves, all of it.
#[derive(Clone, Debug, Default)]
pub struct Described(BTreeMap<String, Value>);

impl Described {
    /// Reads it.
    pub async fn load(store: &impl Store) -> Result<Self, StoreError> {
        let kept = store::list::<KeptValue>(store).await?.into_iter().flatten();
        Ok(Self(kept.filter(|kept| kept.key.starts_with(PREFIX)).map(|kept| (kept.key, kept.value)).collect()))
    }

    /// The schema of a tool's arguments, as its function has said.
    #[must_use]
    pub fn input_schema(&self, tool: &Tool) -> Option<Value> {
        let key = described_key(tool.package, tool.entrypoint.as_deref()?);
        self.0.get(&key)?.get("input_schema").cloned()
    }
}

/// How all such keys begin.
const PREFIX: &str = "described/";

/// The key in `kv` under which it is kept.
#[must_use]
pub fn described_key(package: PackageId, entrypoint: &str) -> String {
    format!("{}{entrypoint}", described_prefix(&package.to_string()))
}

/// How all such keys of a package begin.
pub(super) fn described_prefix(package: &str) -> String {
    format!("{PREFIX}{package}/")
}
