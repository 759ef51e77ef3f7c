//! A server in memory that keeps the promises of the real one: both are held to `sync::contract`.

use std::collections::{BTreeMap, BTreeSet};

use crate::base64;
use crate::ids::DeviceId;
use crate::protocol::{
    BlobName, BlobPart, SyncAnswer, SyncAsk, SyncChange, SyncDevice, SyncEpoch, SyncKeyId, SyncRequest, SyncSnapshot,
    SyncStatus, WantedPart, sync_reserve,
};
use crate::time::Timestamp;

/// How long a blob that nothing names is kept, in milliseconds.
pub(super) const KEPT_UNNAMED: u64 = 7 * 86_400_000;

/// The log and the blobs of one account. A clone is a backup.
#[derive(Clone, Debug, Default)]
pub struct ModelServer {
    log: Option<Log>,
    blobs: BTreeMap<BlobName, Blob>,
    devices: BTreeMap<DeviceId, SyncDevice>,
    lives: u64,
    /// Most bytes of changes or parts that are given at once.
    pub page_bytes: usize,
    /// What the account may store.
    pub quota_bytes: u64,
    /// The time.
    pub now: Timestamp,
    /// The change that is damaged on the disk.
    pub damaged: Option<u64>,
    /// Whether that was noticed.
    noticed: bool,
}

#[derive(Clone, Debug)]
struct Log {
    key: SyncKeyId,
    epoch: SyncEpoch,
    head: u64,
    changes: Vec<Change>,
    snapshot: Option<(SyncSnapshot, Vec<Vec<u8>>, BTreeSet<BlobName>)>,
    coming: BTreeMap<(DeviceId, u64, u32), Vec<u8>>,
    /// What snapshots that are coming have named, by the change they end with.
    coming_names: BTreeMap<u64, BTreeSet<BlobName>>,
}

#[derive(Clone, Debug)]
struct Change {
    change: SyncChange,
    sealed: Vec<u8>,
    names: BTreeSet<BlobName>,
}

#[derive(Clone, Debug, Default)]
struct Blob {
    parts: u32,
    pieces: BTreeMap<u32, Vec<u8>>,
    unnamed_since: Timestamp,
}

impl Blob {
    fn is_whole(&self) -> bool {
        self.parts > 0 && self.pieces.len() == self.parts as usize
    }
}

type Answer = (SyncAnswer, Vec<Vec<u8>>);

impl ModelServer {
    /// An account that has nothing.
    #[must_use]
    pub fn new() -> Self {
        Self { page_bytes: 4 << 20, quota_bytes: 1 << 30, ..Self::default() }
    }

    /// Answers a device.
    pub fn handle(&mut self, ask: &SyncAsk, beside: &[Vec<u8>]) -> Answer {
        match self.answer(ask, beside) {
            Ok(answer) => answer,
            Err(refusal) => (refusal, Vec::new()),
        }
    }

    /// What `satchel restore` does beside putting the old data back: the log begins another life.
    pub fn restored(&mut self, lives: u64) {
        self.lives = lives + 1;
        if let Some(log) = &mut self.log {
            log.epoch = SyncEpoch(format!("life {}", self.lives));
        }
    }

    /// How many lives there were.
    #[must_use]
    pub fn lives(&self) -> u64 {
        self.lives
    }

    /// Removes what nothing has named for a week.
    pub fn sweep(&mut self) {
        let (named, now) = (self.named(), self.now);
        self.blobs.retain(|name, blob| {
            if named.contains(name) {
                blob.unnamed_since = now;
            }
            now.as_millis() < blob.unnamed_since.as_millis() + KEPT_UNNAMED
        });
    }

