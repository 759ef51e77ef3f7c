//! What a change consists of.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::digest::BlobId;
use crate::order;
use crate::record::{Record, RowRef};
use crate::sync::{Incoming, Stamp};

/// One change of the store, applied whole or not at all.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// Blobs to store, before any row.
    pub blobs: Vec<Blob>,
    /// Blobs that must be there already, or come with this commit.
    pub requires: Vec<BlobId>,
    /// Rows that must still be as they were when they were read.
    pub expects: Vec<Expect>,
    /// Rows to write, field by field.
    pub puts: Vec<Put>,
    /// Rows to delete.
    pub deletes: Vec<RowRef>,
    /// Rows of other devices, merged with what is there before anything of this commit's own is written.
    pub incoming: Option<Incoming>,
    /// Rows that have to be sent again, though they have not changed.
    pub resend: Vec<RowRef>,
    /// Blobs to remove, because nothing names them.
    pub drops: Option<Drops>,
    /// How sure the commit must be before it counts as done.
    pub durability: Durability,
}

/// Blobs that were found to be named by nothing.
///
/// A commit of another tab may come to rely on one of them while they are looked for. Whoever looks therefore reads
/// [`Store::blobs_touched`](super::Store::blobs_touched) first; if any commit has brought or required blobs since then, this one is
/// refused whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drops {
    /// The blobs.
    pub blobs: Vec<BlobId>,
    /// The last commit that had to do with blobs, as it was when the search began.
    pub touched: Option<Stamp>,
}

/// How sure a commit must be before it counts as done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// On the disk: for everything a user would miss.
    #[default]
    Strict,
    /// With the system, which may lose the last moments in a power cut: for drafts and positions.
    Relaxed,
}

/// Bytes and their name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    id: BlobId,
    bytes: Vec<u8>,
}

/// What a commit relies on: the row still carries this stamp, or, for `None`, there is no such row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expect {
    /// The row.
    pub row: RowRef,
    /// Its newest stamp when it was read.
    pub stamp: Option<Stamp>,
}

/// New values for some fields of a row; its other fields stay as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Put {
    /// The row.
    pub row: RowRef,
    /// The fields to write.
    pub fields: Map<String, Value>,
    /// Whether there must be a row to change: some of its fields alone are no row.
    pub must_exist: bool,
}

impl Commit {
    /// A commit that may be lost in a power cut.
    #[must_use]
    pub fn relaxed() -> Self {
        Self { durability: Durability::Relaxed, ..Self::default() }
    }

    /// Both changes as one: what comes later in this commit sees what came earlier.
    #[must_use]
    pub fn then(mut self, later: Self) -> Self {
        self.blobs.extend(later.blobs);
        self.requires.extend(later.requires);
        self.expects.extend(later.expects);
        self.puts.extend(later.puts);
        self.deletes.extend(later.deletes);
        debug_assert!(self.incoming.is_none() || later.incoming.is_none(), "what came is one page at a time");
        self.incoming = later.incoming.or(self.incoming);
        self.resend.extend(later.resend);
        self.drops = later.drops.or(self.drops);
        self
    }

    /// Writes every field of a record.
    #[must_use]
    pub fn put<R: Record>(mut self, record: &R) -> Self {
        self.puts.push(Put { row: RowRef::of(record), fields: fields(record), must_exist: false });
        self
    }

    /// Writes the fields of a record that differ from what they were, so that a change of another field, made
    /// elsewhere in the meantime, is not undone. A row that was deleted in the meantime refuses the commit.
    #[must_use]
    pub fn change<R: Record>(mut self, before: &R, after: &R) -> Self {
        let was = fields(before);
        let changed = fields(after).into_iter().filter(|(name, value)| was.get(name) != Some(value)).collect();
        self.puts.push(Put { row: RowRef::of(after), fields: changed, must_exist: true });
        self
    }

    /// Deletes a row.
    #[must_use]
    pub fn delete(mut self, row: RowRef) -> Self {
        self.deletes.push(row);
        self
    }

    /// Stores a blob.
    #[must_use]
    pub fn blob(mut self, blob: Blob) -> Self {
        self.blobs.push(blob);
        self
    }

    /// Relies on a blob being stored.
    #[must_use]
    pub fn require(mut self, id: BlobId) -> Self {
        self.requires.push(id);
        self
    }

    /// Relies on a row being as it was read.
    #[must_use]
    pub fn expect(mut self, row: RowRef, stamp: Option<Stamp>) -> Self {
        self.expects.push(Expect { row, stamp });
        self
    }

    /// Every row the commit reads or writes, once each: what a store must look at before it can resolve the commit.
    #[must_use]
    pub fn touched(&self) -> Vec<RowRef> {
        let mut rows: Vec<RowRef> = (self.puts.iter().map(|put| &put.row))
            .chain(&self.deletes)
            .chain(self.expects.iter().map(|expect| &expect.row))
            .chain(&self.resend)
            .chain(
                self.incoming
                    .iter()
                    .flat_map(Incoming::rows)
                    .flat_map(|theirs| [&theirs.row].into_iter().chain(&theirs.part_of)),
            )
            .cloned()
            .collect();
        order::sort_by(&mut rows, Ord::cmp);
        rows.dedup();
        rows
    }

    /// The required blobs that do not come with the commit itself, once each.
    #[must_use]
    pub fn required_elsewhere(&self) -> Vec<BlobId> {
        let (mut brought, mut elsewhere) = (BTreeSet::<BlobId>::new(), BTreeSet::<BlobId>::new());
        brought.extend(self.blobs.iter().map(Blob::id));
        elsewhere.extend(self.requires.iter().filter(|id| !brought.contains(id)));
        elsewhere.into_iter().collect()
    }

    /// Whether it brings blobs or relies on some, so that a search for blobs to drop has to begin again.
    #[must_use]
    pub fn touches_blobs(&self) -> bool {
        !(self.blobs.is_empty() && self.requires.is_empty())
    }
}

impl Blob {
    /// Names the bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { id: BlobId::of(&bytes), bytes }
    }

    /// Takes a name that was computed elsewhere, as in the core worker. The caller vouches for it.
    #[must_use]
    pub fn named(id: BlobId, bytes: Vec<u8>) -> Self {
        Self { id, bytes }
    }

    /// The name.
    #[must_use]
    pub fn id(&self) -> BlobId {
        self.id
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, without copying them.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

fn fields<R: Record>(record: &R) -> Map<String, Value> {
    match serde_json::to_value(record).expect("a record has text keys and no failing serialiser") {
        Value::Object(fields) => fields,
        other => unreachable!("a record of {} serialises to an object, not to {other}", R::TABLE),
    }
}
