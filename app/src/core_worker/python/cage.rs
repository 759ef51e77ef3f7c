//! One cage, driven: it becomes Python, belongs to a toolset, is brought to a state of files, and calls functions.
//!
//! It remembers which files it holds, so that going to another state sends only what differs.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::{Either, select};
use satchel_core::digest::BlobId;
use satchel_core::python::packages::PackageError;
use satchel_core::python::{FileSpan, FromCage, PythonCall, SessionKey, ToCage};
use satchel_core::store::{Store as _, StoreError};

use super::page::OpenCage;
use super::runtime::{self, Packed, RuntimeError};
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::python_cage::Heard;
use crate::browser::raw_bytes::{Packer, RawBytes};
use crate::browser::{clock, digest};

/// How long Python may take to load; a slow phone needs some twenty seconds.
const PATIENCE: Duration = Duration::from_secs(120);
/// How many files are sent into a cage at once, so that no buffer is larger than it need be.
const PIECE: usize = 256;

/// Why a cage could not be brought to where a call can be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum CageError {
    #[error("{0}")]
    NotOpened(String),
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    #[error("Python did not start: {0}")]
    NotStarted(String),
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Package(#[from] PackageError),
    #[error("the bytes of {path:?} are damaged or not stored; run the storage check in Settings")]
    Damaged { path: String },
}

/// A cage in which Python waits. Dropping it ends whatever it does.
pub(super) struct Cage {
    opened: OpenCage,
    requests: u32,
    owner: Option<SessionKey>,
    holds: BTreeMap<String, BlobId>,
    /// What `sys.version` says inside.
    pub(super) python: String,
    /// How long Python took to load.
    pub(super) load_millis: u32,
}

impl Cage {
    /// Starts one: its frame, its worker, and Python in it.
    pub(super) async fn start() -> Result<Self, CageError> {
        let (opened, runtime) = futures_util::join!(OpenCage::open(), runtime::runtime());
        let mut opened = opened.map_err(CageError::NotOpened)?;
        let Packed { files, bytes } = runtime?;
        opened.port.send(&ToCage::Start { files }, Some(&bytes));
        let patience = std::pin::pin!(clock::wait(PATIENCE));
        let started = {
            let first = std::pin::pin!(opened.port.next());
            match select(first, patience).await {
                Either::Left((heard, _)) => heard.word,
                Either::Right(_) => {
                    return Err(CageError::NotStarted(format!("it took longer than {} seconds", PATIENCE.as_secs())));
                }
            }
        };
        match started {
            FromCage::Ready { python, load_millis, can_wait: _ } => {
                Ok(Self { opened, requests: 0, owner: None, holds: BTreeMap::new(), python, load_millis })
            }
            FromCage::Failed { message } => Err(CageError::NotStarted(message)),
            _ => Err(CageError::NotStarted("it answered before it was asked".into())),
        }
    }

    /// Brings the cage to where the call can be made: it belongs to the call's toolset and holds the call's files.
    /// `packages` are the wheels that its toolset needs beside its own.
    pub(super) async fn prepare(
        &mut self,
        call: &PythonCall,
        packages: &[(String, BlobId)],
        store: &IndexedDbStore,
    ) -> Result<(), CageError> {
        self.equip(call, packages, store).await?;
        self.materialise(&call.workspace, store).await
    }

    /// Whether it belongs to this session.
    pub(super) fn serves(&self, session: &SessionKey) -> bool {
        self.owner.as_ref() == Some(session)
    }

    /// Gives the cage to its toolset, for good.
    async fn equip(
        &mut self,
        call: &PythonCall,
        packages: &[(String, BlobId)],
        store: &IndexedDbStore,
    ) -> Result<(), CageError> {
        if self.serves(&call.session) {
            return Ok(());
        }
        assert!(self.owner.is_none(), "a cage that served one toolset is never given to another");
        let files: Vec<(String, BlobId)> = call.toolset_files.iter().map(|(path, id)| (path.clone(), *id)).collect();
        let all: Vec<(String, BlobId)> = files.iter().chain(&call.wheels).chain(packages).cloned().collect();
        let Packed { files: mut spans, bytes } = read(&all, store).await?;
        let wheels = spans.split_off(files.len());
        let request = self.next_request();
        self.opened.port.send(&ToCage::Equip { request, files: spans, wheels }, Some(&bytes));
        self.done(request).await?;
        self.owner = Some(call.session.clone());
        Ok(())
    }