    fn answer(&mut self, ask: &SyncAsk, beside: &[Vec<u8>]) -> Result<Answer, SyncAnswer> {
        let fresh = SyncDevice {
            id: ask.device.clone(),
            sealed_name: None,
            first_seen: self.now,
            last_seen: self.now,
            sequence: 0,
            revoked_at: None,
        };
        let is_shut_out = self.devices.get(&ask.device).is_some_and(|device| device.revoked_at.is_some());
        let is_other = self.log.as_ref().is_none_or(|log| log.key != ask.key);
        match ask.request {
            SyncRequest::Begin if self.log.is_none() => self.begin(ask.key),
            SyncRequest::BeginAnew if is_shut_out => return Err(SyncAnswer::Revoked),
            SyncRequest::BeginAnew if is_other => self.begin_anew(ask.key),
            _ => {}
        }
        let log = self.log.as_mut().ok_or(SyncAnswer::NotBegun)?;
        if log.key != ask.key {
            return Err(SyncAnswer::WrongKey);
        }
        let device = self.devices.entry(ask.device.clone()).or_insert(fresh);
        if device.revoked_at.is_some() {
            return Err(SyncAnswer::Revoked);
        }
        device.last_seen = self.now;
        if ask.epoch.as_ref().is_some_and(|epoch| *epoch != log.epoch) {
            return Err(SyncAnswer::OtherEpoch { epoch: log.epoch.clone() });
        }
        let plain = |answer| Ok((answer, Vec::new()));
        match &ask.request {
            SyncRequest::Begin | SyncRequest::BeginAnew | SyncRequest::Status => {
                plain(SyncAnswer::Status(self.status(&ask.device)?))
            }
            SyncRequest::Changes { after } => {
                let answer = self.changes(*after);
                self.noticed |= matches!(answer, Err(SyncAnswer::Damaged));
                answer
            }
            SyncRequest::Push { sequence, names } => plain(self.push(ask, *sequence, names, beside)?),
            SyncRequest::Have { names } => plain(self.have(names)),
            SyncRequest::PutParts { parts } => plain(self.put_parts(parts, beside)),
            SyncRequest::GetParts { parts } => Ok(self.get_parts(parts)),
            SyncRequest::Missing => plain(SyncAnswer::Missing { names: self.missing().into_iter().collect() }),
            SyncRequest::PutSnapshotPart { position, part } => {
                let log = self.log.as_mut().ok_or(SyncAnswer::NotBegun)?;
                let sealed = beside.first().cloned().unwrap_or_default();
                log.coming.insert((ask.device.clone(), *position, *part), sealed);
                plain(SyncAnswer::Done)
            }
            SyncRequest::NameSnapshot { position, names } => {
                let missing = self.absent(names);
                if !missing.is_empty() {
                    return Err(SyncAnswer::MissingBlobs { names: missing });
                }
                let log = self.log.as_mut().ok_or(SyncAnswer::NotBegun)?;
                log.coming_names.entry(*position).or_default().extend(names);
                plain(SyncAnswer::Done)
            }
            SyncRequest::FinishSnapshot { position, parts, names } => {
                plain(self.finish(&ask.device, *position, *parts, names)?)
            }
            SyncRequest::SnapshotPart { position, part } => {
                let log = self.log.as_ref().ok_or(SyncAnswer::NotBegun)?;
                let snapshot = log.snapshot.as_ref().filter(|(snapshot, ..)| snapshot.position == *position);
                let sealed = snapshot.and_then(|(_, sealed, _)| sealed.get(*part as usize));
                let sealed = sealed.ok_or(SyncAnswer::NotCurrent)?;
                Ok((SyncAnswer::SnapshotPart, vec![sealed.clone()]))
            }
            SyncRequest::Devices => plain(SyncAnswer::Devices { devices: self.devices.values().cloned().collect() }),
            SyncRequest::NameDevice => {
                let name = beside.first().map(|sealed| base64::encode(sealed));
                self.devices.entry(ask.device.clone()).and_modify(|device| device.sealed_name = name);
                plain(SyncAnswer::Done)
            }
            SyncRequest::Revoke { device } => {
                let now = self.now;
                let known = self.devices.get_mut(device);
                let known = known.ok_or(SyncAnswer::BadRequest { message: "there is no such device".into() })?;
                known.revoked_at = known.revoked_at.or(Some(now));
                plain(SyncAnswer::Done)
            }
            SyncRequest::Rotate { key, head } => {
                let log = self.log.as_mut().ok_or(SyncAnswer::NotBegun)?;
                if log.head != *head {
                    return Err(SyncAnswer::NotCurrent);
                }
                self.begin_anew(*key);
                plain(SyncAnswer::Done)
            }
        }
    }

    fn begin(&mut self, key: SyncKeyId) {
        self.lives += 1;
        let epoch = SyncEpoch(format!("life {}", self.lives));
        let (changes, coming, coming_names) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        self.log = Some(Log { key, epoch, head: 0, changes, snapshot: None, coming, coming_names });
    }

