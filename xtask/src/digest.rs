//! SHA-256 in the two spellings needed here: hexadecimal for names, base64 for Content-Security-Policy.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The 64 hexadecimal digits of the SHA-256 of `bytes`.
pub(crate) fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 of `bytes` as a Content-Security-Policy source, quotes included.
pub(crate) fn policy_source(bytes: &[u8]) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        // The example of the Content-Security-Policy specification.
        assert_eq!(policy_source(b"alert('Hello, world.');"), "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='");
    }
}
