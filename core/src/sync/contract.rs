//! What every server of sync must do, as one suite: the simulator's runs it here, the real one in its own tests.

use crate::ids::DeviceId;
use crate::protocol::{BlobName, BlobPart, SyncAnswer, SyncAsk, SyncKeyId, SyncRequest, SyncStatus, WantedPart};
use crate::sync::SyncServer;

/// How the suite gets at a server.
#[expect(async_fn_in_trait, reason = "only tests implement this")]
pub trait Harness: SyncServer {
    /// A server with one account that has nothing.
    async fn fresh() -> Self;
}

/// Hands the name of every case to the macro `$run`, which makes a test of each.
#[macro_export]
macro_rules! every_sync_case {
    ($run:ident) => {
        $run! {
            nothing_is_there_before_it_begins
            a_wrong_key_is_let_in_nowhere
            changes_come_in_their_order
            a_repeated_push_is_one_change
            numbers_have_no_gap
            a_change_whose_blobs_are_missing_is_refused
            parts_make_a_blob
            a_snapshot_takes_the_place_of_its_changes
            a_snapshot_without_its_blobs_is_refused
            a_snapshot_is_named_in_several_requests
            a_device_that_was_shut_out_gets_nothing
            another_key_begins_another_log
            a_lost_key_is_given_up
            the_log_of_another_life_is_refused
        }
    };
}

pub use every_sync_case as every_case;

const KEY: [u8; 32] = [1; 32];

fn device(number: u8) -> DeviceId {
    DeviceId::parse(format!("0198c5a4-7c1e-7000-8000-0000000000{number:02x}")).expect("is a UUID")
}

fn name(number: u8) -> BlobName {
    BlobName::new([number; 32])
}

async fn ask(server: &impl SyncServer, by: u8, request: SyncRequest, beside: &[&[u8]]) -> (SyncAnswer, Vec<Vec<u8>>) {
    let ask = SyncAsk { device: device(by), key: SyncKeyId::new(KEY), epoch: None, request };
    server.ask(ask, beside.iter().map(|bytes| bytes.to_vec()).collect()).await.expect("is reached")
}

async fn status(server: &impl SyncServer, by: u8) -> SyncStatus {
    match ask(server, by, SyncRequest::Status, &[]).await.0 {
        SyncAnswer::Status(status) => status,
        other => panic!("{other:?}"),
    }
}

async fn begun<H: Harness>() -> H {
    let server = H::fresh().await;
    let (answer, _) = ask(&server, 1, SyncRequest::Begin, &[]).await;
    assert!(matches!(answer, SyncAnswer::Status(_)), "{answer:?}");
    server
}

async fn push(server: &impl SyncServer, by: u8, sequence: u64, names: &[BlobName], sealed: &[u8]) -> SyncAnswer {
    ask(server, by, SyncRequest::Push { sequence, names: names.to_vec() }, &[sealed]).await.0
}

async fn put(server: &impl SyncServer, part: BlobPart, sealed: &[u8]) {
    let (answer, _) = ask(server, 1, SyncRequest::PutParts { parts: vec![part] }, &[sealed]).await;
    assert_eq!(answer, SyncAnswer::Done);
}

/// The first device begins, on purpose.
pub async fn nothing_is_there_before_it_begins<H: Harness>() {
    let server = H::fresh().await;
    for request in [SyncRequest::Status, SyncRequest::Changes { after: 0 }, SyncRequest::Devices] {
        assert_eq!(ask(&server, 1, request, &[]).await.0, SyncAnswer::NotBegun);
    }
    let (first, _) = ask(&server, 1, SyncRequest::Begin, &[]).await;
    let (again, _) = ask(&server, 2, SyncRequest::Begin, &[]).await;
    let (SyncAnswer::Status(first), SyncAnswer::Status(again)) = (first, again) else { panic!("is not begun") };
    assert_eq!((&first.epoch, first.head, first.sequence), (&again.epoch, 0, 0));
}