    /// Begins a log in the place of another.
    fn begin_anew(&mut self, key: SyncKeyId) {
        self.blobs.clear();
        self.devices.values_mut().for_each(|device| device.sequence = 0);
        (self.damaged, self.noticed) = (None, false);
        self.begin(key);
    }

    fn status(&self, device: &DeviceId) -> Result<SyncStatus, SyncAnswer> {
        let log = self.log.as_ref().ok_or(SyncAnswer::NotBegun)?;
        Ok(SyncStatus {
            epoch: log.epoch.clone(),
            head: log.head,
            sequence: self.devices.get(device).map_or(0, |device| device.sequence),
            snapshot: log.snapshot.as_ref().map(|(snapshot, ..)| snapshot.clone()),
            log_changes: log.changes.len() as u64,
            log_bytes: log.changes.iter().map(|change| change.sealed.len() as u64).sum(),
            missing: u32::try_from(self.missing().len()).unwrap_or(u32::MAX),
            damaged: self.noticed,
            used_bytes: self.used(),
            quota_bytes: self.quota_bytes,
        })
    }

    fn changes(&self, after: u64) -> Result<Answer, SyncAnswer> {
        let log = self.log.as_ref().ok_or(SyncAnswer::NotBegun)?;
        if let Some((snapshot, ..)) = log.snapshot.as_ref().filter(|(snapshot, ..)| after < snapshot.position) {
            return Err(SyncAnswer::SnapshotFirst { snapshot: snapshot.clone() });
        }
        let (mut changes, mut sealed, mut bytes) = (Vec::new(), Vec::new(), 0);
        for change in log.changes.iter().filter(|change| change.change.position > after) {
            if bytes > 0 && bytes + change.sealed.len() > self.page_bytes {
                break;
            }
            if self.damaged == Some(change.change.position) {
                // What is before it is sound.
                if changes.is_empty() {
                    return Err(SyncAnswer::Damaged);
                }
                break;
            }
            bytes += change.sealed.len();
            changes.push(change.change.clone());
            sealed.push(change.sealed.clone());
        }
        Ok((SyncAnswer::Changes { changes, head: log.head }, sealed))
    }

    fn push(
        &mut self,
        ask: &SyncAsk,
        sequence: u64,
        names: &[BlobName],
        beside: &[Vec<u8>],
    ) -> Result<SyncAnswer, SyncAnswer> {
        let sealed = beside.first().cloned().unwrap_or_default();
        let last = self.devices.get(&ask.device).map_or(0, |device| device.sequence);
        let log = self.log.as_ref().ok_or(SyncAnswer::NotBegun)?;
        let same = |change: &&Change| change.change.device == ask.device && change.change.sequence == sequence;
        if let Some(known) = log.changes.iter().find(same).filter(|known| known.sealed == sealed) {
            return Ok(SyncAnswer::Pushed { position: known.change.position });
        }
        if sequence != last + 1 {
            return Err(SyncAnswer::OutOfSequence { last });
        }
        let missing = self.absent(names);
        if !missing.is_empty() {
            return Err(SyncAnswer::MissingBlobs { names: missing });
        }
        if self.used() + sealed.len() as u64 > sync_reserve(self.quota_bytes) {
            return Err(SyncAnswer::Full { quota_bytes: self.quota_bytes });
        }
        let log = self.log.as_mut().ok_or(SyncAnswer::NotBegun)?;
        log.head += 1;
        let change = SyncChange { position: log.head, device: ask.device.clone(), sequence };
        log.changes.push(Change { change, sealed, names: names.iter().copied().collect() });
        self.devices.entry(ask.device.clone()).and_modify(|device| device.sequence = sequence);
        Ok(SyncAnswer::Pushed { position: log.head })
    }

    fn have(&self, names: &[BlobName]) -> SyncAnswer {
        let known = |name: &BlobName| Some((*name, self.blobs.get(name)?));
        let (whole, partly): (Vec<_>, Vec<_>) = names.iter().filter_map(known).partition(|(_, blob)| blob.is_whole());
        let parts = |(name, blob): (BlobName, &Blob)| {
            let parts = blob.parts;
            blob.pieces.keys().map(move |part| BlobPart { name, part: *part, parts }).collect::<Vec<_>>()
        };
        SyncAnswer::Have {
            complete: whole.into_iter().map(|(name, _)| name).collect(),
            partly: partly.into_iter().flat_map(parts).collect(),
        }
    }

