//! The account's key on this device: sealed like every secret, never in a row (invariant I8).

use satchel_core::ids::DeviceId;
use satchel_core::store::StoreError;
use satchel_core::sync::{KeptKey, SyncError};

use super::line::SyncLine;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::secrets::{self, SecretError};
use crate::browser::tab_roles::SyncKeyTurn;

/// The name it is sealed under.
const SECRET: &str = "sync";

/// The key; none where this device does not sync, or what it kept cannot be opened any more.
pub(super) async fn read(store: &IndexedDbStore) -> Result<Option<KeptKey>, SecretError> {
    let text = secrets::read(store, SECRET).await?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Keeps a key in place of an older one.
pub(super) async fn keep(store: &IndexedDbStore, key: &KeptKey) -> Result<(), SecretError> {
    secrets::keep(store, SECRET, &serde_json::to_string(key).expect("a key is JSON")).await
}

/// Forgets it.
pub(super) async fn forget(store: &IndexedDbStore) -> Result<(), SecretError> {
    secrets::forget(store, SECRET).await
}

/// The key that counts. Where changing it was cut off, the server is asked which one does.
pub(super) async fn settled(store: &IndexedDbStore, line: &SyncLine, device: &DeviceId) -> Result<KeptKey, SyncError> {
    let kept = read(store).await.map_err(of_store)?.ok_or(SyncError::WrongKey)?;
    if kept.is_settled() {
        return Ok(kept);
    }
    // Who is changing it just now is not cut off.
    let turn = SyncKeyTurn::wait().await;
    settled_in_turn(store, line, device, &turn).await
}

/// The same, for who has the turn.
pub(super) async fn settled_in_turn(
    store: &IndexedDbStore,
    line: &SyncLine,
    device: &DeviceId,
    _turn: &SyncKeyTurn,
) -> Result<KeptKey, SyncError> {
    let kept = read(store).await.map_err(of_store)?.ok_or(SyncError::WrongKey)?;
    if kept.is_settled() {
        return Ok(kept);
    }
    let settled = kept.settled(line, device).await?;
    keep(store, &settled).await.map_err(of_store)?;
    Ok(settled)
}

/// What this device is called by the others.
pub(super) async fn device(store: &IndexedDbStore) -> Result<DeviceId, StoreError> {
    store.device().await?.ok_or_else(|| StoreError::Backend("the store has lost the id of this device".into()))
}

fn of_store(error: SecretError) -> SyncError {
    match error {
        SecretError::Store(error) => error.into(),
        SecretError::Crypto(reason) => StoreError::Backend(reason).into(),
    }
}
