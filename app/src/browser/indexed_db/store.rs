//! [`Store`] over IndexedDB: reads what a commit touches, lets core decide, writes what comes back.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::oneshot;
use futures_util::future::{Either, LocalBoxFuture, select, try_join_all};
use idb::{DatabaseEvent as _, Event as _, Factory, ObjectStore, Query, Request as _};
use js_sys::{Array, Uint8Array};
use satchel_core::digest::BlobId;
use satchel_core::ids::DeviceId;
use satchel_core::order;
use satchel_core::record::{RowKey, RowRef, Table};
use satchel_core::store::{
    Blob, Clock, Commit, Durability, Lookup, OutboxEntry, RowWrite, Rows, Seen, Store, StoreError, StoredRow, Writes,
    resolve,
};
use satchel_core::sync::Stamp;
use satchel_core::time::Timestamp;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::IdbDatabase;

use super::failure;
use super::many::keys_between;
use super::rows::{key_from_js, key_to_js, row_from_js, row_to_js};
use super::schema::{self, BLOBS, META, OUTBOX, Version};
use super::transaction::{Mode, OpenTransaction, get, put};
use crate::browser::clock;
use crate::browser::tab_news::{self, Topic};

/// The store of this browser profile. A clone is another handle on the same connection.
#[derive(Clone)]
pub(crate) struct IndexedDbStore(Rc<Connection>);

struct Connection {
    database: IdbDatabase,
    superseded: Rc<Cell<bool>>,
    _on_version_change: Closure<dyn FnMut()>,
}

/// How long other tabs may take to make room for an upgrade.
const ROOM: Duration = Duration::from_secs(3);

const CLOCK_DEVICE: &str = "device";
const CLOCK_LAST: &str = "last_stamp";
/// The stamp of the last commit that brought or required blobs.
const BLOBS_TOUCHED: &str = "blobs_touched";

impl IndexedDbStore {
    /// Opens the database of this profile, makes or upgrades it where needed. `device` becomes the id of the device if
    /// it has none yet; `on_superseded` is called when another tab needs this connection to close.
    pub(crate) async fn open(
        name: &str,
        device: DeviceId,
        on_superseded: impl Fn() + 'static,
    ) -> Result<Self, StoreError> {
        Self::open_at(name, Version::CURRENT, device, on_superseded).await
    }

    /// Opens the database at a version of the schema; only the tests of migrations ask for another than the current one.
    pub(super) async fn open_at(
        name: &str,
        version: Version,
        device: DeviceId,
        on_superseded: impl Fn() + 'static,
    ) -> Result<Self, StoreError> {
        let mut request =
            Factory::new().and_then(|factory| factory.open(name, Some(version.number()))).map_err(failure::of_open)?;
        request.on_upgrade_needed(move |event| {
            let Some(transaction) = event.target().ok().and_then(|request| request.transaction()) else { return };
            let upgraded =
                event.old_version().and_then(|from| schema::upgrade(&event.database()?, &transaction, from, version));
            if upgraded.is_err() {
                // Aborting fails the open request, whose error is reported below; there is nothing to add to it here.
                transaction.abort().ok();
            }
        });
        let (blocked, is_blocked) = oneshot::channel();
        request.on_blocked(move |_event| {
            // Who opened the database may have given up.
            blocked.send(()).ok();
        });
        let database = match select(request.into_future(), is_blocked).await {
            Either::Left((opened, _)) => IdbDatabase::from(opened.map_err(failure::of_open)?),
            // The sender goes with the request, and then it was not blocked but opened; that is seen above.
            Either::Right((_blocked, opening)) => {
                // Tabs of today make room at once when they are asked; a moment is enough to see it.
                match select(opening, std::pin::pin!(clock::wait(ROOM))).await {
                    Either::Left((opened, _)) => IdbDatabase::from(opened.map_err(failure::of_open)?),
                    Either::Right(_) => return Err(StoreError::Blocked),
                }
            }
        };

        let superseded = Rc::new(Cell::new(false));
        let on_version_change = Closure::new({
            let (database, superseded) = (database.clone(), Rc::clone(&superseded));
            move || {
                superseded.set(true);
                database.close();
                on_superseded();
            }
        });
        database.set_onversionchange(Some(on_version_change.as_ref().unchecked_ref()));

        let store = Self(Rc::new(Connection { database, superseded, _on_version_change: on_version_change }));
        store.name_device(&device).await?;
        Ok(store)
    }

