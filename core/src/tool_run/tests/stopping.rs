//! F2: at whichever operation of the store the device stops during a call, there is afterwards the state before or the state after, all of
//! it is sound, and what was left running can be ended.

use std::cell::Cell;

use serde_json::json;

use super::{Device, at_once, files};
use crate::python::scripted::{came_back, gave};
use crate::record::{CallStatus, RowKey, ToolCall};
use crate::store::stopping::{Moment, Stopping};
use crate::time::Timestamp;
use crate::tool_run::{RunRequest, chats_left_running, interrupt_left};

/// R075, F2
#[test]
fn a_device_that_stops_leaves_the_state_before_or_after() {
    for moment in [Moment::Before, Moment::After] {
        let (mut unbegun, mut left, mut ended) = (0, 0, 0);
        for at in 1.. {
            let (status, is_over) = stopped(at, moment);
            match status {
                Some(CallStatus::Success) => ended += 1,
                Some(CallStatus::Running) => left += 1,
                Some(CallStatus::Pending | CallStatus::Error) | None => unbegun += 1,
            }
            if is_over {
                break;
            }
        }
        assert!(unbegun > 3 && left > 3 && ended > 0, "{moment:?}: {unbegun} {left} {ended}");
    }
}

/// Makes a call on a device that stops at an operation, and looks at what is left: how far the call got, and whether the device never
/// came to stop.
fn stopped(at: usize, moment: Moment) -> (Option<CallStatus>, bool) {
    let device = Device::new();
    device.python.then(came_back(gave(json!({})), &[("a.txt", "before")], &[]));
    let first = device.count("a.txt").call;
    device.python.then(came_back(gave(json!({})), &[("a.txt", "after"), ("b/c.txt", "new")], &[]));
    let stopping = Stopping { store: &device.store, at, moment, done: Cell::new(0) };
    let request = RunRequest { chat: Some(first.chat_id.clone()), ..device.request("count", json!({"path": "a.txt"})) };
    let id = request.id.clone();
    let outcome = device.try_run_over(&stopping, request);
    device.is_sound();
    let status = device.get::<ToolCall>(RowKey::one(id.as_str())).map(|call| call.status);
    let expected: &[_] = match status {
        Some(CallStatus::Success) => &[("a.txt", "after"), ("b/c.txt", "new")],
        Some(CallStatus::Pending | CallStatus::Running | CallStatus::Error) | None => &[("a.txt", "before")],
    };
    assert_eq!(device.shown(&first.chat_id), files(expected), "stopped at operation {at}, {moment:?}");
    let left = at_once(chats_left_running(&device.store)).expect("memory does not fail");
    assert_eq!(left.contains(&first.chat_id), status == Some(CallStatus::Running));
    let ended = at_once(interrupt_left(&device.store, &first.chat_id, Timestamp::from_millis(99)));
    assert_eq!(ended.expect("memory does not fail").len(), left.len());
    device.is_sound();
    (status, outcome.is_ok())
}