/// R316: whoever does not have the code is refused before anything is read of what they send.
pub async fn a_wrong_key_is_let_in_nowhere<H: Harness>() {
    let server = begun::<H>().await;
    let requests = [
        SyncRequest::Begin,
        SyncRequest::Status,
        SyncRequest::Changes { after: 0 },
        SyncRequest::Push { sequence: 1, names: vec![] },
        SyncRequest::PutParts { parts: vec![BlobPart { name: name(1), part: 0, parts: 1 }] },
        SyncRequest::Devices,
        SyncRequest::Rotate { key: SyncKeyId::new([9; 32]), head: 0 },
    ];
    for request in requests {
        let other = SyncAsk { device: device(2), key: SyncKeyId::new([9; 32]), epoch: None, request };
        let (answer, _) = server.ask(other, vec![b"sealed".to_vec()]).await.expect("is reached");
        assert_eq!(answer, SyncAnswer::WrongKey);
    }
    let now = status(&server, 1).await;
    assert_eq!((now.head, now.used_bytes), (0, 0));
    let (devices, _) = ask(&server, 1, SyncRequest::Devices, &[]).await;
    assert!(matches!(&devices, SyncAnswer::Devices { devices } if devices.len() == 1), "{devices:?}");
}

/// The server orders.
pub async fn changes_come_in_their_order<H: Harness>() {
    let server = begun::<H>().await;
    for (by, sequence, sealed) in [(1, 1, b"a"), (2, 1, b"b"), (1, 2, b"c")] {
        assert!(matches!(push(&server, by, sequence, &[], sealed).await, SyncAnswer::Pushed { .. }));
    }
    let (answer, sealed) = ask(&server, 2, SyncRequest::Changes { after: 1 }, &[]).await;
    let SyncAnswer::Changes { changes, head: 3 } = answer else { panic!("{answer:?}") };
    let found: Vec<_> =
        changes.iter().map(|change| (change.position, change.device.clone(), change.sequence)).collect();
    assert_eq!(found, [(2, device(2), 1), (3, device(1), 2)]);
    assert_eq!(sealed, [b"b".to_vec(), b"c".to_vec()]);
    assert_eq!(status(&server, 1).await.sequence, 2);
}

/// F8, R316: an answer that was lost makes no second change, however often the push is repeated.
pub async fn a_repeated_push_is_one_change<H: Harness>() {
    let server = begun::<H>().await;
    for _ in 0..20 {
        assert_eq!(push(&server, 1, 1, &[], b"the same").await, SyncAnswer::Pushed { position: 1 });
    }
    assert_eq!(push(&server, 1, 2, &[], b"the next").await, SyncAnswer::Pushed { position: 2 });
    assert_eq!(push(&server, 1, 1, &[], b"the same").await, SyncAnswer::Pushed { position: 1 });
    assert_eq!(push(&server, 1, 1, &[], b"another").await, SyncAnswer::OutOfSequence { last: 2 });
    assert_eq!(status(&server, 1).await.head, 2);
}

/// A number that is not due is refused with the one that is there.
pub async fn numbers_have_no_gap<H: Harness>() {
    let server = begun::<H>().await;
    assert_eq!(push(&server, 1, 2, &[], b"early").await, SyncAnswer::OutOfSequence { last: 0 });
    assert_eq!(push(&server, 1, 0, &[], b"never").await, SyncAnswer::OutOfSequence { last: 0 });
    assert_eq!(push(&server, 1, 1, &[], b"first").await, SyncAnswer::Pushed { position: 1 });
}

/// F6, I3: rows never come before their blobs; the refusal says which are missing, and half a blob is none.
pub async fn a_change_whose_blobs_are_missing_is_refused<H: Harness>() {
    let server = begun::<H>().await;
    put(&server, BlobPart { name: name(1), part: 0, parts: 1 }, b"whole").await;
    put(&server, BlobPart { name: name(2), part: 1, parts: 2 }, b"second half").await;
    let named = [name(1), name(2), name(3)];
    let SyncAnswer::MissingBlobs { mut names } = push(&server, 1, 1, &named, b"rows").await else {
        panic!("it was taken")
    };
    names.sort();
    assert_eq!(names, [name(2), name(3)]);
    assert_eq!(status(&server, 1).await.head, 0);
    put(&server, BlobPart { name: name(2), part: 0, parts: 2 }, b"first half").await;
    put(&server, BlobPart { name: name(3), part: 0, parts: 1 }, b"").await;
    assert_eq!(push(&server, 1, 1, &named, b"rows").await, SyncAnswer::Pushed { position: 1 });
    assert_eq!(status(&server, 1).await.missing, 0);
}