    /// Closes the connection once its transactions are done, as the end of a tab would.
    #[cfg(test)]
    pub(super) fn close(&self) {
        self.0.database.close();
    }

    async fn name_device(&self, device: &DeviceId) -> Result<(), StoreError> {
        let transaction = self.write(&[META], Durability::Strict)?;
        let meta = transaction.store(META)?;
        let named = get(&meta, &CLOCK_DEVICE.into()).await?;
        if named.is_none() {
            put(&meta, &CLOCK_DEVICE.into(), &device.as_str().into())?;
        }
        transaction.finish().await
    }

    /// The name that this device goes by, in all its tabs; none where the store has lost it.
    pub(crate) async fn device(&self) -> Result<Option<DeviceId>, StoreError> {
        let named = get(&self.read(&[META])?.store(META)?, &CLOCK_DEVICE.into()).await?;
        Ok(named.and_then(|named| named.as_string()).and_then(|named| DeviceId::parse(named).ok()))
    }

    pub(super) fn read(&self, stores: &[&str]) -> Result<OpenTransaction, StoreError> {
        self.begin(stores, Mode::ReadOnly, Durability::Relaxed)
    }

    pub(super) fn write(&self, stores: &[&str], durability: Durability) -> Result<OpenTransaction, StoreError> {
        self.begin(stores, Mode::ReadWrite, durability)
    }

    fn begin(&self, stores: &[&str], mode: Mode, durability: Durability) -> Result<OpenTransaction, StoreError> {
        if self.0.superseded.get() {
            return Err(StoreError::Superseded);
        }
        OpenTransaction::begin(&self.0.database, stores, mode, durability)
    }
}

fn blob_key(id: BlobId) -> JsValue {
    id.to_string().into()
}

fn blob_from_key(key: &JsValue) -> Option<BlobId> {
    BlobId::parse(&key.as_string()?).ok()
}

/// The blobs that are not there, in the order given.
async fn missing(store: &ObjectStore, ids: &[BlobId]) -> Result<Vec<BlobId>, StoreError> {
    let ends = ids.iter().min().zip(ids.iter().max());
    if let Some((first, last)) = ends
        && let Some(there) = keys_between(store, &blob_key(*first), &blob_key(*last), ids.len()).await?
    {
        let there = order::set_of(there.iter().filter_map(blob_from_key));
        return Ok(ids.iter().filter(|id| !there.contains(id)).copied().collect());
    }
    let requests: Result<Vec<_>, _> =
        ids.iter().map(|id| store.get_key(Query::from(blob_key(*id))).map(IntoFuture::into_future)).collect();
    let found = try_join_all(requests.map_err(failure::of)?).await.map_err(failure::of)?;
    Ok(ids.iter().zip(found).filter(|(_, key)| key.is_none()).map(|(id, _)| *id).collect())
}

/// Those of some rows of one table that are there. The rows are sorted.
async fn rows_there(store: ObjectStore, rows: &[RowRef]) -> Result<Vec<(RowRef, StoredRow)>, StoreError> {
    let mut wanted: Vec<&RowRef> = rows.iter().collect();
    // IndexedDB sorts texts by UTF-16 units, so only of these is it certain that the first and the last are that to it as well.
    let is_plain = |row: &RowRef| row.key.parts().iter().all(|part| part.is_ascii());
    if let Some((first, last)) = rows.first().zip(rows.last()).filter(|_| rows.iter().all(is_plain))
        && let Some(there) = keys_between(&store, &key_to_js(&first.key), &key_to_js(&last.key), rows.len()).await?
    {
        let there = order::set_of(there.iter().filter_map(key_from_js));
        wanted.retain(|row| there.contains(&row.key));
    }
    let requests: Result<Vec<_>, _> =
        wanted.iter().map(|row| store.get(Query::from(key_to_js(&row.key))).map(IntoFuture::into_future)).collect();
    let found = try_join_all(requests.map_err(failure::of)?).await.map_err(failure::of)?;
    let there = wanted.into_iter().zip(found).filter_map(|(row, value)| Some((row.clone(), row_from_js(&value?))));
    Ok(there.collect())
}

