//! Changes in their order, and the snapshot in the place of the first of them.

use rusqlite::{OptionalExtension as _, named_params, params};
use satchel_core::digest::BlobId;
use satchel_core::ids::DeviceId;
use satchel_core::protocol::{BlobName, SYNC_BATCH_BYTES, SyncAnswer, SyncChange};

use super::{Answer, Desk, Log, Room, Stop, bad_request, blobs, count_again};
use crate::database::sync::KEPT_UNNAMED;

/// Most parts of a snapshot.
const MOST_PARTS: u32 = 100_000;

impl Desk<'_> {
    /// The number of this device's last change.
    pub(super) fn sequence(&self) -> Result<u64, rusqlite::Error> {
        let sql = "SELECT sequence FROM sync_devices WHERE account_id = ?1 AND device = ?2";
        let found = self.query_row(sql, [self.account, self.device.as_str()], |row| row.get(0));
        Ok(found.optional()?.unwrap_or_default())
    }

    pub(super) fn changes(&self, log: &Log, after: u64) -> Result<Answer, Stop> {
        if let Some(snapshot) = log.snapshot.as_ref().filter(|snapshot| after < snapshot.position) {
            return Err(Stop::Refused(SyncAnswer::SnapshotFirst { snapshot: snapshot.clone() }));
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT position, device, sequence, digest, sealed FROM sync_changes
             WHERE account_id = ?1 AND position > ?2 ORDER BY position",
        )?;
        let mut rows = statement.query(params![self.account, after])?;
        let (mut changes, mut beside, mut bytes) = (Vec::new(), Vec::new(), 0);
        while let Some(row) = rows.next()? {
            let sealed: Vec<u8> = row.get("sealed")?;
            if bytes > 0 && bytes + sealed.len() > SYNC_BATCH_BYTES {
                break;
            }
            if !blobs::is_sound(&row.get::<_, Vec<u8>>("digest")?, &sealed) {
                if changes.is_empty() {
                    return Err(self.damaged("a change", row.get("position")?));
                }
                // What is before it is sound.
                break;
            }
            bytes += sealed.len();
            let device = DeviceId::parse(row.get::<_, String>("device")?);
            let device = device.map_err(|_no_id| rusqlite::Error::InvalidQuery)?;
            changes.push(SyncChange { position: row.get("position")?, device, sequence: row.get("sequence")? });
            beside.push(sealed);
        }
        Ok((SyncAnswer::Changes { changes, head: log.head }, beside))
    }

    /// Adds a change at the end; the same once more is the change that is there.
    pub(super) fn push(&self, log: &Log, sequence: u64, names: &[BlobName], sealed: &[u8]) -> Result<SyncAnswer, Stop> {
        let digest = BlobId::of(sealed);
        let sql = "SELECT position, digest FROM sync_changes WHERE account_id = ?1 AND device = ?2 AND sequence = ?3";
        let same = self.query_row(sql, params![self.account, self.device.as_str(), sequence], |row| {
            Ok((row.get::<_, u64>(0)?, row.get::<_, Vec<u8>>(1)?))
        });
        if let Some((position, _)) = same.optional()?.filter(|(_, known)| known == digest.as_bytes()) {
            return Ok(SyncAnswer::Pushed { position });
        }
        let last = self.sequence()?;
        if sequence != last + 1 {
            return Err(Stop::Refused(SyncAnswer::OutOfSequence { last }));
        }
        let missing = self.absent(names)?;
        if !missing.is_empty() {
            return Err(Stop::Refused(SyncAnswer::MissingBlobs { names: missing }));
        }
        self.take_room(log, Room::Rows, sealed.len())?;
        let position = log.head + 1;
        self.execute(
            "INSERT INTO sync_changes (account_id, position, device, sequence, digest, sealed)
             VALUES (:account, :position, :device, :sequence, :digest, :sealed)",
            named_params! {
                ":account": self.account, ":position": position, ":device": self.device.as_str(),
                ":sequence": sequence, ":digest": digest.as_bytes(), ":sealed": sealed,
            },
        )?;
        self.name(position, names)?;
        let sql = "UPDATE sync_devices SET sequence = ?3 WHERE account_id = ?1 AND device = ?2";
        self.execute(sql, params![self.account, self.device.as_str(), sequence])?;
        let sql = "UPDATE sync_logs SET head = ?2 WHERE account_id = ?1";
        self.execute(sql, params![self.account, position])?;
        Ok(SyncAnswer::Pushed { position })
    }

    pub(super) fn put_snapshot_part(
        &self,
        log: &Log,
        position: u64,
        part: u32,
        sealed: &[u8],
    ) -> Result<SyncAnswer, Stop> {
        self.check_position(log, position)?;
        if part >= MOST_PARTS {
            return Err(bad_request("a snapshot has fewer parts"));
        }
        self.take_room(log, Room::Rows, sealed.len())?;
        self.execute(
            "INSERT OR REPLACE INTO sync_snapshot_parts (account_id, device, position, part, digest, sealed)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![self.account, self.device.as_str(), position, part, BlobId::of(sealed).as_bytes(), sealed],
        )?;
        Ok(SyncAnswer::Done)
    }

    /// Names some of the blobs of a snapshot that is coming. They are kept from now on; what of them a snapshot that never comes has named is
    /// let go with the next one.
    pub(super) fn name_snapshot(&self, log: &Log, position: u64, names: &[BlobName]) -> Result<SyncAnswer, Stop> {
        self.check_position(log, position)?;
        let missing = self.absent(names)?;
        if !missing.is_empty() {
            return Err(Stop::Refused(SyncAnswer::MissingBlobs { names: missing }));
        }
        self.name(position, names)?;
        Ok(SyncAnswer::Done)
    }

    /// Puts a snapshot in force: the changes that are in it go, and so do older snapshots, whole or not.
    pub(super) fn finish_snapshot(
        &self,
        log: &Log,
        position: u64,
        parts: u32,
        names: &[BlobName],
    ) -> Result<SyncAnswer, Stop> {
        self.check_position(log, position)?;
        let missing = self.absent(names)?;
        if !missing.is_empty() {
            return Err(Stop::Refused(SyncAnswer::MissingBlobs { names: missing }));
        }
        let sql = "SELECT count(*) FROM sync_snapshot_parts WHERE account_id = ?1 AND device = ?2 AND position = ?3 AND part < ?4";
        let there: u32 =
            self.query_row(sql, params![self.account, self.device.as_str(), position, parts], |row| row.get(0))?;
        if there != parts || parts == 0 {
            return Err(bad_request("parts of the snapshot are missing"));
        }
        let old = "DELETE FROM sync_snapshot_parts WHERE account_id = ?1 AND position <= ?3 AND NOT (device = ?2 AND position = ?3)";
        self.execute(old, params![self.account, self.device.as_str(), position])?;
        let sql = "DELETE FROM sync_changes WHERE account_id = ?1 AND position <= ?2";
        self.execute(sql, params![self.account, position])?;
        // Those of its own position were named for it.
        let sql = "DELETE FROM sync_names WHERE account_id = ?1 AND position < ?2";
        self.execute(sql, params![self.account, position])?;
        self.name(position, names)?;
        self.execute(
            "UPDATE sync_logs SET snapshot_device = ?2, snapshot_position = ?3, snapshot_parts = ?4, damaged_at = NULL
             WHERE account_id = ?1",
            params![self.account, self.device.as_str(), position, parts],
        )?;
        blobs::sweep(self.connection, self.now, KEPT_UNNAMED)?;
        count_again(self.connection, self.account)?;
        Ok(SyncAnswer::Done)
    }

    pub(super) fn snapshot_part(&self, log: &Log, position: u64, part: u32) -> Result<Answer, Stop> {
        let not_current = || Stop::Refused(SyncAnswer::NotCurrent);
        let snapshot =
            log.snapshot.as_ref().filter(|snapshot| snapshot.position == position).ok_or_else(not_current)?;
        let sql = "SELECT digest, sealed FROM sync_snapshot_parts WHERE account_id = ?1 AND device = ?2 AND position = ?3 AND part = ?4";
        let found = self.query_row(sql, params![self.account, snapshot.device.as_str(), position, part], |row| {
            Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?))
        });
        let (digest, sealed) = found.optional()?.ok_or_else(not_current)?;
        if !blobs::is_sound(&digest, &sealed) {
            return Err(self.damaged("the snapshot", position));
        }
        Ok((SyncAnswer::SnapshotPart, vec![sealed]))
    }

    /// A snapshot is newer than the one there is, and not of the future.
    fn check_position(&self, log: &Log, position: u64) -> Result<(), Stop> {
        let is_old = log.snapshot.as_ref().is_some_and(|snapshot| snapshot.position >= position);
        if is_old || position > log.head { Err(Stop::Refused(SyncAnswer::NotCurrent)) } else { Ok(()) }
    }

    fn name(&self, position: u64, names: &[BlobName]) -> Result<(), rusqlite::Error> {
        let sql = "INSERT OR IGNORE INTO sync_names (account_id, name, position) VALUES (?1, ?2, ?3)";
        let mut statement = self.connection.prepare_cached(sql)?;
        for name in names {
            statement.execute(params![self.account, name.as_bytes(), position])?;
        }
        Ok(())
    }
}
