//! Small installed toolsets for tests; ids are counted and the clock stands.

use std::cell::Cell;

use super::{InstalledToolset, ToolsetList};
use crate::at_once::at_once;
use crate::bundle::{Bundle, BundleLimits, Decision, InstallPlan, Origin};
use crate::ids::{DeviceId, Uid};
use crate::record::{RowRef, SourceType, Table};
use crate::store::{Commit, MemoryStore, Store as _};
use crate::time::Timestamp;

/// Two Python tools, not in the order of their names.
pub(crate) const PYTHON: &str = r#"
manifest_version: "1"
id: python-only
name: Python only
version: 1.0.0
tools:
  - {id: second, entrypoint: "tools.all:second", renderer: {type: code, content: "$return"}}
  - {id: first, entrypoint: "tools.all:first"}
"#;

/// A Python tool, a request and a server.
pub(crate) const MIXED: &str = r#"
manifest_version: "1"
id: mixed
name: Mixed
version: 1.0.0
tools:
  - {id: local, entrypoint: "tools.all:local"}
  - {id: call, type: http, http: {allowedHosts: [x.test], request: {urlTemplate: "https://x.test/", headers: {X-Token: "${TOKEN}"}}}}
mcp_servers:
  - {id: program, command: npx, args: [server]}
"#;

/// Nothing but a server.
pub(crate) const SERVERS: &str = r#"
manifest_version: "1"
id: servers
name: Servers
version: 1.0.0
mcp_servers:
  - {id: remote, url: "https://x.test/mcp"}
"#;

/// A device with toolsets.
pub(crate) struct Device {
    pub(crate) store: MemoryStore,
    uids: Cell<u32>,
}

impl Device {
    pub(crate) fn empty() -> Self {
        let id = DeviceId::parse("0198c5a4-7c1e-7000-8000-00000000000a").expect("is a UUID");
        Self { store: MemoryStore::new(id), uids: Cell::new(0) }
    }

    pub(crate) fn with(manifest: &str) -> Self {
        let device = Self::empty();
        device.install(manifest);
        device
    }

    pub(crate) fn install(&self, manifest: &str) {
        let bundle = Bundle::open(manifest.as_bytes(), &BundleLimits::default()).expect("is a bundle");
        let installed = self.find(bundle.manifest().id.as_str()).map(InstalledToolset::into_installed);
        let origin = Origin { source_type: SourceType::Zip, source_ref: None };
        let plan = InstallPlan::new(bundle, origin, installed).expect("is not built in");
        let uid = || {
            self.uids.set(self.uids.get() + 1);
            Uid::parse(format!("0198c5a4-7c1e-7000-8000-{:012}", self.uids.get())).expect("is a UUID")
        };
        let decision = Decision { enabled: true, connect: true, replace: false };
        self.apply(plan.into_commit(Timestamp::from_millis(1), decision, uid).expect("is new or newer"));
    }

    pub(crate) fn apply(&self, commit: Commit) {
        at_once(self.store.apply(commit, Timestamp::from_millis(1))).expect("the commit fits");
    }

    pub(crate) fn list(&self) -> ToolsetList {
        at_once(ToolsetList::load(&self.store)).expect("memory does not fail")
    }

    pub(crate) fn find(&self, name: &str) -> Option<InstalledToolset> {
        at_once(InstalledToolset::find(&self.store, name)).expect("memory does not fail")
    }

    /// The one toolset that is installed.
    pub(crate) fn only(&self) -> InstalledToolset {
        let mut toolsets = self.list().toolsets;
        toolsets.retain(|installed| !installed.toolset.is_built_in);
        assert_eq!(toolsets.len(), 1);
        toolsets.remove(0)
    }

    /// The names of all rows.
    pub(crate) fn rows(&self) -> Vec<RowRef> {
        let of = |table: Table| {
            let rows = at_once(self.store.rows(table)).expect("memory does not fail");
            rows.into_iter().map(move |(key, _)| RowRef { table, key })
        };
        Table::ALL.into_iter().flat_map(of).collect()
    }
}