/// Asks for rows at once; the answer comes later.
fn find(
    transaction: &OpenTransaction,
    lookup: &Lookup<'_>,
) -> Result<LocalBoxFuture<'static, Result<Rows, StoreError>>, StoreError> {
    let store = transaction.store(lookup.table().name())?;
    let (keys, values) = match lookup {
        Lookup::Row(row) => {
            let (key, value) = (row.key.clone(), store.get(Query::from(key_to_js(&row.key))).map_err(failure::of)?);
            return Ok(Box::pin(async move {
                let found = value.into_future().await.map_err(failure::of)?.map(|value| row_from_js(&value));
                Ok(found.filter(StoredRow::is_alive).map(|row| (key, row)).into_iter().collect())
            }));
        }
        Lookup::All(_) => (store.get_all_keys(None, None), store.get_all(None, None)),
        Lookup::Where(_, field, value) => {
            let (index, wanted) =
                (store.index(field).map_err(failure::of)?, || Some(Query::from(JsValue::from(*value))));
            (index.get_all_keys(wanted(), None), index.get_all(wanted(), None))
        }
    };
    let (keys, values) = (keys.map_err(failure::of)?, values.map_err(failure::of)?);
    Ok(Box::pin(async move {
        let (keys, values) = futures_util::try_join!(keys.into_future(), values.into_future()).map_err(failure::of)?;
        Ok(living_rows(&keys, &values))
    }))
}

/// The rows behind these keys and values that were not deleted, sorted.
fn living_rows(keys: &[JsValue], values: &[JsValue]) -> Rows {
    let mut rows: Rows = (keys.iter().zip(values))
        .filter_map(|(key, value)| Some((key_from_js(key)?, row_from_js(value))))
        .filter(|(_, row)| row.is_alive())
        .collect();
    // IndexedDB sorts texts by UTF-16 units; every store of ours sorts them as Rust does.
    order::sort_by(&mut rows, |(a, _), (b, _)| a.cmp(b));
    rows
}

fn outbox_key(row: &RowRef) -> JsValue {
    let parts = std::iter::once(row.table.name()).chain(row.key.parts().iter().map(String::as_str));
    parts.map(JsValue::from).collect::<Array>().into()
}

fn outbox_entry(key: &JsValue, stamp: &JsValue) -> Option<OutboxEntry> {
    let mut parts = key.dyn_ref::<Array>()?.iter().map(|part| part.as_string()).collect::<Option<Vec<_>>>()?;
    let name = parts.remove(0);
    let table = Table::ALL.into_iter().find(|table| table.name() == name)?;
    let stamp = Stamp::parse(&stamp.as_string()?).ok()?;
    Some(OutboxEntry { row: RowRef { table, key: RowKey::from_parts(parts)? }, stamp })
}

/// Reads, inside the transaction, everything the commit depends on.
async fn look(commit: &Commit, transaction: &OpenTransaction, rows: &[RowRef]) -> Result<Seen, StoreError> {
    let meta = transaction.store(META)?;
    let (device_key, last_key, touched_key) = (CLOCK_DEVICE.into(), CLOCK_LAST.into(), BLOBS_TOUCHED.into());
    let mut tables = Vec::new();
    for of_table in rows.chunk_by(|a, b| a.table == b.table) {
        tables.push(rows_there(transaction.store(of_table[0].table.name())?, of_table));
    }
    let blobs = transaction.store(BLOBS)?;
    let required = commit.required_elsewhere();
    // Everything is asked for before any answer is waited for.
    let (found, device, last, touched, missing) = futures_util::try_join!(
        try_join_all(tables),
        get(&meta, &device_key),
        get(&meta, &last_key),
        get(&meta, &touched_key),
        missing(&blobs, &required),
    )?;
    let device = device.and_then(|device| device.as_string()).and_then(|device| DeviceId::parse(device).ok());
    let device = device.ok_or_else(|| StoreError::Backend("the store has lost the id of this device".into()))?;
    let (last, blobs_touched) = (last.and_then(stamp_from_js), touched.and_then(stamp_from_js));
    let mut seen = BTreeMap::new();
    seen.extend(found.into_iter().flatten());
    Ok(Seen { clock: Clock { device, last }, rows: seen, missing, blobs_touched })
}

fn stamp_from_js(stamp: JsValue) -> Option<Stamp> {
    Stamp::parse(&stamp.as_string()?).ok()
}