    /// Makes the workspace what it is to be, by what differs.
    async fn materialise(
        &mut self,
        wanted: &BTreeMap<String, BlobId>,
        store: &IndexedDbStore,
    ) -> Result<(), CageError> {
        let mut gone: Vec<String> = self.holds.keys().filter(|path| !wanted.contains_key(*path)).cloned().collect();
        let missing: Vec<(String, BlobId)> = wanted
            .iter()
            .filter(|(path, id)| self.holds.get(*path) != Some(*id))
            .map(|(path, id)| (path.clone(), *id))
            .collect();
        if gone.is_empty() && missing.is_empty() {
            return Ok(());
        }
        // Should anything fail on the way, the cage holds what nobody knows, and must not be used again.
        self.holds.clear();
        let mut rest = missing.as_slice();
        loop {
            let (now, later) = rest.split_at(rest.len().min(PIECE));
            let Packed { files, bytes } = read(now, store).await?;
            let request = self.next_request();
            let word = ToCage::Materialise { request, remove: std::mem::take(&mut gone), write: files };
            self.opened.port.send(&word, Some(&bytes));
            self.done(request).await?;
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        self.holds = wanted.clone();
        Ok(())
    }

    /// Says something to the cage, which begins a request.
    pub(super) fn begin(&mut self, word: impl FnOnce(u32) -> ToCage) -> u32 {
        let request = self.next_request();
        self.opened.port.send(&word(request), None);
        request
    }

    /// Says something in the course of a request.
    pub(super) fn say(&self, word: &ToCage, bytes: Option<&RawBytes>) {
        self.opened.port.send(word, bytes);
    }

    /// What the cage says next.
    pub(super) async fn next(&mut self) -> Heard {
        self.opened.port.next().await
    }

    /// The call has changed files: this is what the cage holds now.
    pub(super) fn has_changed<'a>(&mut self, changed: impl Iterator<Item = (&'a String, BlobId)>, removed: &[String]) {
        for path in removed {
            self.holds.remove(path);
        }
        self.holds.extend(changed.map(|(path, id)| (path.clone(), id)));
    }

    fn next_request(&mut self) -> u32 {
        self.requests += 1;
        self.requests
    }

    /// Waits until a request is carried out; what an earlier one left to say is dropped.
    async fn done(&mut self, request: u32) -> Result<(), CageError> {
        loop {
            match self.opened.port.next().await.word {
                FromCage::Done { request: done } if done == request => return Ok(()),
                FromCage::Refused { request: refused, message } if refused == request => {
                    return Err(CageError::Refused(message));
                }
                FromCage::Failed { message } => return Err(CageError::NotStarted(message)),
                _ => {}
            }
        }
    }
}

/// Reads contents and packs them, each only after it was found to be what its name stands for.
async fn read(files: &[(String, BlobId)], store: &IndexedDbStore) -> Result<Packed, CageError> {
    let ids: Vec<BlobId> = files.iter().map(|(_, id)| *id).collect();
    let contents = store.blobs(&ids).await?;
    let mut found = Vec::with_capacity(contents.len());
    for ((path, _), bytes) in files.iter().zip(contents) {
        found.push(bytes.ok_or_else(|| CageError::Damaged { path: path.clone() })?);
    }
    let digests = digest::of_all(&found).await;
    let mut packer = Packer::with_length(found.iter().map(Vec::len).sum());
    let mut spans = Vec::with_capacity(found.len());
    for (((path, id), bytes), digest) in files.iter().zip(&found).zip(digests) {
        if digest != *id {
            return Err(CageError::Damaged { path: path.clone() });
        }
        packer.add_slice(bytes);
        spans.push(FileSpan { path: path.clone(), size: bytes.len() as u64 });
    }
    Ok(Packed { files: spans, bytes: packer.finish() })
}