/// Parts may come in any order, and twice; what is there of a blob is told, so that the rest can follow.
pub async fn parts_make_a_blob<H: Harness>() {
    let server = begun::<H>().await;
    let part = |part| BlobPart { name: name(1), part, parts: 3 };
    put(&server, part(2), b"c").await;
    put(&server, part(0), b"a").await;
    put(&server, part(0), b"a").await;
    let have = || ask(&server, 1, SyncRequest::Have { names: vec![name(1), name(2)] }, &[]);
    assert_eq!(have().await.0, SyncAnswer::Have { complete: vec![], partly: vec![part(0), part(2)] });
    let get = || {
        let parts = [0, 1, 2].map(|part| WantedPart { name: name(1), part });
        ask(&server, 1, SyncRequest::GetParts { parts: parts.to_vec() }, &[])
    };
    let (half, none) = get().await;
    assert!(matches!(&half, SyncAnswer::Parts { parts, absent } if parts.is_empty() && !absent.is_empty()), "{half:?}");
    assert_eq!(none, Vec::<Vec<u8>>::new());
    put(&server, part(1), b"b").await;
    assert_eq!(have().await.0, SyncAnswer::Have { complete: vec![name(1)], partly: vec![] });
    let (answer, sealed) = get().await;
    assert_eq!(answer, SyncAnswer::Parts { parts: [0, 1, 2].map(part).to_vec(), absent: vec![] });
    assert_eq!(sealed.concat(), b"abc");
}

/// A new device need not read the whole past, and one that has read it goes on.
pub async fn a_snapshot_takes_the_place_of_its_changes<H: Harness>() {
    let server = begun::<H>().await;
    for (sequence, sealed) in [(1, b"a"), (2, b"b"), (3, b"c")] {
        push(&server, 1, sequence, &[], sealed).await;
    }
    for (part, sealed) in [(0, b"one"), (1, b"two")] {
        let request = SyncRequest::PutSnapshotPart { position: 2, part };
        assert_eq!(ask(&server, 1, request, &[sealed]).await.0, SyncAnswer::Done);
    }
    let finish = |position, parts| SyncRequest::FinishSnapshot { position, parts, names: vec![] };
    let (lacking, _) = ask(&server, 1, finish(2, 3), &[]).await;
    assert_eq!(lacking.status(), 400, "{lacking:?}");
    assert_eq!(ask(&server, 1, finish(2, 2), &[]).await.0, SyncAnswer::Done);
    assert_eq!(ask(&server, 1, finish(2, 2), &[]).await.0, SyncAnswer::NotCurrent);

    let (first, _) = ask(&server, 2, SyncRequest::Changes { after: 0 }, &[]).await;
    let SyncAnswer::SnapshotFirst { snapshot } = first else { panic!("{first:?}") };
    assert_eq!((snapshot.device, snapshot.position, snapshot.parts), (device(1), 2, 2));
    let (answer, sealed) = ask(&server, 2, SyncRequest::SnapshotPart { position: 2, part: 1 }, &[]).await;
    assert_eq!((answer, sealed), (SyncAnswer::SnapshotPart, vec![b"two".to_vec()]));
    let (answer, sealed) = ask(&server, 2, SyncRequest::Changes { after: 2 }, &[]).await;
    assert!(matches!(&answer, SyncAnswer::Changes { changes, head: 3 } if changes.len() == 1), "{answer:?}");
    assert_eq!(sealed, [b"c".to_vec()]);
    let now = status(&server, 1).await;
    assert_eq!((now.head, now.sequence, now.log_changes), (3, 3, 1));
}

