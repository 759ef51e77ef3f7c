//! The object stores, and how a database of an older version becomes one of this version.
//!
//! A step is never edited once it has been released; a change of the schema is a new step at the end.

use super::rows::index_property;
use idb::{Database, KeyPath, ObjectStore, ObjectStoreParams, Transaction};

/// The name of the database. `public/early.js` reads the theme from it before the app has started.
pub(crate) const NAME: &str = "satchel";

/// Blobs, keyed by the hexadecimal digits of their digest.
pub(super) const BLOBS: &str = "blobs";
/// Rows that have to be sent, keyed by table and row key; the value is the newest stamp.
pub(super) const OUTBOX: &str = "outbox";
/// The clock.
pub(super) const META: &str = "meta";
/// The wrapping key of this device, which cannot be exported (see `browser::secrets`).
pub(crate) const DEVICE_KEYS: &str = "device_keys";
/// Secrets of this device, wrapped by that key.
pub(crate) const SECRETS: &str = "secrets";

/// One step of the schema, by the version it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub(super) enum Version {
    /// Settings, blobs, the outbox and the clock.
    Foundation = 1,
    /// What stays on the device: drafts, positions, and wrapped secrets.
    DeviceLocal = 2,
    /// Toolsets, chats and workspaces.
    Workbench = 3,
    /// Selections, pins, grants, approvals and metrics of tools.
    Choices = 4,
    /// The wheels that were fetched for toolsets.
    PythonPackages = 5,
    /// Tool calls are found by the ids that those who asked for them gave. Rows from before are not, until they are written again or
    /// set right after a check of the storage, which counts them: only a request that is repeated looks there.
    CallIds = 6,
    /// What MCP servers offered when they were last connected; the pins of their tools are found by the toolset.
    McpServers = 7,
}

impl Version {
    /// All steps, oldest first.
    pub(super) const ALL: [Self; 7] = [
        Self::Foundation,
        Self::DeviceLocal,
        Self::Workbench,
        Self::Choices,
        Self::PythonPackages,
        Self::CallIds,
        Self::McpServers,
    ];

    /// The version this app reads and writes.
    pub(super) const CURRENT: Self = Self::ALL[Self::ALL.len() - 1];

    /// The number IndexedDB knows the step by.
    pub(super) const fn number(self) -> u32 {
        self as u32
    }

    /// Does the step. What a step creates is spelled out here and not taken from [`Table`], which goes on changing.
    fn upgrade(self, database: &Database, transaction: &Transaction) -> Result<(), idb::Error> {
        let index = |store: &ObjectStore, indexed: &[&str]| {
            indexed.iter().try_for_each(|field| {
                store.create_index(field, KeyPath::new_single(&index_property(field)), None)?;
                Ok(())
            })
        };
        let create = |name: &str, indexed: &[&str]| {
            index(&database.create_object_store(name, ObjectStoreParams::new())?, indexed)
        };
        let stores: &[(&str, &[&str])] = match self {
            Self::Foundation => &[("settings", &[]), (BLOBS, &[]), (OUTBOX, &[]), (META, &[])],
            Self::DeviceLocal => &[("drafts", &[]), ("positions", &[]), (DEVICE_KEYS, &[]), (SECRETS, &[])],
            Self::Workbench => &[
                ("toolsets", &[]),
                ("packages", &["toolset_id"]),
                ("toolset_files", &["package"]),
                ("tools", &["package", "tool_id", "toolset_id"]),
                ("tool_render_configs", &["package"]),
                ("tool_overrides", &["toolset_id"]),
                ("toolset_mcp_servers", &["toolset_id"]),
                ("chats", &[]),
                ("messages", &["chat_id"]),
                ("tool_calls", &["chat_id"]),
                ("workspace_manifests", &["chat_id"]),
                ("node_heads", &["chat_id"]),
            ],
            Self::Choices => &[
                ("saved_toolsets", &[]),
                ("kv", &[]),
                ("pins", &[]),
                ("grants", &["toolset_id"]),
                ("approvals", &["tool_id"]),
                ("tool_metrics", &[]),
            ],
            Self::PythonPackages => &[("python_packages", &["toolset_id"])],
            Self::CallIds => return index(&transaction.object_store("tool_calls")?, &["call_id"]),
            Self::McpServers => {
                index(&transaction.object_store("pins")?, &["toolset_id"])?;
                &[("mcp_seen", &["toolset_id"])]
            }
        };
        stores.iter().try_for_each(|(name, indexed)| create(name, indexed))
    }
}

/// Takes a database from the version it has to `target`, inside the transaction that IndexedDB opens for it: either
/// every step is done or the database stays as it was.
pub(super) fn upgrade(
    database: &Database,
    transaction: &Transaction,
    from: u32,
    target: Version,
) -> Result<(), idb::Error> {
    (Version::ALL.into_iter().filter(|step| step.number() > from && *step <= target))
        .try_for_each(|step| step.upgrade(database, transaction))
}
