//! The names of contents, by whoever hashes fastest: the browser's own SHA-256, which has the processor's instructions for it and
//! threads of its own, or core's, which is asked without a way around.

use js_sys::{Array, JsString, Promise, Uint8Array};
use satchel_core::digest::BlobId;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::page;
use super::raw_bytes::RawBytes;

/// From this size on a single content is left to the browser; below it, waiting for the answer costs more than hashing here.
const LARGE_ALONE: usize = 16 << 10;
/// The same among many, which the browser hashes while the next ones are given to it. Measured with 10,000 contents on two cores:
/// giving one away takes about 10 µs whatever its size, and sha2 takes 4 µs for 1 KB, 13 µs for 2 KB and 16 µs for 4 KB.
const LARGE_AMONG_MANY: usize = 3 << 10;

#[wasm_bindgen]
extern "C" {
    /// `SubtleCrypto` as in web-sys, but for the name of the algorithm, which is not made anew for every content.
    type Digester;

    #[wasm_bindgen(method, catch)]
    fn digest(this: &Digester, algorithm: &JsString, bytes: &[u8]) -> Result<Promise, JsValue>;
}

/// The name of these bytes.
pub(crate) async fn of(bytes: &[u8]) -> BlobId {
    if bytes.len() < LARGE_ALONE {
        return BlobId::of(bytes);
    }
    answers(ask([bytes])).await.pop().unwrap_or_else(|| BlobId::of(bytes))
}

/// The names of several contents, in their order; all but tiny ones are hashed side by side.
pub(crate) async fn of_all(pieces: &[Vec<u8>]) -> Vec<BlobId> {
    let large = if pieces.len() == 1 { LARGE_ALONE } else { LARGE_AMONG_MANY };
    let asked = ask(pieces.iter().map(Vec::as_slice).filter(|piece| piece.len() >= large));
    // Here, while the browser is at the others.
    let tiny = |piece: &Vec<u8>| (piece.len() < large).then(|| BlobId::of(piece));
    let named: Vec<Option<BlobId>> = pieces.iter().map(tiny).collect();
    let mut answers = answers(asked).await.into_iter();
    let name = |(piece, named): (&Vec<u8>, Option<BlobId>)| {
        named.or_else(|| answers.next()).unwrap_or_else(|| BlobId::of(piece))
    };
    pieces.iter().zip(named).map(name).collect()
}

/// The name of bytes that are on JavaScript's side, where they are.
pub(crate) async fn of_raw(bytes: &RawBytes) -> BlobId {
    let asked = page::crypto().subtle().digest_with_str_and_js_u8_array("SHA-256", bytes.array()).ok();
    let asked = asked.map(|asked| Promise::all(&Array::of1(&asked)));
    answers(asked).await.pop().unwrap_or_else(|| BlobId::of(&bytes.to_vec()))
}

/// Gives contents to the browser, straight out of this memory; it copies them before it answers. Nothing where it refuses.
fn ask<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Option<Promise> {
    let digester: Digester = page::crypto().subtle().unchecked_into();
    let algorithm = JsString::from("SHA-256");
    let asked = Array::new();
    for piece in pieces {
        asked.push(&digester.digest(&algorithm, piece).ok()?.into());
    }
    Some(Promise::all(&asked))
}

/// The names that the browser found; none at all where it failed, as it may for want of memory.
async fn answers(asked: Option<Promise>) -> Vec<BlobId> {
    let Some(asked) = asked else { return Vec::new() };
    let Ok(answers) = JsFuture::from(asked).await else { return Vec::new() };
    let name = |digest: JsValue| {
        let digest = Uint8Array::new(&digest).to_vec().try_into().ok()?;
        Some(BlobId::from_sha256(digest))
    };
    // A digest that is none would shift those after it, so all of them are dropped.
    Array::from(&answers).iter().map(name).collect::<Option<_>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    /// R031: a content has the same name, whoever hashes it.
    #[wasm_bindgen_test]
    async fn the_browser_finds_the_same_names() {
        let around = [LARGE_AMONG_MANY, LARGE_ALONE].into_iter().flat_map(|size| [size - 1, size, size + 1]);
        let pieces: Vec<Vec<u8>> = [0, 1].into_iter().chain(around).map(|size| vec![7; size]).collect();
        let expected: Vec<BlobId> = pieces.iter().map(|piece| BlobId::of(piece)).collect();
        assert_eq!(of_all(&pieces).await, expected);
        for (piece, expected) in pieces.iter().zip(expected) {
            assert_eq!(of(piece).await, expected);
            assert_eq!(of_all(std::slice::from_ref(piece)).await, [expected]);
        }
        assert_eq!(of_all(&[]).await, []);
    }
}
