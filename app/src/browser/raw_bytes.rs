//! Bytes that stay on JavaScript's side: they go from a file to a worker, or from a worker to a download, without ever being copied
//! into the page's own memory, which never shrinks again.

use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::JsValue;

/// Some bytes. A clone is another handle on the same ones.
#[derive(Clone)]
pub(crate) struct RawBytes(Uint8Array);

impl RawBytes {
    /// What a promise of an `ArrayBuffer` came to.
    pub(super) fn of_buffer(buffer: &JsValue) -> Self {
        Self(Uint8Array::new(buffer))
    }

    /// What is a `Uint8Array` already.
    pub(super) fn of_array(array: Uint8Array) -> Self {
        Self(array)
    }

    pub(super) fn array(&self) -> &Uint8Array {
        &self.0
    }

    pub(super) fn buffer(&self) -> ArrayBuffer {
        self.0.buffer()
    }

    /// The bytes in the page's memory.
    pub(crate) fn to_vec(&self) -> Vec<u8> {
        self.0.to_vec()
    }
}

impl From<&[u8]> for RawBytes {
    fn from(bytes: &[u8]) -> Self {
        Self(Uint8Array::from(bytes))
    }
}
