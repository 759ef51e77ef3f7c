//! The account's key, and the sync code by which people carry it from device to device.
//!
//! The key is made on the first device, from randomness that is handed in, and never reaches the server. Written down it is eight groups of
//! four characters, with a checksum, so that a slip of the pen is noticed before anything is tried with it.

use std::fmt;

use qrcodegen::{QrCode, QrCodeEcc};

use crate::digest::BlobId;

/// Bytes of a key. All that is sealed is sealed under keys of twice that length, which are made of it.
const KEY_BYTES: usize = 16;
/// Bytes of the checksum behind it.
const CHECK_BYTES: usize = 4;
/// Characters of a code without the hyphens.
const CODE_LETTERS: usize = (KEY_BYTES + CHECK_BYTES) * 8 / 5;
/// Characters between two hyphens.
const GROUP: usize = 4;
/// Crockford's letters: none of them is taken for another.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The key of everything that an account syncs. It does not show itself; [`AccountKey::code`] is the one way to see it.
#[derive(Clone, PartialEq, Eq)]
pub struct AccountKey([u8; KEY_BYTES]);

/// Why a text is not a sync code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// It is too short or too long.
    #[error("a sync code has {CODE_LETTERS} letters and digits, and this has {0}; type all eight groups")]
    Length(usize),
    /// A character that no code has.
    #[error("a sync code has no {0:?} in it; compare it with the code on your other device")]
    Letter(char),
    /// The checksum does not fit.
    #[error("at least one character of this sync code is wrong; compare it with the code on your other device")]
    Checksum,
}

/// A picture of a code for a camera: squares that are dark or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodePicture {
    /// How many squares each side has, without the quiet zone around it.
    pub side: usize,
    /// The squares, row by row; true is dark.
    pub dark: Vec<bool>,
}

impl AccountKey {
    /// A fresh key from randomness.
    #[must_use]
    pub fn from_random(bytes: [u8; KEY_BYTES]) -> Self {
        Self(bytes)
    }

    /// Reads a sync code as people type it: in any case, with or without hyphens and spaces, O for 0, and I or L for 1.
    pub fn read(text: &str) -> Result<Self, CodeError> {
        let letters: Vec<char> = text.chars().filter(|char| !char.is_whitespace() && *char != '-').collect();
        if letters.len() != CODE_LETTERS {
            return Err(CodeError::Length(letters.len()));
        }
        let (mut bytes, mut joined, mut bits) = (Vec::with_capacity(KEY_BYTES + CHECK_BYTES), 0_u32, 0);
        for letter in letters {
            let plain = match letter.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                other => other,
            };
            let value =
                LETTERS.iter().position(|known| char::from(*known) == plain).ok_or(CodeError::Letter(letter))?;
            joined = (joined << 5 | u32::try_from(value).unwrap_or_default()) & 0xffff;
            bits += 5;
            if bits >= 8 {
                bits -= 8;
                bytes.push((joined >> bits & 0xff) as u8);
            }
        }
        let (key, check) = bytes.split_at(KEY_BYTES);
        let key = Self(key.try_into().map_err(|_short| CodeError::Checksum)?);
        if check == key.checksum() { Ok(key) } else { Err(CodeError::Checksum) }
    }

    /// The sync code, for the user's eyes.
    #[must_use]
    pub fn code(&self) -> String {
        let bytes = [&self.0[..], &self.checksum()].concat();
        let mut code = String::new();
        for at in 0..CODE_LETTERS {
            if at > 0 && at % GROUP == 0 {
                code.push('-');
            }
            let bit = at * 5;
            let pair = u16::from(bytes[bit / 8]) << 8 | u16::from(bytes.get(bit / 8 + 1).copied().unwrap_or_default());
            code.push(char::from(LETTERS[usize::from(pair >> (11 - bit % 8) & 31)]));
        }
        code
    }

    /// The sync code as a picture.
    #[must_use]
    pub fn picture(&self) -> CodePicture {
        let drawn = QrCode::encode_text(&self.code(), QrCodeEcc::Medium).expect("a code is short");
        let dark = (0..drawn.size()).flat_map(|y| (0..drawn.size()).map(move |x| (x, y)));
        CodePicture {
            side: usize::try_from(drawn.size()).unwrap_or_default(),
            dark: dark.map(|(x, y)| drawn.get_module(x, y)).collect(),
        }
    }

    /// The bytes, for sealing and for the device's own sealed storage.
    #[must_use]
    pub fn reveal(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }

    fn checksum(&self) -> [u8; CHECK_BYTES] {
        let digest = BlobId::of(&[b"satchel sync code 1", &self.0[..]].concat());
        let [a, b, c, d, ..] = *digest.as_bytes();
        [a, b, c, d]
    }
}

impl fmt::Debug for AccountKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccountKey(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn a_code_is_eight_groups() {
        let key = AccountKey::from_random(*b"0123456789abcdef");
        assert_eq!(key.code(), "60RK-4CSM-6MV3-EE1S-C5H6-6S35-CVDE-FX4W");
        assert_eq!(format!("{key:?}"), "AccountKey(hidden)");
        let typed = key.code().to_lowercase().replace('-', " ").replace('1', "l").replace('0', "o");
        assert_eq!(AccountKey::read(&typed), Ok(key));
    }

    #[test]
    fn what_is_no_code_is_said() {
        assert_eq!(AccountKey::read("60RK-4CSM"), Err(CodeError::Length(8)));
        assert_eq!(AccountKey::read(&"U".repeat(32)), Err(CodeError::Letter('U')));
        assert_eq!(AccountKey::read(&"0".repeat(32)), Err(CodeError::Checksum));
    }

    #[test]
    fn the_picture_is_a_qr_code() {
        let picture = AccountKey::from_random([7; 16]).picture();
        assert_eq!(picture.dark.len(), picture.side * picture.side);
        // The three corners that cameras look for.
        let corner = |x: usize, y: usize| picture.dark[y * picture.side + x];
        assert!(corner(0, 0) && corner(picture.side - 1, 0) && corner(0, picture.side - 1) && !corner(7, 7));
    }

    proptest! {
        #[test]
        fn one_wrong_character_is_noticed(bytes: [u8; 16], at in 0..32_usize, other in any::<u8>()) {
            let key = AccountKey::from_random(bytes);
            prop_assert_eq!(AccountKey::read(&key.code()), Ok(key.clone()));
            let mut letters: Vec<char> = key.code().chars().filter(|char| *char != '-').collect();
            let wrong = char::from(LETTERS[usize::from(other % 32)]);
            let is_same = letters[at] == wrong;
            letters[at] = wrong;
            let read = AccountKey::read(&letters.into_iter().collect::<String>());
            prop_assert!(is_same || read.is_err(), "{:?}", read);
        }
    }
}
