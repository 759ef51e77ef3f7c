//! How far this device is in its account's log. It is written in the very commits that it is about.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::DeviceId;
use crate::protocol::{SyncEpoch, SyncKeyId};
use crate::record::{Position, RowKey};
use crate::store::{Commit, Store, StoreError, get};

/// Where it is kept among the positions of the device.
const PLACE: &str = "sync";

/// How far a device is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyncState {
    /// What the key is known by that the rest is about.
    pub key: SyncKeyId,
    /// The life of the log.
    pub epoch: SyncEpoch,
    /// The last change that was taken over.
    pub cursor: u64,
    /// The last change of every device among them.
    pub seen: BTreeMap<DeviceId, u64>,
    /// The number of this device's own last change that the server has acknowledged.
    pub sequence: u64,
    /// Everything has to be sent again, and is not all in the outbox yet.
    #[serde(default)]
    pub resend: bool,
}

impl SyncState {
    /// The beginning of a log.
    #[must_use]
    pub fn new(key: SyncKeyId, epoch: SyncEpoch) -> Self {
        Self { key, epoch, cursor: 0, seen: BTreeMap::new(), sequence: 0, resend: false }
    }

    /// The same device before it had read anything: the next round reads the whole log, and sends nothing again.
    #[must_use]
    pub fn read_again(self) -> Self {
        Self { cursor: 0, seen: BTreeMap::new(), ..self }
    }

    /// What a device has kept; none where it never synced, or what is there is of no use.
    pub async fn load(store: &impl Store) -> Result<Option<Self>, StoreError> {
        let position: Option<Position> = get(store, RowKey::one(PLACE)).await?;
        Ok(position.and_then(|position| serde_json::from_value(position.value).ok()))
    }

    /// Keeps it with what else is in the commit.
    #[must_use]
    pub fn keep(&self, commit: Commit) -> Commit {
        let value = serde_json::to_value(self).expect("plain data can be written as JSON");
        commit.put(&Position { place: PLACE.into(), value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I9
    #[test]
    fn as_stored() {
        let device = DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID");
        let mut state = SyncState::new(SyncKeyId::new([1; 32]), SyncEpoch("e".into()));
        state.seen.insert(device, 3);
        insta::assert_json_snapshot!(state, @r#"
        {
          "key": "0101010101010101010101010101010101010101010101010101010101010101",
          "epoch": "e",
          "cursor": 0,
          "seen": {
            "0198c5a4-7c1e-7000-8000-0000000000d1": 3
          },
          "sequence": 0,
          "resend": false
        }
        "#);
    }
}
