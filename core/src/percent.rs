//! Percent-encoding, read strictly: what is not clearly one text is refused rather than guessed.

/// A text that is not percent-encoded as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PercentError {
    /// A `%` that stands alone.
    #[error("has a \"%\" without two hexadecimal digits")]
    Digits,
    /// Bytes that are no text.
    #[error("does not decode to UTF-8")]
    NotText,
}

/// The text that is meant.
pub(crate) fn decode(text: &str) -> Result<String, PercentError> {
    let encoded = text.as_bytes();
    let digit = |at: usize| encoded.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut decoded = Vec::with_capacity(encoded.len());
    let mut at = 0;
    while let Some(byte) = encoded.get(at) {
        if *byte == b'%' {
            let value = digit(at + 1).zip(digit(at + 2)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
            decoded.push(value.ok_or(PercentError::Digits)?);
            at += 3;
        } else {
            decoded.push(*byte);
            at += 1;
        }
    }
    String::from_utf8(decoded).map_err(|_not_text| PercentError::NotText)
}
