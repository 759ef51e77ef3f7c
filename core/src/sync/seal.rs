//! Sealing: what leaves the device, so that only who has the account's key can read it.
//!
//! XChaCha20-Poly1305 under keys that are made from the account's. Everything sealed is bound to what it is (its associated data): a change
//! to the account, its device and its number there, a part of a blob to the blob's name and its place in it. The nonce is a keyed digest of the
//! associated data and the contents. So no randomness is needed, equal contents in equal places give equal bytes (what is sent again after a lost answer
//! is the very same), and no nonce serves two contents. The only user of the cipher in core.

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};

use super::code::AccountKey;
use crate::digest::{BlobId, keyed};
use crate::ids::DeviceId;
use crate::protocol::{BlobName, SyncKeyId};

const NONCE_BYTES: usize = 24;
/// What a sealed thing is longer than its contents by.
pub const SEAL_BYTES: usize = NONCE_BYTES + 16;

/// The keys of an account, each for one purpose. They do not show themselves.
#[derive(Clone)]
pub struct SyncKeys {
    id: SyncKeyId,
    changes: [u8; 32],
    blobs: [u8; 32],
    names: [u8; 32],
    nonces: [u8; 32],
}

/// What a sealed thing is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding<'a> {
    /// A change: which device made it, and its how manieth it is.
    Change {
        /// The device.
        device: &'a DeviceId,
        /// Counted from 1.
        sequence: u64,
    },
    /// A part of a blob.
    BlobPart {
        /// The blob's name on the wire.
        name: BlobName,
        /// Which part, counted from 0.
        part: u32,
        /// Of how many.
        parts: u32,
    },
    /// A part of a snapshot.
    SnapshotPart {
        /// The device that made it.
        device: &'a DeviceId,
        /// The last change that is in it.
        position: u64,
        /// Which part, counted from 0.
        part: u32,
        /// Of how many.
        parts: u32,
    },
    /// What a device calls itself.
    DeviceName(&'a DeviceId),
}

/// Something does not open: it was changed, is not what it was given out as, or was sealed under another key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what came from the server does not open with this account's key, or was changed on the way")]
pub struct NotOpened;

impl SyncKeys {
    /// The keys that are made from an account's key.
    #[must_use]
    pub fn new(key: &AccountKey) -> Self {
        let made = |purpose: &str| keyed(key.reveal(), &[b"satchel sync 1 ", purpose.as_bytes()]);
        let id = made("key id");
        Self {
            id: SyncKeyId::new(id),
            changes: made("changes"),
            blobs: made("blobs"),
            names: made("names"),
            nonces: made("nonces"),
        }
    }

    /// What the key is known by to the server, which learns nothing else of it.
    #[must_use]
    pub fn id(&self) -> &SyncKeyId {
        &self.id
    }

    /// A blob's name on the wire. It says nothing of what is in it, not even to who has the same file.
    #[must_use]
    pub fn name(&self, blob: BlobId) -> BlobName {
        BlobName::new(keyed(&self.names, &[blob.as_bytes()]))
    }

    /// Seals contents.
    #[must_use]
    pub fn seal(&self, binding: Binding<'_>, contents: &[u8]) -> Vec<u8> {
        let bound = self.bound(binding);
        let length = u64::try_from(bound.len()).unwrap_or(u64::MAX).to_be_bytes();
        let digest = keyed(&self.nonces, &[&length, &bound, contents]);
        let (nonce, _) = digest.split_first_chunk::<NONCE_BYTES>().expect("a digest is longer than a nonce");
        let payload = Payload { msg: contents, aad: &bound };
        let sealed = self.cipher(binding).encrypt(&XNonce::from(*nonce), payload);
        [nonce, sealed.expect("only values of many gigabytes cannot be sealed").as_slice()].concat()
    }

    /// Opens what was sealed.
    pub fn open(&self, binding: Binding<'_>, sealed: &[u8]) -> Result<Vec<u8>, NotOpened> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or(NotOpened)?;
        let payload = Payload { msg: sealed, aad: &self.bound(binding) };
        self.cipher(binding).decrypt(&XNonce::from(*nonce), payload).map_err(|_changed| NotOpened)
    }