    fn put_parts(&mut self, parts: &[BlobPart], beside: &[Vec<u8>]) -> SyncAnswer {
        let bytes: usize = beside.iter().map(Vec::len).sum();
        if self.used() + bytes as u64 > self.quota_bytes {
            return SyncAnswer::Full { quota_bytes: self.quota_bytes };
        }
        for (part, sealed) in parts.iter().zip(beside) {
            let blob = self.blobs.entry(part.name).or_default();
            if blob.parts != part.parts {
                *blob = Blob { parts: part.parts, ..Blob::default() };
            }
            blob.unnamed_since = self.now;
            blob.pieces.insert(part.part, sealed.clone());
        }
        SyncAnswer::Done
    }

    fn get_parts(&self, wanted: &[WantedPart]) -> Answer {
        let (mut parts, mut sealed, mut absent, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for WantedPart { name, part } in wanted {
            let found = self.blobs.get(name).filter(|blob| blob.is_whole());
            let Some((blob, piece)) = found.and_then(|blob| Some((blob, blob.pieces.get(part)?))) else {
                absent.push(*name);
                continue;
            };
            if bytes > 0 && bytes + piece.len() > self.page_bytes {
                break;
            }
            bytes += piece.len();
            parts.push(BlobPart { name: *name, part: *part, parts: blob.parts });
            sealed.push(piece.clone());
        }
        (SyncAnswer::Parts { parts, absent }, sealed)
    }

    fn finish(
        &mut self,
        device: &DeviceId,
        position: u64,
        parts: u32,
        names: &[BlobName],
    ) -> Result<SyncAnswer, SyncAnswer> {
        let missing = self.absent(names);
        let log = self.log.as_mut().ok_or(SyncAnswer::NotBegun)?;
        if log.snapshot.as_ref().is_some_and(|(snapshot, ..)| snapshot.position >= position) || position > log.head {
            return Err(SyncAnswer::NotCurrent);
        }
        if !missing.is_empty() {
            return Err(SyncAnswer::MissingBlobs { names: missing });
        }
        let sealed: Option<Vec<Vec<u8>>> =
            (0..parts).map(|part| log.coming.get(&(device.clone(), position, part)).cloned()).collect();
        let sealed = sealed.ok_or(SyncAnswer::BadRequest { message: "parts of the snapshot are missing".into() })?;
        log.coming.clear();
        let mut named = log.coming_names.remove(&position).unwrap_or_default();
        named.extend(names);
        log.coming_names.clear();
        log.changes.retain(|change| change.change.position > position);
        let snapshot = SyncSnapshot { device: device.clone(), position, parts };
        log.snapshot = Some((snapshot, sealed, named));
        if self.damaged <= Some(position) {
            (self.damaged, self.noticed) = (None, false);
        }
        self.sweep();
        Ok(SyncAnswer::Done)
    }

    fn absent(&self, names: &[BlobName]) -> Vec<BlobName> {
        names.iter().filter(|name| !self.blobs.get(name).is_some_and(Blob::is_whole)).copied().collect()
    }

    fn named(&self) -> BTreeSet<BlobName> {
        let log = self.log.iter();
        log.flat_map(|log| {
            let of_changes = log.changes.iter().flat_map(|change| &change.names);
            let coming = log.coming_names.values().flatten();
            of_changes.chain(log.snapshot.iter().flat_map(|(_, _, names)| names)).chain(coming)
        })
        .copied()
        .collect()
    }

    fn missing(&self) -> BTreeSet<BlobName> {
        self.named().into_iter().filter(|name| !self.blobs.get(name).is_some_and(Blob::is_whole)).collect()
    }

    fn used(&self) -> u64 {
        let blobs = self.blobs.values().flat_map(|blob| blob.pieces.values());
        let log = self.log.iter().flat_map(|log| {
            let snapshot = log.snapshot.iter().flat_map(|(_, sealed, _)| sealed);
            log.changes.iter().map(|change| &change.sealed).chain(snapshot)
        });
        blobs.chain(log).map(|bytes| bytes.len() as u64).sum()
    }
}
