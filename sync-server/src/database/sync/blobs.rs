//! Blobs in sealed parts. One counts as there when all of its parts are, each as it came.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::{Connection, OptionalExtension as _, params};
use satchel_core::digest::BlobId;
use satchel_core::protocol::{BlobName, BlobPart, SYNC_BATCH_BYTES, SYNC_PART_BYTES, SyncAnswer, WantedPart};

use super::{Answer, Desk, Log, Room, Stop, bad_request, count_again};

/// What a sealed part may have more than what is in it.
const SEAL_BYTES: usize = 64;
/// Most parts of a blob.
const MOST_PARTS: u32 = 1 << 14;

pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Whether bytes are what they were when they came.
pub(super) fn is_sound(digest: &[u8], sealed: &[u8]) -> bool {
    BlobId::of(sealed).as_bytes() == digest
}

/// Removes the blobs that nothing has named for so long, of all accounts; how many.
pub(super) fn sweep(connection: &Connection, now: i64, kept: i64) -> Result<usize, rusqlite::Error> {
    connection.execute(
        "UPDATE sync_blobs SET needed_at = ?1 WHERE EXISTS
             (SELECT 1 FROM sync_names WHERE sync_names.account_id = sync_blobs.account_id AND sync_names.name = sync_blobs.name)",
        [now],
    )?;
    let removed = connection.execute("DELETE FROM sync_blobs WHERE needed_at <= ?1", [now - kept])?;
    if removed > 0 {
        let accounts: Vec<String> = (connection.prepare("SELECT account_id FROM sync_logs")?)
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        accounts.iter().try_for_each(|account| count_again(connection, account))?;
    }
    Ok(removed)
}

impl Desk<'_> {
    /// Those of the blobs that are not there whole.
    pub(super) fn absent(&self, names: &[BlobName]) -> Result<Vec<BlobName>, rusqlite::Error> {
        let mut absent = Vec::new();
        for name in names {
            if self.parts_of(name)?.is_none_or(|(parts, there)| there.len() != parts as usize) {
                absent.push(*name);
            }
        }
        Ok(absent)
    }

    pub(super) fn have(&self, names: &[BlobName]) -> Result<SyncAnswer, Stop> {
        let (mut complete, mut partly) = (Vec::new(), Vec::new());
        for name in names {
            match self.parts_of(name)? {
                Some((parts, there)) if there.len() == parts as usize => complete.push(*name),
                Some((parts, there)) => {
                    partly.extend(there.into_iter().map(|part| BlobPart { name: *name, part, parts }));
                }
                None => {}
            }
        }
        Ok(SyncAnswer::Have { complete, partly })
    }

    /// The blobs that something names and that are not there whole.
    pub(super) fn missing(&self) -> Result<Vec<BlobName>, rusqlite::Error> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT names.name FROM sync_names AS names LEFT JOIN sync_blobs AS blobs USING (account_id, name)
             WHERE names.account_id = ?1 AND (blobs.parts IS NULL OR blobs.parts <>
                 (SELECT count(*) FROM sync_parts AS parts WHERE parts.account_id = ?1 AND parts.name = names.name))",
        )?;
        let names = statement.query_map([self.account], |row| row.get::<_, [u8; 32]>(0))?;
        names.map(|name| name.map(BlobName::new)).collect()
    }

    pub(super) fn put_parts(&self, log: &Log, parts: &[BlobPart], beside: &[Vec<u8>]) -> Result<SyncAnswer, Stop> {
        if parts.len() != beside.len() {
            return Err(bad_request("every part has its bytes beside"));
        }
        for (part, sealed) in parts.iter().zip(beside) {
            if part.part >= part.parts || part.parts > MOST_PARTS || sealed.len() > SYNC_PART_BYTES + SEAL_BYTES {
                return Err(bad_request("a blob is cut into other parts"));
            }
        }
        self.take_room(log, Room::Files, beside.iter().map(Vec::len).sum())?;
        let mut was_there = false;
        for (part, sealed) in parts.iter().zip(beside) {
            let name = part.name.as_bytes();
            let sql = "DELETE FROM sync_blobs WHERE account_id = ?1 AND name = ?2 AND parts <> ?3";
            was_there |= self.execute(sql, params![self.account, name, part.parts])? > 0;
            self.execute(
                "INSERT INTO sync_blobs (account_id, name, parts, needed_at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET needed_at = ?4",
                params![self.account, name, part.parts, self.now],
            )?;
            let sql = "DELETE FROM sync_parts WHERE account_id = ?1 AND name = ?2 AND part = ?3";
            was_there |= self.execute(sql, params![self.account, name, part.part])? > 0;
            self.execute(
                "INSERT INTO sync_parts (account_id, name, part, digest, sealed) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![self.account, name, part.part, BlobId::of(sealed).as_bytes(), sealed],
            )?;
        }
        if was_there {
            count_again(self.connection, self.account)?;
        }
        Ok(SyncAnswer::Done)
    }

    /// Parts of blobs that are there whole, as many as fit. One that is damaged on the disk is given to nobody: it is removed, and so becomes
    /// missing, and a device that has the blob sends it again (F10).
    pub(super) fn get_parts(&self, wanted: &[WantedPart]) -> Result<Answer, Stop> {
        let (mut parts, mut beside, mut absent, mut bytes) = (Vec::new(), Vec::new(), BTreeSet::new(), 0);
        let sql = "SELECT digest, sealed FROM sync_parts WHERE account_id = ?1 AND name = ?2 AND part = ?3";
        let mut statement = self.connection.prepare_cached(sql)?;
        for WantedPart { name, part } in wanted {
            let whole = self.parts_of(name)?.filter(|(parts, there)| there.len() == *parts as usize);
            let found = statement.query_row(params![self.account, name.as_bytes(), part], |row| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?))
            });
            let (Some((count, _)), Some((digest, sealed))) = (whole, found.optional()?) else {
                absent.insert(*name);
                continue;
            };
            if !is_sound(&digest, &sealed) {
                if !self.can_write {
                    return Err(Stop::NeedsWriter);
                }
                tracing::error!(%name, part, "a part of a blob is damaged on the disk; devices that have the blob send it again");
                let sql = "DELETE FROM sync_parts WHERE account_id = ?1 AND name = ?2 AND part = ?3";
                self.execute(sql, params![self.account, name.as_bytes(), part])?;
                absent.insert(*name);
                continue;
            }
            if bytes > 0 && bytes + sealed.len() > SYNC_BATCH_BYTES {
                break;
            }
            bytes += sealed.len();
            parts.push(BlobPart { name: *name, part: *part, parts: count });
            beside.push(sealed);
        }
        Ok((SyncAnswer::Parts { parts, absent: absent.into_iter().collect() }, beside))
    }

    /// How many parts a blob has, and which are there.
    fn parts_of(&self, name: &BlobName) -> Result<Option<(u32, Vec<u32>)>, rusqlite::Error> {
        let sql = "SELECT parts FROM sync_blobs WHERE account_id = ?1 AND name = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let parts = statement.query_row(params![self.account, name.as_bytes()], |row| row.get(0)).optional()?;
        let Some(parts) = parts else { return Ok(None) };
        let sql = "SELECT part FROM sync_parts WHERE account_id = ?1 AND name = ?2 ORDER BY part";
        let mut statement = self.connection.prepare_cached(sql)?;
        let there = statement.query_map(params![self.account, name.as_bytes()], |row| row.get(0))?;
        Ok(Some((parts, there.collect::<Result<_, _>>()?)))
    }
}
