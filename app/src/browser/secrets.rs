//! Secrets of this device: sealed by a key that the browser keeps and never gives out.
//!
//! The key is made once, cannot be exported, and lives in IndexedDB as the browser's own object; what is stored beside it is
//! ciphertext (invariant I8). Nothing here passes through a `Commit`, so no secret can reach the outbox.

use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::SubtleCrypto;

use super::indexed_db::{DEVICE_KEYS, IndexedDbStore, SECRETS};
use super::{js_error, page};
use satchel_core::store::StoreError;

/// Why a secret could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecretError {
    #[error("the secrets of this device cannot be used: {0}")]
    Store(StoreError),
    #[error("the browser's cryptography failed: {0}")]
    Crypto(String),
}

/// Its sentence is part of ours, so that it is no source beside it and is said once.
impl From<StoreError> for SecretError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

const WRAPPING_KEY: &str = "wrapping";
const ALGORITHM: &str = "AES-GCM";

/// Seals and keeps a secret in place of an older one of that name.
pub(crate) async fn keep(store: &IndexedDbStore, name: &str, secret: &str) -> Result<(), SecretError> {
    let key = wrapping_key(store).await?;
    let nonce = Uint8Array::new_with_length(12);
    page::crypto().get_random_values_with_array_buffer_view(&nonce).map_err(crypto_failed)?;
    let plain = Uint8Array::from(secret.as_bytes());
    let sealing = subtle().encrypt_with_object_and_buffer_source(&algorithm(&nonce, name), &key, &plain);
    let sealed = JsFuture::from(sealing.map_err(crypto_failed)?).await.map_err(crypto_failed)?;
    let value = Array::of2(&nonce, &Uint8Array::new(&sealed));
    Ok(store.set_device_value(SECRETS, name, &value).await?)
}

/// Reads a secret back; nothing where none is kept, or where it was sealed by a key that is gone.
pub(crate) async fn read(store: &IndexedDbStore, name: &str) -> Result<Option<String>, SecretError> {
    let Some(value) = store.device_value(SECRETS, name).await? else { return Ok(None) };
    let parts: Array = value.unchecked_into();
    let (nonce, sealed): (Uint8Array, Uint8Array) = (parts.get(0).unchecked_into(), parts.get(1).unchecked_into());
    let key = wrapping_key(store).await?;
    let opening = subtle().decrypt_with_object_and_buffer_source(&algorithm(&nonce, name), &key, &sealed);
    let Ok(plain) = JsFuture::from(opening.map_err(crypto_failed)?).await else { return Ok(None) };
    Ok(String::from_utf8(Uint8Array::new(&plain).to_vec()).ok())
}

/// The names of the secrets that are kept.
pub(crate) async fn names(store: &IndexedDbStore) -> Result<Vec<String>, SecretError> {
    Ok(store.device_value_names(SECRETS).await?)
}

/// Forgets a secret.
pub(crate) async fn forget(store: &IndexedDbStore, name: &str) -> Result<(), SecretError> {
    Ok(store.set_device_value(SECRETS, name, &JsValue::UNDEFINED).await?)
}

/// The key of this device, made at its first use. Of two tabs that make one at the same time, both get the first.
async fn wrapping_key(store: &IndexedDbStore) -> Result<web_sys::CryptoKey, SecretError> {
    if let Some(key) = store.device_value(DEVICE_KEYS, WRAPPING_KEY).await? {
        return Ok(key.unchecked_into());
    }
    let parameters = Object::new();
    set(&parameters, "name", &ALGORITHM.into());
    set(&parameters, "length", &256.into());
    let usages = Array::of2(&"encrypt".into(), &"decrypt".into());
    let extractable = false;
    let making = subtle().generate_key_with_object(&parameters, extractable, &usages).map_err(crypto_failed)?;
    let key = JsFuture::from(making).await.map_err(crypto_failed)?;
    Ok(store.add_device_value(DEVICE_KEYS, WRAPPING_KEY, &key).await?.unchecked_into())
}

/// The name of a secret is authenticated with it: one cannot be put in another's place.
fn algorithm(nonce: &Uint8Array, name: &str) -> Object {
    let algorithm = Object::new();
    set(&algorithm, "name", &ALGORITHM.into());
    set(&algorithm, "iv", nonce);
    set(&algorithm, "additionalData", &Uint8Array::from(name.as_bytes()));
    algorithm
}

fn subtle() -> SubtleCrypto {
    page::crypto().subtle()
}

fn set(object: &Object, name: &str, value: &JsValue) {
    Reflect::set(object, &name.into(), value).expect("a fresh object takes properties");
}

fn crypto_failed(thrown: JsValue) -> SecretError {
    SecretError::Crypto(js_error::describe(&thrown))
}
