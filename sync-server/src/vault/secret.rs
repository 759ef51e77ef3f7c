//! A secret in the server's memory.

use std::fmt;

use zeroize::Zeroizing;

/// A secret. It does not show itself in logs, and its memory is wiped when it goes; [`Secret::reveal`] is the one way to see it.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a secret in.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Takes in what should be text; nothing when it is none.
    pub(super) fn from_utf8(bytes: Zeroizing<Vec<u8>>) -> Option<Self> {
        std::str::from_utf8(&bytes).ok().map(|text| Self::new(text.to_owned()))
    }

    /// The secret itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(hidden)")
    }
}
