//! The logs of accounts that sync, and their blobs: sealed bytes, ordered, kept and given out (R316).
//!
//! Every request is one transaction. What only looks goes to the reader, unless the device has to be noted.

mod blobs;
mod log;

use rusqlite::{Connection, OptionalExtension as _, Params, Row, named_params};
use satchel_core::ids::DeviceId;
use satchel_core::protocol::{
    SYNC_NAMES, SyncAnswer, SyncAsk, SyncDevice, SyncEpoch, SyncKeyId, SyncRequest, SyncSnapshot, SyncStatus,
    sync_reserve,
};
use satchel_core::time::Timestamp;
use uuid::Uuid;

use super::{AccountId, Database, DatabaseError, now};

/// How long a blob that nothing names is kept, in milliseconds.
const KEPT_UNNAMED: i64 = 7 * 86_400_000;
/// A device that came so shortly ago is not noted again.
const NOTED: i64 = 60_000;
/// Most devices of an account.
const DEVICES: i64 = 200;
/// Longest sealed name of a device, in bytes.
const NAME_BYTES: usize = 1024;

/// An answer and the sealed bytes beside it.
type Answer = (SyncAnswer, Vec<Vec<u8>>);

/// Why a request is not answered as it was meant.
enum Stop {
    /// It is refused.
    Refused(SyncAnswer),
    /// The reader cannot do it.
    NeedsWriter,
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error)
    }
}

/// One request at the database.
struct Desk<'a> {
    connection: &'a Connection,
    account: &'a str,
    device: &'a DeviceId,
    quota: u64,
    now: i64,
    can_write: bool,
}

/// The log as its row says.
struct Log {
    key: Vec<u8>,
    epoch: String,
    head: u64,
    snapshot: Option<SyncSnapshot>,
    used: u64,
    is_damaged: bool,
}

/// What room is taken for.
#[derive(Clone, Copy)]
enum Room {
    Files,
    /// Rows may have a little more, so that what makes room can still be said.
    Rows,
}

impl Database {
    /// Answers a device of an account.
    pub async fn sync(
        &self,
        account: AccountId,
        ask: SyncAsk,
        beside: Vec<Vec<u8>>,
        quota: u64,
    ) -> Result<Answer, DatabaseError> {
        let only_looks = match &ask.request {
            SyncRequest::Status
            | SyncRequest::Changes { .. }
            | SyncRequest::Have { .. }
            | SyncRequest::GetParts { .. }
            | SyncRequest::Missing
            | SyncRequest::SnapshotPart { .. }
            | SyncRequest::Devices => true,
            SyncRequest::Begin
            | SyncRequest::BeginAnew
            | SyncRequest::Push { .. }
            | SyncRequest::PutParts { .. }
            | SyncRequest::PutSnapshotPart { .. }
            | SyncRequest::NameSnapshot { .. }
            | SyncRequest::FinishSnapshot { .. }
            | SyncRequest::NameDevice
            | SyncRequest::Revoke { .. }
            | SyncRequest::Rotate { .. } => false,
        };
        let account = account.to_string();
        if only_looks {
            let (account, ask) = (account.clone(), ask.clone());
            let looked = self.read(move |connection| answer(connection, &account, &ask, &[], quota, false)).await?;
            if let Some(answer) = looked {
                return Ok(answer);
            }
        }
        self.write(move |transaction| {
            let answer = answer(transaction, &account, &ask, &beside, quota, true)?;
            Ok(answer.expect("the writer can do everything"))
        })
        .await
    }

    /// Removes the blobs that nothing has named for a week; how many.
    pub async fn sweep_sync(&self) -> Result<usize, DatabaseError> {
        self.write(|transaction| Ok(blobs::sweep(transaction, now(), KEPT_UNNAMED)?)).await
    }

    /// Every device of every account, with its account's name.
    pub async fn sync_devices(&self) -> Result<Vec<(String, SyncDevice)>, DatabaseError> {
        self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT accounts.name AS account, sync_devices.* FROM sync_devices JOIN accounts ON accounts.id = account_id
                 ORDER BY accounts.created_at, accounts.id, first_seen, device",
            )?;
            let rows = statement.query_map([], |row| Ok((row.get("account")?, device(row)?)))?;
            rows.collect()
        })
        .await
    }

    /// Shuts a device out, in whichever account it is; whether there is such a device.
    pub async fn revoke_sync_device(&self, device: DeviceId) -> Result<bool, DatabaseError> {
        self.write(move |transaction| {
            let sql = "UPDATE sync_devices SET revoked_at = coalesce(revoked_at, ?2) WHERE device = ?1";
            Ok(transaction.execute(sql, rusqlite::params![device.as_str(), now()])? > 0)
        })
        .await
    }
}

