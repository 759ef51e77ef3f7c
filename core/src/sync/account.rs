//! A device and its account: to begin, to join, to see the other devices, to shut one out, to change the key.

use super::error::{NotReached, SyncError};
use super::round::SyncServer;
use super::seal::{Binding, SyncKeys};
use super::state::SyncState;
use crate::base64;
use crate::ids::DeviceId;
use crate::protocol::{SyncAnswer, SyncAsk, SyncDevice, SyncRequest, SyncStatus};
use crate::store::Store;

/// Longest name of a device, in bytes.
const NAME_BYTES: usize = 200;

/// A device with the account's keys, and its way to the server.
#[derive(Debug)]
pub struct Membership<'a, R> {
    /// The way to the server.
    pub server: &'a R,
    /// The account's keys.
    pub keys: &'a SyncKeys,
    /// This device.
    pub device: &'a DeviceId,
}

/// A device of the account, as its user may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceEntry {
    /// What it calls itself.
    pub name: Option<String>,
    /// Whether it is this one.
    pub is_this: bool,
    /// What the server knows of it.
    pub known: SyncDevice,
}

impl<R: SyncServer> Membership<'_, R> {
    /// Begins the account's log with this key. A log that has begun with it is found as it is; with another, it is refused.
    pub async fn begin(&self) -> Result<SyncStatus, SyncError> {
        status(self.ask(SyncRequest::Begin, Vec::new()).await?)
    }

    /// Begins the account's log anew with this key, in the place of one whose code is lost. What the server has under the old key goes, and
    /// the other devices are asked for the new code; each sends what it has, so nothing that is on a device is lost.
    pub async fn begin_anew(&self) -> Result<SyncStatus, SyncError> {
        status(self.ask(SyncRequest::BeginAnew, Vec::new()).await?)
    }

    /// Whether the key is the account's: asked before anything is sent under it.
    pub async fn join(&self) -> Result<SyncStatus, SyncError> {
        status(self.ask(SyncRequest::Status, Vec::new()).await?)
    }

    /// Tells the other devices what this one is called.
    pub async fn call_itself(&self, name: &str) -> Result<(), SyncError> {
        let end = (0..=name.len().min(NAME_BYTES)).rev().find(|at| name.is_char_boundary(*at)).unwrap_or_default();
        let sealed = self.keys.seal(Binding::DeviceName(self.device), &name.as_bytes()[..end]);
        done(self.ask(SyncRequest::NameDevice, vec![sealed]).await?)
    }

    /// The account's devices, those that were shut out among them.
    pub async fn devices(&self) -> Result<Vec<DeviceEntry>, SyncError> {
        match self.ask(SyncRequest::Devices, Vec::new()).await? {
            SyncAnswer::Devices { devices } => Ok(devices.into_iter().map(|known| self.entry(known)).collect()),
            other => Err(refusal(other)),
        }
    }

    /// Shuts a device out: from now on the server gives it nothing and takes nothing from it. It keeps what it has, and knows the key
    /// until that is changed.
    pub async fn revoke(&self, device: &DeviceId) -> Result<(), SyncError> {
        done(self.ask(SyncRequest::Revoke { device: device.clone() }, Vec::new()).await?)
    }

    /// Begins the log anew under another key. This device must have everything that is in the log; then the server drops what it has, and the next
    /// round sends all of it again. The other devices are asked for the new code, and send what only they have when they have it.
    pub async fn rotate(&self, store: &impl Store, new: &SyncKeys) -> Result<(), SyncError> {
        let status = self.join().await?;
        let state = SyncState::load(store).await?.filter(|state| state.epoch == status.epoch);
        // A device that has never taken anything over is at the beginning, as is a log with nothing in it.
        if state.map_or(0, |state| state.cursor) != status.head {
            return Err(SyncError::Busy);
        }
        done(self.ask(SyncRequest::Rotate { key: *new.id(), head: status.head }, Vec::new()).await?)
    }

    fn entry(&self, known: SyncDevice) -> DeviceEntry {
        let name = known.sealed_name.as_deref().and_then(base64::decode);
        let name = name.and_then(|sealed| self.keys.open(Binding::DeviceName(&known.id), &sealed).ok());
        DeviceEntry {
            name: name.and_then(|name| String::from_utf8(name).ok()),
            is_this: known.id == *self.device,
            known,
        }
    }

    async fn ask(&self, request: SyncRequest, beside: Vec<Vec<u8>>) -> Result<SyncAnswer, NotReached> {
        let ask = SyncAsk { device: self.device.clone(), key: *self.keys.id(), epoch: None, request };
        Ok(self.server.ask(ask, beside).await?.0)
    }
}

fn status(answer: SyncAnswer) -> Result<SyncStatus, SyncError> {
    match answer {
        SyncAnswer::Status(status) => Ok(status),
        other => Err(refusal(other)),
    }
}

fn done(answer: SyncAnswer) -> Result<(), SyncError> {
    match answer {
        SyncAnswer::Done => Ok(()),
        other => Err(refusal(other)),
    }
}

fn refusal(answer: SyncAnswer) -> SyncError {
    match super::round::refused(answer) {
        super::round::Turn::Fault(error) => error,
        super::round::Turn::OtherEpoch => SyncError::Busy,
    }
}