    fn cipher(&self, binding: Binding<'_>) -> XChaCha20Poly1305 {
        let key = match binding {
            Binding::BlobPart { .. } => self.blobs,
            Binding::Change { .. } | Binding::SnapshotPart { .. } | Binding::DeviceName(_) => self.changes,
        };
        XChaCha20Poly1305::new(&Key::from(key))
    }

    /// The associated data: the format, the account, and the rest of the binding. No two bindings have the same.
    fn bound(&self, binding: Binding<'_>) -> Vec<u8> {
        let account = &self.id;
        match binding {
            Binding::Change { device, sequence } => format!("satchel change 1\n{account}\n{device}\n{sequence}"),
            Binding::BlobPart { name, part, parts } => format!("satchel blob 1\n{account}\n{name}\n{part}/{parts}"),
            Binding::SnapshotPart { device, position, part, parts } => {
                format!("satchel snapshot 1\n{account}\n{device}\n{position}\n{part}/{parts}")
            }
            Binding::DeviceName(device) => format!("satchel device 1\n{account}\n{device}"),
        }
        .into_bytes()
    }
}

impl std::fmt::Debug for SyncKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SyncKeys(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(byte: u8) -> SyncKeys {
        SyncKeys::new(&AccountKey::from_random([byte; 16]))
    }

    fn device(number: u8) -> DeviceId {
        DeviceId::parse(format!("0198c5a4-7c1e-7000-8000-0000000000{number:02x}")).expect("is a UUID")
    }

    /// I9: what devices of today have sealed, devices of tomorrow must open.
    #[test]
    fn a_sealed_change_is_this() {
        let (keys, device) = (keys(7), device(1));
        let binding = Binding::Change { device: &device, sequence: 3 };
        let sealed = keys.seal(binding, b"rows");
        insta::assert_snapshot!(crate::base64::encode(&sealed), @"g0aWFYps9UNKzJB9gI+KOT1ZNg6sq+i912UdoOsZzhogBAb1WWy0tNdSXsc=");
        insta::assert_snapshot!(keys.name(BlobId::of(b"file")).to_string(), @"d87b30377cac0e9b1f2e634a1cae1a55f9255340da50802c4eb2c6931f60d22e");
        insta::assert_snapshot!(keys.id().to_string(), @"50788a62866ce5b091b4048e5d0e0d9341d82627d2f7c856f6465e278ccf8e71");
        assert_eq!(keys.open(binding, &sealed), Ok(b"rows".to_vec()));
        assert_eq!(sealed.len(), 4 + SEAL_BYTES);
    }

    /// R316: bound to the account, the device and its number; nothing changed, cut or moved opens.
    #[test]
    fn nothing_opens_in_another_place() {
        let (own, one, two) = (keys(7), device(1), device(2));
        let binding = Binding::Change { device: &one, sequence: 3 };
        let sealed = own.seal(binding, b"rows");
        let others = [
            Binding::Change { device: &two, sequence: 3 },
            Binding::Change { device: &one, sequence: 4 },
            Binding::DeviceName(&one),
            Binding::SnapshotPart { device: &one, position: 3, part: 0, parts: 1 },
            Binding::BlobPart { name: own.name(BlobId::of(b"rows")), part: 0, parts: 1 },
        ];
        for other in others {
            assert_eq!(own.open(other, &sealed), Err(NotOpened), "{other:?}");
        }
        assert_eq!(keys(8).open(binding, &sealed), Err(NotOpened));
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(own.open(binding, &changed), Err(NotOpened), "byte {at}");
            assert_eq!(own.open(binding, &sealed[..at]), Err(NotOpened), "cut at {at}");
        }
    }

    #[test]
    fn equal_contents_are_sealed_alike_and_different_ones_under_other_nonces() {
        let (keys, device) = (keys(7), device(1));
        let seal = |sequence, contents: &[u8]| keys.seal(Binding::Change { device: &device, sequence }, contents);
        assert_eq!(seal(1, b"rows"), seal(1, b"rows"));
        let nonces = [seal(1, b"rows"), seal(1, b"row"), seal(2, b"rows")].map(|sealed| sealed[..NONCE_BYTES].to_vec());
        assert!(nonces[0] != nonces[1] && nonces[0] != nonces[2]);
    }

    /// I8
    #[test]
    fn keys_do_not_show_themselves() {
        assert_eq!(format!("{:?}", keys(7)), "SyncKeys(hidden)");
    }
}