/// What a snapshot needs must be there, as for a change.
pub async fn a_snapshot_without_its_blobs_is_refused<H: Harness>() {
    let server = begun::<H>().await;
    push(&server, 1, 1, &[], b"a").await;
    ask(&server, 1, SyncRequest::PutSnapshotPart { position: 1, part: 0 }, &[b"all"]).await;
    let finish = SyncRequest::FinishSnapshot { position: 1, parts: 1, names: vec![name(1)] };
    let (answer, _) = ask(&server, 1, finish.clone(), &[]).await;
    assert_eq!(answer, SyncAnswer::MissingBlobs { names: vec![name(1)] });
    put(&server, BlobPart { name: name(1), part: 0, parts: 1 }, b"it").await;
    assert_eq!(ask(&server, 1, finish, &[]).await.0, SyncAnswer::Done);
}

/// One request names only so many blobs; those that were named before the last one are kept as those in it.
pub async fn a_snapshot_is_named_in_several_requests<H: Harness>() {
    let server = begun::<H>().await;
    push(&server, 1, 1, &[], b"a").await;
    ask(&server, 1, SyncRequest::PutSnapshotPart { position: 1, part: 0 }, &[b"all"]).await;
    let name_some = |number| SyncRequest::NameSnapshot { position: 1, names: vec![name(number)] };
    let (answer, _) = ask(&server, 1, name_some(1), &[]).await;
    assert_eq!(answer, SyncAnswer::MissingBlobs { names: vec![name(1)] });
    for number in [1, 2] {
        put(&server, BlobPart { name: name(number), part: 0, parts: 1 }, b"it").await;
        assert_eq!(ask(&server, 1, name_some(number), &[]).await.0, SyncAnswer::Done);
    }
    let finish = SyncRequest::FinishSnapshot { position: 1, parts: 1, names: vec![] };
    assert_eq!(ask(&server, 1, finish, &[]).await.0, SyncAnswer::Done);
    // A blob that is cut anew is not whole for a moment: by that it is seen that something needs it.
    put(&server, BlobPart { name: name(2), part: 0, parts: 2 }, b"half").await;
    assert_eq!(ask(&server, 1, SyncRequest::Missing, &[]).await.0, SyncAnswer::Missing { names: vec![name(2)] });
}

/// R325: with the code of an account lost, whoever may use the account begins anew, but nobody who was shut out.
pub async fn a_lost_key_is_given_up<H: Harness>() {
    let server = begun::<H>().await;
    push(&server, 1, 1, &[], b"nobody can read this any more").await;
    status(&server, 3).await;
    ask(&server, 1, SyncRequest::Revoke { device: device(3) }, &[]).await;
    let with_other_key = async |by: u8, request: SyncRequest, beside: Vec<Vec<u8>>| {
        let ask = SyncAsk { device: device(by), key: SyncKeyId::new([2; 32]), epoch: None, request };
        server.ask(ask, beside).await.expect("is reached").0
    };
    assert_eq!(with_other_key(3, SyncRequest::BeginAnew, vec![]).await, SyncAnswer::Revoked);
    assert_eq!(status(&server, 1).await.head, 1);
    let begun = with_other_key(2, SyncRequest::BeginAnew, vec![]).await;
    assert!(matches!(&begun, SyncAnswer::Status(now) if (now.head, now.used_bytes) == (0, 0)), "{begun:?}");
    assert_eq!(ask(&server, 1, SyncRequest::Status, &[]).await.0, SyncAnswer::WrongKey);
    // The same once more takes nothing away.
    let pushed = with_other_key(2, SyncRequest::Push { sequence: 1, names: vec![] }, vec![b"rows".to_vec()]).await;
    assert_eq!(pushed, SyncAnswer::Pushed { position: 1 });
    let again = with_other_key(2, SyncRequest::BeginAnew, vec![]).await;
    assert!(matches!(&again, SyncAnswer::Status(now) if now.head == 1), "{again:?}");
}

