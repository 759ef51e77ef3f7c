//! The name of content: its SHA-256.
//!
//! This is the only file that uses `sha2`. A digest names a blob wherever one is kept or sent, so equal bytes are stored once
//! and any copy can be checked against its own name.

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Names a blob: the SHA-256 of its bytes, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BlobId([u8; 32]);

/// A text that should have been a [`BlobId`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a blob id, which is 64 lower-case hexadecimal digits: {text:?}")]
pub struct BlobIdError {
    text: String,
}

impl BlobId {
    /// The name of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Takes a SHA-256 that was computed elsewhere, as by the browser. The caller vouches for it.
    #[must_use]
    pub fn from_sha256(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    /// Reads a name from outside; anything but 64 lower-case hexadecimal digits is refused.
    pub fn parse(text: &str) -> Result<Self, BlobIdError> {
        let refused = || BlobIdError { text: text.chars().take(80).collect() };
        let digits: &[u8; 64] = text.as_bytes().try_into().map_err(|_wrong_length| refused())?;
        let mut id = [0; 32];
        for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = nibble(pair[0]).zip(nibble(pair[1])).map(|(high, low)| high << 4 | low).ok_or_else(refused)?;
        }
        Ok(Self(id))
    }

    /// The 32 bytes of the digest.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first two digits, by which stores group their blobs.
    #[must_use]
    pub fn prefix(&self) -> String {
        format!("{:02x}", self.0[0])
    }
}

/// Computes a [`BlobId`] piece by piece, for content that is not in memory at once.
#[derive(Clone, Default)]
pub struct BlobHasher(Sha256);

impl BlobHasher {
    /// Takes the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The name of all pieces together.
    #[must_use]
    pub fn finish(self) -> BlobId {
        BlobId(self.0.finalize().into())
    }
}

/// HMAC-SHA-256 of parts one after the other: what only the holder of the key can tell. Where the parts could run into each other, the
/// caller says how long they are.
#[must_use]
pub(crate) fn keyed(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length will do");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobId({self})")
    }
}

impl TryFrom<String> for BlobId {
    type Error = BlobIdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<BlobId> for String {
    fn from(id: BlobId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    /// R031: the hash is SHA-256 of the content.
    #[test]
    fn names_are_sha256() {
        assert_eq!(BlobId::of(b"").to_string(), EMPTY);
        assert_eq!(BlobId::of(b"abc").to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(BlobId::of(b"abc").prefix(), "ba");
    }

    /// The first case of RFC 4231.
    #[test]
    fn keyed_digests_are_hmac() {
        let digest = keyed(&[0x0b; 20], &[b"Hi ", b"There"]);
        assert_eq!(BlobId(digest).to_string(), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    }

    #[test]
    fn pieces_make_the_same_name() {
        let mut hasher = BlobHasher::default();
        hasher.update(b"a");
        hasher.update(b"bc");
        assert_eq!(hasher.finish(), BlobId::of(b"abc"));
    }

    #[test]
    fn only_the_canonical_spelling_is_read() {
        assert_eq!(BlobId::parse(EMPTY), Ok(BlobId::of(b"")));
        for wrong in ["", "e3", &EMPTY.to_uppercase(), &format!("{EMPTY}0"), &EMPTY.replace('e', "g")] {
            assert!(BlobId::parse(wrong).is_err(), "{wrong:?} was read");
        }
    }
}
