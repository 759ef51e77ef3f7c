//! Percent-encoding, read strictly: what is not clearly one text is refused rather than guessed.

use super::refusal::{Code, Refusal};

/// Reads one segment of a path.
pub(super) fn decode_segment(text: &str) -> Result<String, Refusal> {
    decode(text.as_bytes(), text)
}

/// Reads a name or a value of a query, in which `+` is a space.
pub(super) fn decode_query(text: &str) -> Result<String, Refusal> {
    decode(text.replace('+', " ").as_bytes(), text)
}

fn decode(encoded: &[u8], shown: &str) -> Result<String, Refusal> {
    let refused = |what: &str| {
        let shown: String = shown.chars().take(200).collect();
        Refusal::new(Code::BadRequest, format!("{shown:?} {what}; encode the address as UTF-8, each byte as %XX"))
    };
    let digit = |at: usize| encoded.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut decoded = Vec::with_capacity(encoded.len());
    let mut at = 0;
    while let Some(byte) = encoded.get(at) {
        if *byte == b'%' {
            let value = digit(at + 1).zip(digit(at + 2)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
            decoded.push(value.ok_or_else(|| refused("has a \"%\" without two hexadecimal digits"))?);
            at += 3;
        } else {
            decoded.push(*byte);
            at += 1;
        }
    }
    String::from_utf8(decoded).map_err(|_not_text| refused("does not decode to UTF-8"))
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