/// R325
pub async fn a_device_that_was_shut_out_gets_nothing<H: Harness>() {
    let server = begun::<H>().await;
    status(&server, 2).await;
    assert_eq!(ask(&server, 2, SyncRequest::NameDevice, &[b"sealed name"]).await.0, SyncAnswer::Done);
    assert_eq!(ask(&server, 1, SyncRequest::Revoke { device: device(2) }, &[]).await.0, SyncAnswer::Done);
    for request in [SyncRequest::Status, SyncRequest::Changes { after: 0 }, SyncRequest::Begin] {
        assert_eq!(ask(&server, 2, request, &[]).await.0, SyncAnswer::Revoked);
    }
    assert_eq!(push(&server, 2, 1, &[], b"rows").await, SyncAnswer::Revoked);
    let (answer, _) = ask(&server, 1, SyncRequest::Devices, &[]).await;
    let SyncAnswer::Devices { devices } = answer else { panic!("{answer:?}") };
    let standing: Vec<bool> = devices.iter().map(|device| device.revoked_at.is_some()).collect();
    assert_eq!(standing, [false, true]);
    assert_eq!(devices[1].sealed_name.as_deref(), Some("c2VhbGVkIG5hbWU="));
    let (unknown, _) = ask(&server, 1, SyncRequest::Revoke { device: device(3) }, &[]).await;
    assert_eq!(unknown.status(), 400);
}

/// R325: only from a device that has everything; then the old key opens nothing, and nothing sealed under it is left.
pub async fn another_key_begins_another_log<H: Harness>() {
    let server = begun::<H>().await;
    put(&server, BlobPart { name: name(1), part: 0, parts: 1 }, b"it").await;
    push(&server, 1, 1, &[name(1)], b"a").await;
    let before = status(&server, 1).await;
    let rotate = |head| SyncRequest::Rotate { key: SyncKeyId::new([2; 32]), head };
    assert_eq!(ask(&server, 1, rotate(0), &[]).await.0, SyncAnswer::NotCurrent);
    assert_eq!(ask(&server, 1, rotate(1), &[]).await.0, SyncAnswer::Done);
    assert_eq!(ask(&server, 1, SyncRequest::Status, &[]).await.0, SyncAnswer::WrongKey);
    let new = SyncAsk { device: device(1), key: SyncKeyId::new([2; 32]), epoch: None, request: SyncRequest::Status };
    let (answer, _) = server.ask(new, vec![]).await.expect("is reached");
    let SyncAnswer::Status(after) = answer else { panic!("{answer:?}") };
    assert_ne!(after.epoch, before.epoch);
    assert_eq!((after.head, after.sequence, after.used_bytes), (0, 0, 0));
}

/// F5: who knows another life of the log is told so, and nothing is taken from them.
pub async fn the_log_of_another_life_is_refused<H: Harness>() {
    let server = begun::<H>().await;
    let epoch = status(&server, 1).await.epoch;
    let request = SyncRequest::Push { sequence: 1, names: vec![] };
    let mut ask = SyncAsk { device: device(1), key: SyncKeyId::new(KEY), epoch: Some(epoch.clone()), request };
    ask.epoch = Some(crate::protocol::SyncEpoch("another life".into()));
    let (answer, _) = server.ask(ask.clone(), vec![b"rows".to_vec()]).await.expect("is reached");
    assert_eq!(answer, SyncAnswer::OtherEpoch { epoch: epoch.clone() });
    ask.epoch = Some(epoch);
    let (answer, _) = server.ask(ask, vec![b"rows".to_vec()]).await.expect("is reached");
    assert_eq!(answer, SyncAnswer::Pushed { position: 1 });
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::at_once::at_once;
    use crate::sync::NotReached;
    use crate::sync::simulator::ModelServer;

    struct Model(RefCell<ModelServer>);

    impl SyncServer for Model {
        async fn ask(&self, ask: SyncAsk, beside: Vec<Vec<u8>>) -> Result<(SyncAnswer, Vec<Vec<u8>>), NotReached> {
            Ok(self.0.borrow_mut().handle(&ask, &beside))
        }
    }

    impl Harness for Model {
        async fn fresh() -> Self {
            Self(RefCell::new(ModelServer::new()))
        }
    }

    macro_rules! run {
        ($($case:ident)*) => {
            $(
                #[test]
                fn $case() {
                    at_once(super::$case::<Model>());
                }
            )*
        };
    }
    every_case!(run);
}