/// Makes every write request of the commit: blobs before rows.
///
/// A blob that is there is written again. Looking first whether it is would cost as many requests as there are new ones, and
/// if its bytes were damaged, writing heals it.
fn write(commit: &Commit, writes: &Writes, transaction: &OpenTransaction) -> Result<(), StoreError> {
    if !commit.blobs.is_empty() || commit.drops.is_some() {
        let blobs = transaction.store(BLOBS)?;
        for id in commit.drops.iter().flat_map(|drops| &drops.blobs) {
            blobs.delete(Query::from(blob_key(*id))).map(drop).map_err(failure::of)?;
        }
        // In the order of their keys, which the database sorts by: it has less to move then.
        let mut sorted: Vec<&Blob> = commit.blobs.iter().collect();
        order::sort_by(&mut sorted, |a, b| a.id().cmp(&b.id()));
        for blob in sorted {
            put(&blobs, &blob_key(blob.id()), &Uint8Array::from(blob.bytes()))?;
        }
    }
    for (row, write) in &writes.rows {
        let store = transaction.store(row.table.name())?;
        let key = key_to_js(&row.key);
        match write {
            RowWrite::Put(stored) => put(&store, &key, &row_to_js(row.table, stored))?,
            RowWrite::Remove => store.delete(Query::from(key)).map(drop).map_err(failure::of)?,
        }
    }
    if !writes.outbox.is_empty() {
        let outbox = transaction.store(OUTBOX)?;
        for OutboxEntry { row, stamp } in &writes.outbox {
            put(&outbox, &outbox_key(row), &stamp.to_string().into())?;
        }
    }
    let (meta, stamp) = (transaction.store(META)?, writes.clock.to_string().into());
    if commit.touches_blobs() {
        put(&meta, &BLOBS_TOUCHED.into(), &stamp)?;
    }
    put(&meta, &CLOCK_LAST.into(), &stamp)
}

/// Keys in the order of rows: IndexedDB sorts by UTF-16 units.
fn sorted_keys(keys: Vec<JsValue>) -> Vec<RowKey> {
    let mut keys: Vec<RowKey> = keys.iter().filter_map(key_from_js).collect();
    order::sort_by(&mut keys, Ord::cmp);
    keys
}

impl Store for IndexedDbStore {
    async fn apply(&self, commit: Commit, now: Timestamp) -> Result<Stamp, StoreError> {
        let rows = commit.touched();
        let mut stores: Vec<&str> = rows.iter().map(|row| row.table.name()).collect();
        stores.dedup();
        stores.extend([BLOBS, OUTBOX, META]);

        let transaction = self.write(&stores, commit.durability)?;
        let seen = look(&commit, &transaction, &rows).await?;
        let writes = match resolve(&commit, seen, now) {
            Ok(writes) => writes,
            Err(refused) => return Err(transaction.abandon(refused)),
        };
        if let Err(failed) = write(&commit, &writes, &transaction) {
            return Err(transaction.abandon(failed));
        }
        transaction.finish().await?;
        if !writes.outbox.is_empty() {
            tab_news::tell(Topic::Outbox);
        }
        Ok(writes.stamp)
    }

