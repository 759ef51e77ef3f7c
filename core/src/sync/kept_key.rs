//! The account's key as a device keeps it, to be sealed by whoever keeps secrets there.
//!
//! While the key is being changed the device keeps both: the new one is kept before the server hears of it, so that it cannot be lost
//! between the two, and which of them counts is the server's to say.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::account::Membership;
use super::code::AccountKey;
use super::error::SyncError;
use super::round::SyncServer;
use super::seal::SyncKeys;
use crate::ids::DeviceId;

/// The key, or two while it is being changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptKey {
    /// The account's key, as far as is known.
    #[serde(serialize_with = "write", deserialize_with = "read")]
    pub key: AccountKey,
    /// The one that takes its place, if the server has heard of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Next(#[serde(serialize_with = "write", deserialize_with = "read")] AccountKey);

impl KeptKey {
    /// A key that nothing is about to replace.
    #[must_use]
    pub fn new(key: AccountKey) -> Self {
        Self { key, next: None }
    }

    /// To be kept before the server is asked to take another key.
    #[must_use]
    pub fn with_next(self, next: AccountKey) -> Self {
        Self { next: Some(Next(next)), ..self }
    }

    /// Whether which of two keys counts is still to be asked.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.next.is_none()
    }

    /// The one that counts, asked of the server where there are two.
    pub async fn settled(self, server: &impl SyncServer, device: &DeviceId) -> Result<Self, SyncError> {
        let Some(Next(next)) = self.next else { return Ok(self) };
        let keys = SyncKeys::new(&next);
        match (Membership { server, keys: &keys, device }).join().await {
            Ok(_) => Ok(Self::new(next)),
            // It was never taken, or another device has changed the key since.
            Err(SyncError::WrongKey) => Ok(Self::new(self.key)),
            Err(error) => Err(error),
        }
    }
}

fn write<S: Serializer>(key: &AccountKey, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&key.code())
}

fn read<'de, D: Deserializer<'de>>(from: D) -> Result<AccountKey, D::Error> {
    AccountKey::read(&String::deserialize(from)?).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::at_once::at_once;
    use crate::protocol::{SyncAnswer, SyncAsk};
    use crate::record::Setting;
    use crate::store::{Commit, MemoryStore, Store as _};
    use crate::sync::simulator::ModelServer;
    use crate::sync::{NotReached, Round, SyncLimits};
    use crate::time::Timestamp;

    struct Server(RefCell<ModelServer>);

    impl SyncServer for Server {
        async fn ask(&self, ask: SyncAsk, beside: Vec<Vec<u8>>) -> Result<(SyncAnswer, Vec<Vec<u8>>), NotReached> {
            Ok(self.0.borrow_mut().handle(&ask, &beside))
        }
    }

    fn device() -> DeviceId {
        DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID")
    }

    /// I9
    #[test]
    fn as_it_is_sealed() {
        let kept = KeptKey::new(AccountKey::from_random(*b"0123456789abcdef"));
        let json = serde_json::to_string(&kept).expect("is JSON");
        assert_eq!(json, r#"{"key":"60RK-4CSM-6MV3-EE1S-C5H6-6S35-CVDE-FX4W"}"#);
        let both = kept.with_next(AccountKey::from_random([7; 16]));
        let json = serde_json::to_string(&both).expect("is JSON");
        assert_eq!(serde_json::from_str::<KeptKey>(&json).expect("reads"), both);
        assert!(!both.is_settled());
    }

    /// R325: a device that is stopped in the middle of changing the key finds out which one counts, and has it in either case.
    #[test]
    fn a_change_of_the_key_that_was_cut_off_is_settled() {
        let (old, new) = (AccountKey::from_random([1; 16]), AccountKey::from_random([2; 16]));
        let (server, device, keys) = (Server(RefCell::new(ModelServer::new())), device(), SyncKeys::new(&old));
        let member = Membership { server: &server, keys: &keys, device: &device };
        at_once(member.begin()).expect("begins");
        let kept = KeptKey::new(old.clone()).with_next(new.clone());
        let before = at_once(kept.clone().settled(&server, &device)).expect("is asked");
        assert_eq!(before, KeptKey::new(old), "the server has not heard of the new one");

        let (store, now) = (MemoryStore::new(device.clone()), || Timestamp::from_millis(1));
        let (store, server, keys, device) = (&store, &server, &keys, &device);
        let limits = SyncLimits::default();
        let round = Round { store, server, keys, device, limits, now: &now, told: &|_| {}, came: &|_| {} };
        let setting = Setting { key: "theme".into(), value: "dark".into() };
        at_once(store.apply(Commit::default().put(&setting), now())).expect("applies");
        at_once(round.run()).expect("syncs");
        at_once(member.rotate(store, &SyncKeys::new(&new))).expect("is changed");
        assert_eq!(at_once(kept.settled(server, device)).expect("is asked"), KeptKey::new(new));
    }
}
