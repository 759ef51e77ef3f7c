//! The parts of an address, percent-decoded, or the refusal of one that is not clearly a text.

use super::refusal::{Code, Refusal};
use crate::percent;

/// Reads one segment of a path.
pub(super) fn decode_segment(text: &str) -> Result<String, Refusal> {
    decode(text, text)
}

/// Reads a name or a value of a query, in which `+` is a space.
pub(super) fn decode_query(text: &str) -> Result<String, Refusal> {
    decode(&text.replace('+', " "), text)
}

fn decode(encoded: &str, shown: &str) -> Result<String, Refusal> {
    percent::decode(encoded).map_err(|error| {
        let shown: String = shown.chars().take(200).collect();
        Refusal::new(Code::BadRequest, format!("{shown:?} {error}; encode the address as UTF-8, each byte as %XX"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_one_text() {
        let check = |text: &str, expected: &str| assert_eq!(decode_segment(text).ok().as_deref(), Some(expected));
        check("a%20b", "a b");
        check("%C3%A9", "é");
        check("a+b", "a+b");
        check("é%2f", "é/");
        check("", "");
        assert_eq!(decode_query("a+b%2B").ok().as_deref(), Some("a b+"));
    }

    /// R044: what is not clearly one text is nobody's path.
    #[test]
    fn bad_encodings_say_what_is_wrong() {
        let check = |text: &str, expected: &str| {
            let refusal = decode_segment(text).expect_err("is refused");
            assert_eq!((refusal.code, refusal.message.as_str()), (Code::BadRequest, expected));
        };
        let digits = "has a \"%\" without two hexadecimal digits; encode the address as UTF-8, each byte as %XX";
        for text in ["%", "%2", "a%zz", "%é0"] {
            check(text, &format!("{text:?} {digits}"));
        }
        check("%ff", "\"%ff\" does not decode to UTF-8; encode the address as UTF-8, each byte as %XX");
    }
}
