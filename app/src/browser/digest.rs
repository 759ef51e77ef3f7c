//! The names of contents, by whoever hashes fastest: the browser's own SHA-256, which has the processor's instructions for it and a
//! thread of its own, or core's, which is asked without a way around.

use futures_util::future::join_all;
use js_sys::Uint8Array;
use satchel_core::digest::BlobId;
use wasm_bindgen_futures::JsFuture;

use super::page;
use super::raw_bytes::RawBytes;

/// From this size on the work is left to the browser; below it, waiting for the answer is thought to cost more than hashing here.
/// `cargo xtask bench hash` compares the two.
const LARGE: usize = 16 << 10;

/// The name of these bytes.
pub(crate) async fn of(bytes: &[u8]) -> BlobId {
    if bytes.len() < LARGE {
        return BlobId::of(bytes);
    }
    by_browser(bytes).await.unwrap_or_else(|| BlobId::of(bytes))
}

/// The names of several contents, in their order; the large ones are hashed side by side.
pub(crate) async fn of_all(pieces: &[Vec<u8>]) -> Vec<BlobId> {
    join_all(pieces.iter().map(|piece| of(piece))).await
}

/// The name of bytes that are on JavaScript's side, where they are.
pub(crate) async fn of_raw(bytes: &RawBytes) -> BlobId {
    let digesting = page::crypto().subtle().digest_with_str_and_js_u8_array("SHA-256", bytes.array());
    let by_browser = async { finished(digesting.ok()?).await };
    match by_browser.await {
        Some(id) => id,
        None => BlobId::of(&bytes.to_vec()),
    }
}

/// Nothing where the browser refuses, as it may for want of memory.
async fn by_browser(bytes: &[u8]) -> Option<BlobId> {
    let digesting = page::crypto().subtle().digest_with_str_and_u8_array("SHA-256", bytes).ok()?;
    finished(digesting).await
}

async fn finished(digesting: js_sys::Promise) -> Option<BlobId> {
    let digest = Uint8Array::new(&JsFuture::from(digesting).await.ok()?).to_vec();
    Some(BlobId::from_sha256(digest.try_into().ok()?))
}
