//! Calls that are made once more, and what is hashed again (R310).

use super::*;
use crate::digest::BlobId;
use crate::python::Ending;
use crate::python::scripted::{came_back, ended, gave, raised};
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
    let toolset = device.get::<crate::record::Toolset>(RowKey::one("mine")).expect("is installed");
    let gone = crate::record::Toolset { soft_deleted_at: Some(Timestamp::from_millis(9)), ..toolset.clone() };
    device.apply(Commit::default().change(&toolset, &gone));
    assert_eq!(device.again(), Again::NotRun { reason: "no toolset \"mine\" is installed".into() });

    let device = Device::new();
    device.python.then(came_back(gave(json!({"rows": 2})), &[], &[]));
    let call = device.count("in.csv").call;
    let toolset = device.get::<crate::record::Toolset>(RowKey::one("mine")).expect("is installed");
    assert_eq!(call.package, Some(toolset.package), "the code that ran is named by its hash");
    device.install(&MANIFEST.replace("timeout_seconds: 5", "timeout_seconds: 6"));
    let reason = "it was made by another version of its toolset than the one that is installed";
    assert_eq!(device.again(), Again::NotRun { reason: reason.into() });

    let device = Device::new();
    device.python.then(ended(Ending::Stopped));
    device.count("in.csv");
    assert_eq!(device.again(), Again::NotRun { reason: "it was stopped before it finished".into() });
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
