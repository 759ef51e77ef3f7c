//! Sealing: XChaCha20-Poly1305, a random nonce in front. The only user of the cipher.
//!
//! With 24 random bytes of nonce, no two values ever share one under the same key.

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use super::key::{KeyError, VaultKey};

const NONCE_BYTES: usize = 24;
/// What the proof of a key is bound to; no secret is.
const PROOF: &[u8] = b"satchel vault key 1";

/// Seals a value, bound to what says whose it is.
pub(super) fn seal(key: &VaultKey, binding: &[u8], value: &[u8]) -> Result<Vec<u8>, KeyError> {
    let mut nonce = [0; NONCE_BYTES];
    getrandom::fill(&mut nonce).map_err(KeyError::Randomness)?;
    let sealed = cipher(key)
        .encrypt(&XNonce::from(nonce), Payload { msg: value, aad: binding })
        .expect("only values of many gigabytes cannot be sealed");
    Ok([nonce.as_slice(), &sealed].concat())
}

/// Opens a value; nothing when it was changed, is bound to something else, or was sealed under another key.
pub(super) fn open(key: &VaultKey, binding: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>()?;
    let payload = Payload { msg: sealed, aad: binding };
    cipher(key).decrypt(&XNonce::from(*nonce), payload).ok().map(Zeroizing::new)
}

/// What a key can be known by without being known.
pub(super) fn proof(key: &VaultKey) -> Result<Vec<u8>, KeyError> {
    seal(key, PROOF, b"")
}

/// Whether a key made this proof.
pub(super) fn is_proof(key: &VaultKey, proof: &[u8]) -> bool {
    open(key, PROOF, proof).is_some()
}

fn cipher(key: &VaultKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&Key::from(*key.as_bytes()))
}
