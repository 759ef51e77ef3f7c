//! Blobs on their way: sealed in parts, many of them in a request, and only those that are missing.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::try_join_all;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::super::error::SyncError;
use super::super::seal::Binding;
use super::{Course, Progress, Round, SyncServer, Turn, refused};
use crate::digest::BlobId;
use crate::protocol::{BlobName, BlobPart, SyncAnswer, SyncEpoch, SyncRequest, WantedPart};
use crate::store::{Blob, Commit, Durability, Store};

/// Names that are asked about at once.
const NAMES_AT_ONCE: usize = 10_000;
/// Requests with bytes that are on their way together: a server that is far away would be waited for most of the time.
const AT_ONCE: usize = 4;
/// The most parts of a blob: enough for some gigabytes.
const MOST_PARTS: u32 = 1 << 14;

impl<S: Store, R: SyncServer> Round<'_, S, R> {
    /// Gives the server those of the blobs that it lacks, part by part, going on where an earlier round was cut off. What is
    /// damaged on this device is not sent, and told.
    pub(super) async fn upload(
        &self,
        names: &BTreeMap<BlobName, BlobId>,
        course: &mut Course,
    ) -> Result<Vec<BlobId>, Turn> {
        let mut damaged = Vec::new();
        let mut outgoing = Outgoing { epoch: course.state.epoch.clone(), ready: vec![Batch::default()], sent: 0 };
        let outcome = self.upload_into(&mut outgoing, &mut damaged, names, course).await;
        course.status.used_bytes += outgoing.sent;
        outcome.map(|()| damaged)
    }

    async fn upload_into(
        &self,
        outgoing: &mut Outgoing,
        damaged: &mut Vec<BlobId>,
        names: &BTreeMap<BlobName, BlobId>,
        course: &Course,
    ) -> Result<(), Turn> {
        let all: Vec<BlobName> = names.keys().copied().collect();
        for some in all.chunks(NAMES_AT_ONCE) {
            let request = SyncRequest::Have { names: some.to_vec() };
            let (complete, partly) = match self.ask(Some(&course.state.epoch), request, Vec::new()).await?.0 {
                SyncAnswer::Have { complete, partly } => (complete, partly),
                other => return Err(refused(other)),
            };
            let complete: BTreeSet<BlobName> = complete.into_iter().collect();
            let partly: BTreeSet<BlobPart> = partly.into_iter().collect();
            for name in some.iter().filter(|name| !complete.contains(name)) {
                let id = names[name];
                let Some(contents) = self.store.blob(id).await?.filter(|contents| BlobId::of(contents) == id) else {
                    damaged.push(id);
                    continue;
                };
                for (part, piece) in self.parts(*name, &contents) {
                    if partly.contains(&part) {
                        continue;
                    }
                    let binding = Binding::BlobPart { name: *name, part: part.part, parts: part.parts };
                    outgoing.add(part, self.keys.seal(binding, piece), self.limits.batch_bytes);
                    if outgoing.ready.len() > AT_ONCE {
                        self.put_parts(outgoing, course).await?;
                    }
                }
            }
        }
        self.put_parts(outgoing, course).await
    }

    /// Those of the blobs that the server has not whole.
    pub(super) async fn lacking(
        &self,
        names: &BTreeMap<BlobName, BlobId>,
        course: &Course,
    ) -> Result<BTreeSet<BlobId>, Turn> {
        let mut lacking = names.clone();
        for some in names.keys().copied().collect::<Vec<_>>().chunks(NAMES_AT_ONCE) {
            let request = SyncRequest::Have { names: some.to_vec() };
            match self.ask(Some(&course.state.epoch), request, Vec::new()).await?.0 {
                SyncAnswer::Have { complete, .. } => {
                    let complete: BTreeSet<BlobName> = complete.into_iter().collect();
                    lacking.retain(|name, _| !complete.contains(name));
                }
                other => return Err(refused(other)),
            }
        }
        Ok(lacking.into_values().collect())
    }

    /// Sends all batches that are ready, together. What the server has no room for is not sent to be refused.
    async fn put_parts(&self, outgoing: &mut Outgoing, course: &Course) -> Result<(), Turn> {
        let batches = std::mem::replace(&mut outgoing.ready, vec![Batch::default()]);
        let bytes: u64 = batches.iter().map(|batch| batch.bytes as u64).sum();
        if bytes > 0 && outgoing.sent + bytes > course.room() {
            return Err(SyncError::Full(course.status.quota_bytes).into());
        }
        let batches = batches.into_iter().filter(|batch| !batch.parts.is_empty());
        let (epoch, sent) = (&outgoing.epoch, Cell::new(outgoing.sent));
        let sending = batches.map(async |Batch { parts, beside, bytes }| {
            match self.ask(Some(epoch), SyncRequest::PutParts { parts }, beside).await?.0 {
                SyncAnswer::Done => {
                    sent.set(sent.get() + bytes as u64);
                    (self.told)(Progress::SentBytes(sent.get()));
                    Ok(())
                }
                other => Err(refused(other)),
            }
        });
        try_join_all(sending).await?;
        outgoing.sent = sent.get();
        Ok(())
    }

    /// A blob in parts: at least one, be it empty.
    fn parts<'b>(&self, name: BlobName, contents: &'b [u8]) -> Vec<(BlobPart, &'b [u8])> {
        let size = self.limits.part_bytes.max(1);
        let parts = u32::try_from(contents.len().div_ceil(size).max(1)).unwrap_or(u32::MAX);
        let pieces = (0..parts).map(|part| {
            let from = part as usize * size;
            (BlobPart { name, part, parts }, &contents[from..contents.len().min(from + size)])
        });
        pieces.collect()
    }

    /// Fetches those of the blobs that this device lacks, and stores them as they come: rows come after them.
    pub(super) async fn bring(&self, blobs: &[BlobId], course: &Course) -> Result<(), Turn> {
        let missing = self.store.missing_blobs(blobs).await?;
        self.fetch(&missing, &course.state.epoch).await
    }

    /// Fetches blobs, and stores them as they come, in the place of what may be here.
    pub(super) async fn fetch(&self, blobs: &[BlobId], epoch: &SyncEpoch) -> Result<(), Turn> {
        let came = Cell::new(0);
        let groups = blobs.chunks(self.limits.wanted_parts);
        // While some are stored others are on their way.
        let fetching = stream::iter(groups.map(|some| self.fetch_some(some, epoch, &came)));
        let absent: usize =
            fetching.buffer_unordered(AT_ONCE).try_fold(0, async |sum, absent| Ok(sum + absent)).await?;
        if absent > 0 { Err(SyncError::MissingOnServer(absent).into()) } else { Ok(()) }
    }

    /// Fetches some; how many of them the server has not.
    async fn fetch_some(&self, some: &[BlobId], epoch: &SyncEpoch, came: &Cell<u64>) -> Result<usize, Turn> {
        let mut absent = 0;
        let mut wanted: BTreeMap<BlobName, Fetched> =
            some.iter().map(|id| (self.keys.name(*id), Fetched { id: *id, pieces: Vec::new(), parts: 1 })).collect();
        while !wanted.is_empty() {
            let parts = wanted.iter().flat_map(|(name, fetched)| {
                let next = u32::try_from(fetched.pieces.len()).unwrap_or(u32::MAX);
                // Of a blob that has begun to come all parts are wanted, of others the first.
                (next..fetched.parts).map(|part| WantedPart { name: *name, part })
            });
            let request = SyncRequest::GetParts { parts: parts.take(self.limits.wanted_parts).collect() };
            let (answer, beside) = self.ask(Some(epoch), request, Vec::new()).await?;
            let SyncAnswer::Parts { parts, absent: gone } = answer else { return Err(refused(answer)) };
            if (parts.is_empty() && gone.is_empty()) || parts.len() != beside.len() {
                return Err(SyncError::Unexpected("no part came".into()).into());
            }
            let mut commit = Commit { durability: Durability::Relaxed, ..Commit::default() };
            for (part, sealed) in parts.into_iter().zip(beside) {
                came.set(came.get() + sealed.len() as u64);
                if let Some(whole) = self.take_part(&mut wanted, part, &sealed)? {
                    commit = commit.blob(whole);
                }
            }
            for name in gone {
                absent += usize::from(wanted.remove(&name).is_some());
            }
            if !commit.blobs.is_empty() {
                self.store.apply(commit, (self.now)()).await?;
            }
            (self.told)(Progress::ReceivedBytes(came.get()));
        }
        Ok(absent)
    }

    /// Opens one part; the blob, once it is whole.
    fn take_part(
        &self,
        wanted: &mut BTreeMap<BlobName, Fetched>,
        part: BlobPart,
        sealed: &[u8],
    ) -> Result<Option<Blob>, SyncError> {
        let Some(fetched) = wanted.get_mut(&part.name) else { return Ok(None) };
        if part.part as usize != fetched.pieces.len() || part.parts == 0 || part.parts > MOST_PARTS {
            return Ok(None);
        }
        let binding = Binding::BlobPart { name: part.name, part: part.part, parts: part.parts };
        let piece = self.keys.open(binding, sealed).map_err(|_not_opened| SyncError::Damaged)?;
        fetched.pieces.push(piece);
        fetched.parts = part.parts;
        if fetched.pieces.len() < part.parts as usize {
            return Ok(None);
        }
        let Some(fetched) = wanted.remove(&part.name) else { return Ok(None) };
        let contents = fetched.pieces.concat();
        // Named by whoever sealed it; that it is what its name says is seen here, before anything is built upon it (I10).
        if BlobId::of(&contents) != fetched.id {
            return Err(SyncError::Damaged);
        }
        Ok(Some(Blob::named(fetched.id, contents)))
    }

    /// Gives the server what it has lost, as far as it is here.
    pub(super) async fn send_missing(&self, course: &mut Course) -> Result<(), Turn> {
        if course.status.missing == 0 {
            return Ok(());
        }
        let names = match self.ask(Some(&course.state.epoch), SyncRequest::Missing, Vec::new()).await?.0 {
            SyncAnswer::Missing { names } => names.into_iter().collect::<BTreeSet<_>>(),
            other => return Err(refused(other)),
        };
        let here = self.store.blob_ids().await?;
        let found = here.into_iter().map(|id| (self.keys.name(id), id)).filter(|(name, _)| names.contains(name));
        let found: BTreeMap<BlobName, BlobId> = found.collect();
        self.upload(&found, course).await.map(drop)
    }
}

/// Parts that go in one request.
#[derive(Default)]
struct Batch {
    parts: Vec<BlobPart>,
    beside: Vec<Vec<u8>>,
    bytes: usize,
}

/// Parts on their way out.
struct Outgoing {
    epoch: SyncEpoch,
    /// Batches that are full, and the last one, which is being filled.
    ready: Vec<Batch>,
    /// Bytes that were sent.
    sent: u64,
}

impl Outgoing {
    fn add(&mut self, part: BlobPart, sealed: Vec<u8>, most: usize) {
        let batch = self.ready.last_mut().expect("there is always one");
        batch.bytes += sealed.len();
        batch.parts.push(part);
        batch.beside.push(sealed);
        if batch.bytes >= most {
            self.ready.push(Batch::default());
        }
    }
}

/// A blob that is coming.
struct Fetched {
    id: BlobId,
    pieces: Vec<Vec<u8>>,
    /// How many parts it has; as far as is known.
    parts: u32,
}
