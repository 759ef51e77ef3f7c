//! A server that a user adds by itself: it becomes a toolset of the same id with nothing else in it (R119, C10).
//!
//! Such a toolset has a package like any other, so that it is exported, changed and removed like any other.

use serde_json::{Value, json};

use crate::bundle::{Bundle, BundleError, BundleLimits, Decision, InstallPlan, Installed, Origin, ReplaceNeeded};
use crate::catalog::ServerId;
use crate::ids::Uid;
use crate::record::{SourceType, Toolset};
use crate::store::Commit;
use crate::time::Timestamp;

/// A server to be added, or one that was added with something changed about it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewServer {
    /// Its id, and its toolset's.
    pub id: ServerId,
    /// Its name, as it is shown.
    pub name: String,
    /// How it is reached, with placeholders for what is secret.
    pub config: Value,
    /// Whether it is switched on.
    pub enabled: bool,
}

/// Why a server was not added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// There is a toolset of that id, and it is another one.
    #[error("there is already a toolset {0}; give the server another id")]
    Taken(String),
    /// What is said of it makes no sense.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// It is built in.
    #[error(transparent)]
    BuiltIn(#[from] crate::bundle::BuiltInToolset),
    /// It would replace something.
    #[error(transparent)]
    Replace(#[from] ReplaceNeeded),
}

impl NewServer {
    /// The commit that adds it. `installed` is what there is of that id; only a server that was added in the same way is replaced, and
    /// keeps what its user has changed about its tools.
    pub fn into_commit(
        self,
        installed: Option<Installed>,
        now: Timestamp,
        uids: impl FnMut() -> Uid,
    ) -> Result<Commit, AddError> {
        let is_other = |there: &Toolset| !there.user_mcp;
        if installed.as_ref().is_some_and(|there| is_other(&there.toolset)) {
            return Err(AddError::Taken(self.id.to_string()));
        }
        let manifest = self.manifest().to_string();
        let bundle = Bundle::open(manifest.as_bytes(), &BundleLimits::default())?;
        let origin = Origin { source_type: SourceType::Created, source_ref: None };
        let plan = InstallPlan::new(bundle, origin, installed)?.for_one_server();
        let decision = Decision { enabled: self.enabled, connect: true, replace: true };
        Ok(plan.into_commit(now, decision, uids)?)
    }

    /// What its package says.
    fn manifest(&self) -> Value {
        let mut server = json!({"id": self.id.as_str()});
        if let (Value::Object(server), Value::Object(config)) = (&mut server, &self.config) {
            server.extend(config.clone());
        }
        json!({
            "manifest_version": "1",
            "id": self.id.as_str(),
            "name": if self.name.trim().is_empty() { self.id.as_str() } else { self.name.trim() },
            "version": "1.0.0",
            "description": "",
            "mcp_servers": [server],
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::sample::{Device, PYTHON};
    use crate::catalog::soft_delete;

    fn server(id: &str, url: &str) -> NewServer {
        let config = json!({"url": url, "headers": {"Authorization": "Bearer ${TOKEN}"}});
        NewServer { id: ServerId::parse(id).expect("is an id"), name: "My server".into(), config, enabled: true }
    }

    fn add(device: &Device, new: NewServer) -> Result<(), AddError> {
        let installed = device.find(new.id.as_str()).map(crate::catalog::InstalledToolset::into_installed);
        let uid = || Uid::parse("0198c5a4-7c1e-7000-8000-00000000abcd").expect("is a UUID");
        device.apply(new.into_commit(installed, Timestamp::from_millis(1), uid)?);
        Ok(())
    }

    /// R119, R120, C10
    #[test]
    fn a_server_becomes_a_toolset_of_its_own() {
        let device = Device::empty();
        add(&device, server("web", "https://x.test/mcp")).expect("is added");
        let installed = device.only();
        assert!(installed.toolset.user_mcp && installed.toolset.enabled);
        assert_eq!((installed.toolset.id.as_str(), installed.toolset.name.as_str()), ("web", "My server"));
        assert_eq!(installed.toolset.source_type, SourceType::Created);
        let row = &installed.servers[0];
        assert_eq!((row.server_key().to_string().as_str(), row.enabled), ("web~web", true));
        assert!(row.requires_confirmation, "C41");
        let wanted = installed.manifest.expect("is readable").secrets;
        assert_eq!(wanted.iter().map(|secret| secret.name.as_str()).collect::<Vec<_>>(), ["TOKEN"]);
    }

    /// A change of a server is a new package of the same toolset; another toolset of that id is left alone.
    #[test]
    fn what_was_added_can_be_changed_and_nothing_else() {
        let device = Device::empty();
        add(&device, server("web", "https://x.test/mcp")).expect("is added");
        let before = device.only().toolset;
        add(&device, server("web", "https://y.test/mcp")).expect("is changed");
        let after = device.only();
        assert_eq!((&after.toolset.uid, after.toolset.user_mcp), (&before.uid, true));
        assert_ne!(after.toolset.package, before.package);
        assert_eq!(after.servers[0].config["url"], "https://y.test/mcp");

        let device = Device::with(PYTHON);
        let refused = add(&device, server("python-only", "https://x.test/mcp")).expect_err("is taken");
        assert_eq!(refused.to_string(), "there is already a toolset python-only; give the server another id");
    }

    /// R121: removing it removes its toolset, which can be brought back for a while.
    #[test]
    fn it_goes_with_its_toolset() {
        let device = Device::empty();
        add(&device, server("web", "https://x.test/mcp")).expect("is added");
        let toolset = device.only().toolset;
        device.apply(soft_delete(&toolset, Timestamp::from_millis(5)).expect("is not built in"));
        assert_eq!(device.list().toolsets.len(), 2, "what is built in");
    }
}