/// Begins another life of every log: in a backup, and in a database that was restored from one.
pub(super) fn begin_other_lives(connection: &Connection) -> Result<(), rusqlite::Error> {
    let accounts: Vec<String> = {
        let mut statement = connection.prepare("SELECT account_id FROM sync_logs")?;
        statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
    };
    for account in accounts {
        let epoch = Uuid::now_v7().to_string();
        connection.execute("UPDATE sync_logs SET epoch = ?2 WHERE account_id = ?1", [account, epoch])?;
    }
    Ok(())
}

/// The answer; none where only the writer has one.
fn answer(
    connection: &Connection,
    account: &str,
    ask: &SyncAsk,
    beside: &[Vec<u8>],
    quota: u64,
    can_write: bool,
) -> Result<Option<Answer>, rusqlite::Error> {
    let desk = Desk { connection, account, device: &ask.device, quota, now: now(), can_write };
    match desk.answer(ask, beside) {
        Ok(answer) => Ok(Some(answer)),
        Err(Stop::Refused(refusal)) => Ok(Some((refusal, Vec::new()))),
        Err(Stop::NeedsWriter) => Ok(None),
        Err(Stop::Failed(error)) => Err(error),
    }
}

impl Desk<'_> {
    fn answer(&self, ask: &SyncAsk, beside: &[Vec<u8>]) -> Result<Answer, Stop> {
        let log = match (self.log()?, &ask.request) {
            (Some(log), _) => log,
            (None, SyncRequest::Begin | SyncRequest::BeginAnew) => self.begin(&ask.key)?,
            (None, _) => return Err(Stop::Refused(SyncAnswer::NotBegun)),
        };
        let log = match &ask.request {
            _ if log.key == ask.key.as_bytes() => log,
            // Whoever has the account's token may give up what nobody can read any more; who was shut out may not.
            SyncRequest::BeginAnew => {
                self.note_device()?;
                self.begin_anew(&ask.key)?;
                self.log()?.ok_or(Stop::Refused(SyncAnswer::NotBegun))?
            }
            _ => return Err(Stop::Refused(SyncAnswer::WrongKey)),
        };
        self.note_device()?;
        if ask.epoch.as_ref().is_some_and(|epoch| epoch.0 != log.epoch) {
            return Err(Stop::Refused(SyncAnswer::OtherEpoch { epoch: SyncEpoch(log.epoch) }));
        }
        let plain = |answer| Ok((answer, Vec::new()));
        match &ask.request {
            SyncRequest::Begin | SyncRequest::BeginAnew | SyncRequest::Status => {
                plain(SyncAnswer::Status(self.status(log)?))
            }
            SyncRequest::Changes { after } => self.changes(&log, *after),
            SyncRequest::Push { sequence, names } => {
                plain(self.push(&log, *sequence, bounded(names)?, one(beside)?)?)
            }
            SyncRequest::Have { names } => plain(self.have(bounded(names)?)?),
            SyncRequest::PutParts { parts } => plain(self.put_parts(&log, parts, beside)?),
            SyncRequest::GetParts { parts } => self.get_parts(bounded(parts)?),
            SyncRequest::Missing => plain(SyncAnswer::Missing { names: self.missing()? }),
            SyncRequest::PutSnapshotPart { position, part } => {
                plain(self.put_snapshot_part(&log, *position, *part, one(beside)?)?)
            }
            SyncRequest::NameSnapshot { position, names } => {
                plain(self.name_snapshot(&log, *position, bounded(names)?)?)
            }
            SyncRequest::FinishSnapshot { position, parts, names } => {
                plain(self.finish_snapshot(&log, *position, *parts, bounded(names)?)?)
            }
            SyncRequest::SnapshotPart { position, part } => self.snapshot_part(&log, *position, *part),
            SyncRequest::Devices => plain(SyncAnswer::Devices { devices: self.devices()? }),
            SyncRequest::NameDevice => {
                let name = one(beside)?;
                if name.len() > NAME_BYTES {
                    return Err(bad_request("the name is too long"));
                }
                let sql = "UPDATE sync_devices SET sealed_name = ?3 WHERE account_id = ?1 AND device = ?2";
                self.execute(sql, rusqlite::params![self.account, self.device.as_str(), name])?;
                plain(SyncAnswer::Done)
            }
            SyncRequest::Revoke { device } => {
                let sql = "UPDATE sync_devices SET revoked_at = coalesce(revoked_at, ?3) WHERE account_id = ?1 AND device = ?2";
                let known = self.execute(sql, rusqlite::params![self.account, device.as_str(), self.now])?;
                if known == 0 { Err(bad_request("the account has no such device")) } else { plain(SyncAnswer::Done) }
            }
            SyncRequest::Rotate { key, head } => plain(self.rotate(&log, key, *head)?),
        }
    }

    /// Runs a statement, which is prepared once for all requests.
    fn execute(&self, sql: &str, params: impl Params) -> Result<usize, rusqlite::Error> {
        self.connection.prepare_cached(sql)?.execute(params)
    }

    /// Reads one row, by a statement that is prepared once for all requests.
    fn query_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T, rusqlite::Error>,
    ) -> Result<T, rusqlite::Error> {
        self.connection.prepare_cached(sql)?.query_row(params, read)
    }

    fn log(&self) -> Result<Option<Log>, rusqlite::Error> {
        let sql = "SELECT * FROM sync_logs WHERE account_id = ?1";
        let log = self.query_row(sql, [self.account], |row| {
            let device: Option<String> = row.get("snapshot_device")?;
            let device = device.and_then(|device| DeviceId::parse(device).ok());
            let snapshot = match device {
                Some(device) => Some(SyncSnapshot {
                    device,
                    position: row.get("snapshot_position")?,
                    parts: row.get("snapshot_parts")?,
                }),
                None => None,
            };
            Ok(Log {
                key: row.get("key_id")?,
                epoch: row.get("epoch")?,
                head: row.get("head")?,
                snapshot,
                used: row.get("used_bytes")?,
                is_damaged: row.get::<_, Option<i64>>("damaged_at")?.is_some(),
            })
        });
        log.optional()
    }

    fn begin(&self, key: &SyncKeyId) -> Result<Log, rusqlite::Error> {
        let epoch = Uuid::now_v7().to_string();
        let sql = "INSERT INTO sync_logs (account_id, key_id, epoch, head, used_bytes) VALUES (?1, ?2, ?3, 0, 0)";
        self.execute(sql, rusqlite::params![self.account, key.as_bytes(), epoch])?;
        Ok(Log { key: key.as_bytes().to_vec(), epoch, head: 0, snapshot: None, used: 0, is_damaged: false })
    }

    /// Everything that was sealed under the old key goes. The device that asks has all of it, and sends it again; devices stay as they are known.
    fn rotate(&self, log: &Log, key: &SyncKeyId, head: u64) -> Result<SyncAnswer, Stop> {
        if head != log.head {
            return Err(Stop::Refused(SyncAnswer::NotCurrent));
        }
        self.begin_anew(key)?;
        Ok(SyncAnswer::Done)
    }

    /// Begins another life of the log under another key, with nothing in it.
    fn begin_anew(&self, key: &SyncKeyId) -> Result<(), rusqlite::Error> {
        for table in ["sync_changes", "sync_snapshot_parts", "sync_blobs", "sync_names"] {
            self.execute(&format!("DELETE FROM {table} WHERE account_id = ?1"), [self.account])?;
        }
        let sql = "UPDATE sync_devices SET sequence = 0, sealed_name = NULL WHERE account_id = ?1";
        self.execute(sql, [self.account])?;
        self.execute(
            "UPDATE sync_logs SET key_id = :key, epoch = :epoch, head = 0, used_bytes = 0, damaged_at = NULL,
                 snapshot_device = NULL, snapshot_position = NULL, snapshot_parts = NULL WHERE account_id = :account",
            named_params! { ":key": key.as_bytes(), ":epoch": Uuid::now_v7().to_string(), ":account": self.account },
        )?;
        Ok(())
    }

    /// Refuses to give out what is damaged on the disk, and remembers it: devices that have everything are told, and one of them makes a
    /// snapshot in its place (F10).
    fn damaged(&self, what: &str, position: u64) -> Stop {
        if !self.can_write {
            return Stop::NeedsWriter;
        }
        tracing::error!(position, "{what} of an account is damaged on the disk; it is given to nobody");
        let sql = "UPDATE sync_logs SET damaged_at = coalesce(damaged_at, ?2) WHERE account_id = ?1";
        match self.execute(sql, rusqlite::params![self.account, self.now]) {
            Ok(_) => Stop::Refused(SyncAnswer::Damaged),
            Err(error) => Stop::Failed(error),
        }
    }

    /// Lets a device in, unless it was shut out.
    fn note_device(&self) -> Result<(), Stop> {
        let sql = "SELECT last_seen, revoked_at FROM sync_devices WHERE account_id = ?1 AND device = ?2";
        let known = self.query_row(sql, [self.account, self.device.as_str()], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?))
        });
        match known.optional()? {
            Some((_, Some(_))) => return Err(Stop::Refused(SyncAnswer::Revoked)),
            Some((last_seen, None)) if (0..NOTED).contains(&(self.now - last_seen)) => return Ok(()),
            Some(_) | None if !self.can_write => return Err(Stop::NeedsWriter),
            Some(_) => {}
            None => {
                let sql = "SELECT count(*) FROM sync_devices WHERE account_id = ?1";
                if self.query_row(sql, [self.account], |row| row.get::<_, i64>(0))? >= DEVICES {
                    return Err(bad_request("the account has as many devices as it may have"));
                }
            }
        }
        self.execute(
            "INSERT INTO sync_devices (account_id, device, sequence, first_seen, last_seen)
             VALUES (:account, :device, 0, :now, :now) ON CONFLICT DO UPDATE SET last_seen = :now",
            named_params! { ":account": self.account, ":device": self.device.as_str(), ":now": self.now },
        )?;
        Ok(())
    }

    fn status(&self, log: Log) -> Result<SyncStatus, Stop> {
        let sql = "SELECT count(*), coalesce(sum(length(sealed)), 0) FROM sync_changes WHERE account_id = ?1";
        let (log_changes, log_bytes) = self.query_row(sql, [self.account], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(SyncStatus {
            sequence: self.sequence()?,
            missing: u32::try_from(self.missing()?.len()).unwrap_or(u32::MAX),
            damaged: log.is_damaged,
            epoch: SyncEpoch(log.epoch),
            head: log.head,
            snapshot: log.snapshot,
            log_changes,
            log_bytes,
            used_bytes: log.used,
            quota_bytes: self.quota,
        })
    }

    fn devices(&self) -> Result<Vec<SyncDevice>, Stop> {
        let sql = "SELECT * FROM sync_devices WHERE account_id = ?1 ORDER BY first_seen, device";
        let mut statement = self.connection.prepare_cached(sql)?;
        let devices = statement.query_map([self.account], device)?.collect::<Result<_, _>>()?;
        Ok(devices)
    }

    /// Room for so many more bytes, or the refusal.
    fn take_room(&self, log: &Log, room: Room, bytes: usize) -> Result<(), Stop> {
        let most = match room {
            Room::Files => self.quota,
            Room::Rows => sync_reserve(self.quota),
        };
        if log.used.saturating_add(bytes as u64) > most {
            return Err(Stop::Refused(SyncAnswer::Full { quota_bytes: self.quota }));
        }
        let sql = "UPDATE sync_logs SET used_bytes = used_bytes + ?2 WHERE account_id = ?1";
        self.execute(sql, rusqlite::params![self.account, bytes])?;
        Ok(())
    }
}