    async fn look_up<const N: usize>(&self, wanted: [Lookup<'_>; N]) -> Result<[Rows; N], StoreError> {
        let mut stores: Vec<&str> = Vec::with_capacity(N);
        for lookup in &wanted {
            if !stores.contains(&lookup.table().name()) {
                stores.push(lookup.table().name());
            }
        }
        let transaction = self.read(&stores)?;
        let requests: Result<Vec<_>, _> = wanted.iter().map(|lookup| find(&transaction, lookup)).collect();
        let found = try_join_all(requests?).await?;
        // An `expect` would bring into the page what prints rows.
        let Ok(found) = found.try_into() else { unreachable!("there are as many as were wanted") };
        Ok(found)
    }

    async fn stored(&self, rows: &[RowRef]) -> Result<Vec<Option<StoredRow>>, StoreError> {
        let mut stores: Vec<&str> = rows.iter().map(|row| row.table.name()).collect();
        stores.sort_unstable();
        stores.dedup();
        if stores.is_empty() {
            return Ok(Vec::new());
        }
        let transaction = self.read(&stores)?;
        let mut requests = Vec::with_capacity(rows.len());
        for row in rows {
            let request = transaction.store(row.table.name())?.get(Query::from(key_to_js(&row.key)));
            requests.push(request.map_err(failure::of)?.into_future());
        }
        let found = try_join_all(requests).await.map_err(failure::of)?;
        Ok(found.into_iter().map(|value| value.map(|value| row_from_js(&value))).collect())
    }

    async fn row_keys(&self, table: Table) -> Result<Vec<RowKey>, StoreError> {
        let transaction = self.read(&[table.name()])?;
        let keys = transaction.store(table.name())?.get_all_keys(None, None).map_err(failure::of)?;
        Ok(sorted_keys(keys.into_future().await.map_err(failure::of)?))
    }

    async fn row_keys_where(&self, table: Table, field: &str, value: &str) -> Result<Vec<RowKey>, StoreError> {
        let transaction = self.read(&[table.name()])?;
        let index = transaction.store(table.name())?.index(field).map_err(failure::of)?;
        let keys = index.get_all_keys(Some(Query::from(JsValue::from(value))), None).map_err(failure::of)?;
        Ok(sorted_keys(keys.into_future().await.map_err(failure::of)?))
    }

    async fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        let transaction = self.read(&[BLOBS])?;
        let value = get(&transaction.store(BLOBS)?, &blob_key(id)).await?;
        Ok(value.map(|bytes| Uint8Array::new(&bytes).to_vec()))
    }

    async fn blobs(&self, ids: &[BlobId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let transaction = self.read(&[BLOBS])?;
        let store = transaction.store(BLOBS)?;
        let requests: Result<Vec<_>, _> =
            ids.iter().map(|id| store.get(Query::from(blob_key(*id))).map(IntoFuture::into_future)).collect();
        let found = try_join_all(requests.map_err(failure::of)?).await.map_err(failure::of)?;
        Ok(found.into_iter().map(|value| value.map(|bytes| Uint8Array::new(&bytes).to_vec())).collect())
    }

    async fn missing_blobs(&self, ids: &[BlobId]) -> Result<Vec<BlobId>, StoreError> {
        let transaction = self.read(&[BLOBS])?;
        missing(&transaction.store(BLOBS)?, ids).await
    }

    async fn blobs_touched(&self) -> Result<Option<Stamp>, StoreError> {
        let transaction = self.read(&[META])?;
        let touched = get(&transaction.store(META)?, &BLOBS_TOUCHED.into()).await?;
        Ok(touched.and_then(stamp_from_js))
    }

    async fn blob_ids(&self) -> Result<Vec<BlobId>, StoreError> {
        let transaction = self.read(&[BLOBS])?;
        let keys = transaction.store(BLOBS)?.get_all_keys(None, None).map_err(failure::of)?;
        let keys = keys.into_future().await.map_err(failure::of)?;
        // Sorted by IndexedDB: the digits sort as texts just as the bytes do.
        Ok(keys.iter().filter_map(blob_from_key).collect())
    }

    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        let transaction = self.read(&[OUTBOX])?;
        let store = transaction.store(OUTBOX)?;
        let keys = store.get_all_keys(None, None).map_err(failure::of)?.into_future();
        let values = store.get_all(None, None).map_err(failure::of)?.into_future();
        let (keys, values) = futures_util::try_join!(keys, values).map_err(failure::of)?;
        let mut entries: Vec<OutboxEntry> =
            keys.iter().zip(&values).filter_map(|(key, stamp)| outbox_entry(key, stamp)).collect();
        entries.sort_by(|a, b| a.row.cmp(&b.row));
        Ok(entries)
    }

    async fn mark_sent(&self, sent: &[OutboxEntry]) -> Result<(), StoreError> {
        let transaction = self.write(&[OUTBOX], Durability::Relaxed)?;
        let store = transaction.store(OUTBOX)?;
        let mut requests = Vec::with_capacity(sent.len());
        for entry in sent {
            requests.push(store.get(Query::from(outbox_key(&entry.row))).map_err(failure::of)?.into_future());
        }
        let found = try_join_all(requests).await.map_err(failure::of)?;
        for (entry, stamp) in sent.iter().zip(found) {
            if stamp.and_then(|stamp| stamp.as_string()) == Some(entry.stamp.to_string()) {
                store.delete(Query::from(outbox_key(&entry.row))).map_err(failure::of)?;
            }
        }
        transaction.finish().await
    }
}

#[cfg(test)]
mod tests;
