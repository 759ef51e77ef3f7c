//! A file as it is to someone who only looks at it, and cannot choose how.

use super::ContentKind;
use super::content::kind_of;

/// What there is to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// A text.
    Text(String),
    /// A text in another encoding than UTF-8. What cannot be read of it was replaced, so it must never be written back.
    Foreign(String),
    /// A picture of this media type, and its bytes.
    Picture(&'static str, Vec<u8>),
    /// Bytes that are neither.
    Bytes(Vec<u8>),
}

impl Look {
    /// Looks at the bytes of a file.
    #[must_use]
    pub fn at(bytes: Vec<u8>) -> Self {
        match kind_of(&bytes) {
            ContentKind::Picture(media_type) => Self::Picture(media_type, bytes),
            ContentKind::Text | ContentKind::DrawnText(_) => Self::Text(lossy(bytes)),
            ContentKind::Bytes if bytes.iter().any(|byte| is_of_no_text(*byte)) => Self::Bytes(bytes),
            ContentKind::Bytes => Self::Foreign(lossy(bytes)),
        }
    }

    /// The text, as far as there is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Foreign(text) => Some(text),
            Self::Picture(..) | Self::Bytes(_) => None,
        }
    }
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Whether a text in any encoding of single bytes would not have this one. An escape begins the colours of a terminal.
fn is_of_no_text(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_another_encoding_is_no_text_that_can_be_written_back() {
        let check = |bytes: &[u8], expected: Look| assert_eq!(Look::at(bytes.to_vec()), expected);
        check(b"caf\xc3\xa9\r\n", Look::Text("caf\u{e9}\r\n".into()));
        check(b"", Look::Text(String::new()));
        check(b"caf\xe9\n", Look::Foreign("caf\u{fffd}\n".into()));
        check(b"\x1b[32mok\xff", Look::Foreign("\u{1b}[32mok\u{fffd}".into()));
        check(b"a\0b", Look::Bytes(b"a\0b".to_vec()));
        check(b"\x01\xff", Look::Bytes(b"\x01\xff".to_vec()));
        check(b"\xff\xd8\xff\xe0", Look::Picture("image/jpeg", b"\xff\xd8\xff\xe0".to_vec()));
    }
}