fn device(row: &Row<'_>) -> Result<SyncDevice, rusqlite::Error> {
    let moment = |millis: i64| Timestamp::from_millis(u64::try_from(millis).unwrap_or_default());
    let id: String = row.get("device")?;
    Ok(SyncDevice {
        id: DeviceId::parse(id).map_err(|_no_id| rusqlite::Error::InvalidQuery)?,
        sealed_name: row.get::<_, Option<Vec<u8>>>("sealed_name")?.map(|name| blobs::base64(&name)),
        first_seen: moment(row.get("first_seen")?),
        last_seen: moment(row.get("last_seen")?),
        sequence: row.get("sequence")?,
        revoked_at: row.get::<_, Option<i64>>("revoked_at")?.map(moment),
    })
}

/// Counts an account's bytes anew, after some were removed.
fn count_again(connection: &Connection, account: &str) -> Result<(), rusqlite::Error> {
    connection.execute(
        "UPDATE sync_logs SET used_bytes =
             (SELECT coalesce(sum(length(sealed)), 0) FROM sync_changes WHERE account_id = ?1)
           + (SELECT coalesce(sum(length(sealed)), 0) FROM sync_snapshot_parts WHERE account_id = ?1)
           + (SELECT coalesce(sum(length(sealed)), 0) FROM sync_parts WHERE account_id = ?1)
         WHERE account_id = ?1",
        [account],
    )?;
    Ok(())
}

fn bad_request(message: &str) -> Stop {
    Stop::Refused(SyncAnswer::BadRequest { message: message.to_owned() })
}

fn bounded<T>(named: &[T]) -> Result<&[T], Stop> {
    if named.len() > SYNC_NAMES { Err(bad_request("it names too much at once")) } else { Ok(named) }
}

fn one(beside: &[Vec<u8>]) -> Result<&[u8], Stop> {
    match beside {
        [sealed] => Ok(sealed),
        _ => Err(bad_request("one thing has to be beside this")),
    }
}
