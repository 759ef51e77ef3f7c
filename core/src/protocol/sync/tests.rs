//! I9: the words of sync as they are sent.

use super::*;

fn device() -> DeviceId {
    DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID")
}

#[test]
fn requests_on_the_wire() {
    let name = BlobName::new([1; 32]);
    let requests = [
        SyncRequest::Begin,
        SyncRequest::BeginAnew,
        SyncRequest::Status,
        SyncRequest::Changes { after: 3 },
        SyncRequest::Push { sequence: 4, names: vec![name] },
        SyncRequest::Have { names: vec![] },
        SyncRequest::PutParts { parts: vec![BlobPart { name, part: 0, parts: 2 }] },
        SyncRequest::GetParts { parts: vec![WantedPart { name, part: 1 }] },
        SyncRequest::Missing,
        SyncRequest::PutSnapshotPart { position: 9, part: 0 },
        SyncRequest::NameSnapshot { position: 9, names: vec![name] },
        SyncRequest::FinishSnapshot { position: 9, parts: 1, names: vec![] },
        SyncRequest::SnapshotPart { position: 9, part: 0 },
        SyncRequest::Devices,
        SyncRequest::NameDevice,
        SyncRequest::Revoke { device: device() },
        SyncRequest::Rotate { key: SyncKeyId::new([2; 32]), head: 9 },
    ];
    let asks = requests.map(|request| SyncAsk {
        device: device(),
        key: SyncKeyId::new([2; 32]),
        epoch: Some(SyncEpoch("e".into())),
        request,
    });
    insta::assert_snapshot!(serde_json::to_string(&asks[4]).expect("writes"), @r#"{"device":"0198c5a4-7c1e-7000-8000-0000000000d1","key":"0202020202020202020202020202020202020202020202020202020202020202","epoch":"e","request":{"type":"push","sequence":4,"names":["0101010101010101010101010101010101010101010101010101010101010101"]}}"#);
    let requests: Vec<String> = asks.iter().map(|ask| serde_json::to_string(&ask.request).expect("writes")).collect();
    insta::assert_snapshot!(requests.join("\n"), @r#"
    {"type":"begin"}
    {"type":"begin_anew"}
    {"type":"status"}
    {"type":"changes","after":3}
    {"type":"push","sequence":4,"names":["0101010101010101010101010101010101010101010101010101010101010101"]}
    {"type":"have","names":[]}
    {"type":"put_parts","parts":[{"name":"0101010101010101010101010101010101010101010101010101010101010101","part":0,"parts":2}]}
    {"type":"get_parts","parts":[{"name":"0101010101010101010101010101010101010101010101010101010101010101","part":1}]}
    {"type":"missing"}
    {"type":"put_snapshot_part","position":9,"part":0}
    {"type":"name_snapshot","position":9,"names":["0101010101010101010101010101010101010101010101010101010101010101"]}
    {"type":"finish_snapshot","position":9,"parts":1,"names":[]}
    {"type":"snapshot_part","position":9,"part":0}
    {"type":"devices"}
    {"type":"name_device"}
    {"type":"revoke","device":"0198c5a4-7c1e-7000-8000-0000000000d1"}
    {"type":"rotate","key":"0202020202020202020202020202020202020202020202020202020202020202","head":9}
    "#);
    let read: Vec<SyncAsk> = serde_json::from_value(serde_json::to_value(&asks).expect("writes")).expect("reads");
    assert_eq!(read, asks);
}

#[test]
fn answers_on_the_wire() {
    let name = BlobName::new([1; 32]);
    let snapshot = SyncSnapshot { device: device(), position: 7, parts: 2 };
    let answers = [
        SyncAnswer::Status(SyncStatus {
            epoch: SyncEpoch("e".into()),
            head: 9,
            sequence: 4,
            snapshot: Some(snapshot.clone()),
            log_changes: 2,
            log_bytes: 100,
            missing: 0,
            damaged: true,
            used_bytes: 1000,
            quota_bytes: 2000,
        }),
        SyncAnswer::Changes { changes: vec![SyncChange { position: 8, device: device(), sequence: 4 }], head: 9 },
        SyncAnswer::Pushed { position: 9 },
        SyncAnswer::Have { complete: vec![name], partly: vec![BlobPart { name, part: 0, parts: 2 }] },
        SyncAnswer::Parts { parts: vec![], absent: vec![name] },
        SyncAnswer::Missing { names: vec![] },
        SyncAnswer::SnapshotPart,
        SyncAnswer::Devices {
            devices: vec![SyncDevice {
                id: device(),
                sealed_name: Some("AA==".into()),
                first_seen: Timestamp::from_millis(1),
                last_seen: Timestamp::from_millis(2),
                sequence: 4,
                revoked_at: None,
            }],
        },
        SyncAnswer::Done,
        SyncAnswer::NotBegun,
        SyncAnswer::WrongKey,
        SyncAnswer::Revoked,
        SyncAnswer::OtherEpoch { epoch: SyncEpoch("f".into()) },
        SyncAnswer::MissingBlobs { names: vec![] },
        SyncAnswer::OutOfSequence { last: 4 },
        SyncAnswer::SnapshotFirst { snapshot },
        SyncAnswer::NotCurrent,
        SyncAnswer::Damaged,
        SyncAnswer::Full { quota_bytes: 2000 },
        SyncAnswer::BadRequest { message: "why".into() },
    ];
    let written: Vec<String> = (answers.iter())
        .map(|answer| format!("{} {}", answer.status(), serde_json::to_string(answer).expect("writes")))
        .collect();
    insta::assert_snapshot!(written.join("\n"), @r#"
    200 {"type":"status","epoch":"e","head":9,"sequence":4,"snapshot":{"device":"0198c5a4-7c1e-7000-8000-0000000000d1","position":7,"parts":2},"log_changes":2,"log_bytes":100,"missing":0,"damaged":true,"used_bytes":1000,"quota_bytes":2000}
    200 {"type":"changes","changes":[{"position":8,"device":"0198c5a4-7c1e-7000-8000-0000000000d1","sequence":4}],"head":9}
    200 {"type":"pushed","position":9}
    200 {"type":"have","complete":["0101010101010101010101010101010101010101010101010101010101010101"],"partly":[{"name":"0101010101010101010101010101010101010101010101010101010101010101","part":0,"parts":2}]}
    200 {"type":"parts","parts":[],"absent":["0101010101010101010101010101010101010101010101010101010101010101"]}
    200 {"type":"missing","names":[]}
    200 {"type":"snapshot_part"}
    200 {"type":"devices","devices":[{"id":"0198c5a4-7c1e-7000-8000-0000000000d1","sealed_name":"AA==","first_seen":"1970-01-01T00:00:00.001Z","last_seen":"1970-01-01T00:00:00.002Z","sequence":4,"revoked_at":null}]}
    200 {"type":"done"}
    409 {"type":"not_begun"}
    403 {"type":"wrong_key"}
    403 {"type":"revoked"}
    409 {"type":"other_epoch","epoch":"f"}
    409 {"type":"missing_blobs","names":[]}
    409 {"type":"out_of_sequence","last":4}
    409 {"type":"snapshot_first","snapshot":{"device":"0198c5a4-7c1e-7000-8000-0000000000d1","position":7,"parts":2}}
    409 {"type":"not_current"}
    500 {"type":"damaged"}
    507 {"type":"full","quota_bytes":2000}
    400 {"type":"bad_request","message":"why"}
    "#);
    let read: Vec<SyncAnswer> = serde_json::from_value(serde_json::to_value(&answers).expect("writes")).expect("reads");
    assert_eq!(read, answers);
}

#[test]
fn bytes_travel_beside_the_head() {
    let framed = frame_sync(&SyncRequest::Status, &[vec![], vec![1, 2]]);
    assert_eq!(unframe_sync::<SyncRequest>(&framed), Ok((SyncRequest::Status, vec![vec![], vec![1, 2]])));
    for cut in 0..framed.len() - 2 {
        let read = unframe_sync::<SyncRequest>(&framed[..cut]);
        assert!(read.as_ref().is_err() || read.is_ok_and(|(_, beside)| beside.len() < 2), "cut at {cut}");
    }
    assert_eq!(unframe_sync::<SyncRequest>(&framed[..framed.len() - 1]), Err(SyncFrameError::Cut));
    assert_eq!(unframe_sync::<SyncRequest>(&[0, 0, 0, 1, b'{']), Err(SyncFrameError::NotThatJson));
}
