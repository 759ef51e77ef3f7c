//! Calls that are made once more, and what is hashed again (R310).

use super::*;
use crate::digest::BlobId;
use crate::python::Ending;
use crate::python::scripted::{came_back, ended, gave, raised};
use crate::record::{Package, PackageId, RowRef, Toolset};
use crate::store::Blob;
use crate::tool_run::{Again, Rerunner};
use crate::verify;
use crate::whole_export::Extent;

impl Device {
    fn rerun(&self, extent: &Extent) -> Vec<Again> {
        let rows =
            |device: &Self| Table::ALL.map(|table| at_once(device.store.rows(table)).expect("memory does not fail"));
        let before = rows(self);
        let rerunner = Rerunner {
            store: &self.store,
            python: &self.python,
            surroundings: &self.surroundings,
            limits: &self.limits,
            fresh_id: &|| self.fresh(),
        };
        let calls = at_once(verify::calls(&self.store, extent)).expect("memory does not fail");
        let reruns = at_once(verify::rerun(&rerunner, &calls, |_, _| true)).expect("memory does not fail");
        assert_eq!(rows(self), before, "nothing is recorded");
        reruns.into_iter().map(|rerun| rerun.again).collect()
    }

    fn again(&self) -> Again {
        self.rerun(&Extent::All).pop().expect("there is a call")
    }
}

/// R310: the same, or which files are not; the call sees the files of then.
#[test]
fn a_call_is_compared_with_what_it_did_then() {
    let device = Device::new();
    let wrote = || came_back(gave(json!({"rows": 2})), &[("out.csv", "a,b")], &[]);
    device.python.then(wrote());
    device.count("in.csv");
    device.python.then(wrote());
    assert_eq!(device.again(), Again::Same);
    let calls = device.python.calls.take();
    assert_eq!(calls[0].workspace, calls[1].workspace, "it sees the files of then");
    assert_eq!((&calls[0].arguments, &calls[0].session), (&calls[1].arguments, &calls[1].session));
    assert_ne!(calls[0].id, calls[1].id, "a second run is not the first one");

    device.python.then(came_back(gave(json!({"rows": 2})), &[("out.csv", "a,c"), ("more.txt", "")], &[]));
    assert_eq!(device.again(), Again::OtherFiles { paths: vec!["more.txt".into(), "out.csv".into()] });
    device.python.then(came_back(gave(json!({"rows": 3})), &[("out.csv", "a,b")], &[]));
    assert_eq!(device.again(), Again::OtherResult);
    device.python.then(came_back(raised("no"), &[("out.csv", "a,b")], &[]));
    assert_eq!(device.again(), Again::OtherEnd { message: "no".into() });
    for (ending, reason) in [
        (Ending::Stopped, "it was stopped"),
        (Ending::TimedOut, "it took longer than it may"),
        (Ending::Died { message: "out of memory.".into() }, "out of memory"),
    ] {
        device.python.then(ended(ending));
        assert_eq!(device.again(), Again::NotRun { reason: reason.into() });
    }
}

/// R310: what cannot be run again says why.
#[test]
fn what_cannot_be_run_again_is_listed() {
    let device = Device::new();
    device.built_in("write_file", json!({"path": "a.txt", "content": "a"}));
    assert_eq!(device.again(), Again::NotRun { reason: "it is not a Python tool".into() });

    let device = Device::new();
    device.python.then(came_back(gave(json!({"rows": 2})), &[], &[]));
    device.count("in.csv");
    let toolset = device.get::<Toolset>(RowKey::one("mine")).expect("is installed");
    let gone = Toolset { soft_deleted_at: Some(Timestamp::from_millis(9)), ..toolset.clone() };
    device.apply(Commit::default().change(&toolset, &gone));
    assert_eq!(device.again(), Again::NotRun { reason: "no toolset \"mine\" is installed".into() });

    let device = Device::new();
    device.python.then(ended(Ending::Stopped));
    device.count("in.csv");
    assert_eq!(device.again(), Again::NotRun { reason: "it was stopped before it finished".into() });
}

/// R310: a call is made again with the package that made it, also when another version is installed, and with no network then.
#[test]
fn a_call_of_an_older_version_is_run_with_that_version() {
    let device = Device::new();
    let wrote = || came_back(gave(json!({"rows": 2})), &[("out.csv", "a,b")], &[]);
    device.python.then(wrote());
    let call = device.count("in.csv").call;
    let then = device.get::<Toolset>(RowKey::one("mine")).expect("is installed").package;
    assert_eq!(call.package, Some(then), "the code that ran is named by its hash");
    // The tool is not even in the newer version.
    device.install(&MANIFEST.replace("  - id: count\n", "  - id: counted\n"));
    let now = device.get::<Toolset>(RowKey::one("mine")).expect("is installed").package;
    assert_ne!(then, now);
    device.python.then(wrote());
    assert_eq!(device.again(), Again::Same);
    let calls = device.python.calls.take();
    assert_eq!(calls[0].session, calls[1].session, "the same package, which is not the one that is installed");
    assert_eq!(calls[0].toolset_files, calls[1].toolset_files);
    assert!(!calls[0].declared_hosts.is_empty(), "the version that was installed could ask for hosts");
    assert_eq!(calls[1].declared_hosts, [] as [String; 0]);

    let package = |id: PackageId| RowRef { table: Table::Packages, key: RowKey::one(id.to_string()) };
    device.apply(Commit::default().delete(package(then)));
    let reason = "the version of its toolset that made it is not stored any more";
    assert_eq!(device.again(), Again::NotRun { reason: reason.into() });
}

/// A call that names the package of another toolset does not get that one's code run under its own name.
#[test]
fn a_call_is_not_run_with_the_package_of_another_toolset() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({"rows": 2})), &[], &[]));
    let call = device.count("in.csv").call;
    let own = device.get::<Package>(RowKey::one(call.package.expect("is Python").to_string())).expect("is stored");
    let others = PackageId::of(b"another");
    let foreign = Package { package: others, toolset_id: ToolsetId::parse("other").expect("is an id"), ..own };
    device.apply(Commit::default().put(&foreign).change(&call, &ToolCall { package: Some(others), ..call.clone() }));
    let reason = "the version of its toolset that made it is not stored any more";
    assert_eq!(device.again(), Again::NotRun { reason: reason.into() });
}

/// R310, R311: every blob of a chat is hashed again, and no other.
#[test]
fn the_blobs_of_a_chat_are_hashed_again() {
    let device = Device::new();
    device.python.then(came_back(gave(json!({"rows": 2})), &[("out/a.csv", "a,b"), ("b.csv", "b")], &[]));
    let chat = device.count("in.csv").call.chat_id;
    let hash = |extent: &Extent| {
        at_once(verify::rehash(&device.store, extent, |_| true)).expect("memory does not fail").expect("is not stopped")
    };
    let sound = hash(&Extent::Chat(chat.clone()));
    assert_eq!((sound.manifests, sound.findings.len()), (2, 0));
    assert_eq!(sound.blobs, 5, "two files, their two folders, and the one without files");

    let broken = BlobId::of(b"a,b");
    device.apply(Commit::default().blob(Blob::named(broken, b"rot".to_vec())));
    let found = hash(&Extent::Chat(chat.clone())).findings;
    assert!(found.iter().any(|finding| finding.contains(&broken.to_string())), "{found:?}");
    assert_eq!(hash(&Extent::All).findings, found);
    let stopped = at_once(verify::rehash(&device.store, &Extent::Chat(chat), |_| false));
    assert_eq!(stopped.expect("memory does not fail"), None);
}
