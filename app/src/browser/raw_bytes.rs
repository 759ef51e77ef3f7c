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

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.length() as usize
    }

    /// The same bytes in a buffer of their own, which can be moved.
    pub(crate) fn copied(&self) -> Self {
        Self(self.0.slice(0, self.0.length()))
    }

    /// A part of them, where they are.
    #[expect(clippy::cast_possible_truncation, reason = "a buffer is never longer than 2^32 bytes here")]
    pub(crate) fn part(&self, from: usize, length: usize) -> Self {
        Self(self.0.subarray(from as u32, (from + length) as u32))
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

/// Puts bytes one after the other into one buffer.
pub(crate) struct Packer {
    packed: Uint8Array,
    filled: u32,
}

#[expect(clippy::cast_possible_truncation, reason = "a buffer is never longer than 2^32 bytes here")]
impl Packer {
    /// For so many bytes altogether.
    pub(crate) fn with_length(length: usize) -> Self {
        Self { packed: Uint8Array::new_with_length(length as u32), filled: 0 }
    }

    /// The next ones.
    pub(crate) fn add(&mut self, bytes: &RawBytes) {
        self.packed.set(&bytes.0, self.filled);
        self.filled += bytes.0.length();
    }

    /// The next ones, out of this program's memory.
    pub(crate) fn add_slice(&mut self, bytes: &[u8]) {
        let end = self.filled + bytes.len() as u32;
        self.packed.subarray(self.filled, end).copy_from(bytes);
        self.filled = end;
    }

    /// All of them.
    pub(crate) fn finish(self) -> RawBytes {
        RawBytes(self.packed)
    }
}
