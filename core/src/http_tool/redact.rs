//! Secrets that a host sends back, because it echoes what it was sent, are taken out of what it says (R095, I8).

use std::collections::BTreeMap;

use serde_json::Value;

use super::template::percent;
use crate::base64;

/// What is shorter is in every text.
const SHORTEST: usize = 4;

/// The spellings in which secrets may come back, and what stands in their place.
#[derive(Clone, Default)]
pub struct Redaction(Vec<(Vec<u8>, Vec<u8>)>);

impl Redaction {
    /// For these secrets, by name.
    #[must_use]
    pub fn of(secrets: &BTreeMap<String, String>) -> Self {
        let mut known = Vec::new();
        for (name, value) in secrets.iter().filter(|(_, value)| value.len() >= SHORTEST) {
            let quoted = Value::String(value.clone()).to_string();
            let form = percent(value).replace("%20", "+");
            let mut spellings = [value.as_str(), &quoted[1..quoted.len() - 1], &form].map(str::to_owned).to_vec();
            spellings.extend([percent(value), percent(value).to_ascii_lowercase()]);
            for before in 0..3 {
                let encoded = within_base64(value, before);
                spellings.extend([encoded.replace('+', "-").replace('/', "_"), encoded]);
            }
            spellings.retain(|spelling| spelling.len() >= SHORTEST);
            spellings.sort_by_key(|spelling| std::cmp::Reverse(spelling.len()));
            spellings.dedup();
            let mark = format!("${{{name}}}").into_bytes();
            known.extend(spellings.into_iter().map(|spelling| (spelling.into_bytes(), mark.clone())));
        }
        Self(known)
    }

    /// The bytes without any of them.
    #[must_use]
    pub fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.0.iter().fold(bytes, |bytes, (secret, mark)| replaced(bytes, secret, mark))
    }

    /// The text without any of them.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.bytes(text.as_bytes().to_vec())).into_owned()
    }
}

/// What is certain of a text in base64 if so many bytes stand before it: the letters at both ends depend on its neighbours too.
fn within_base64(text: &str, before: usize) -> String {
    let bytes = [&[0_u8, 0][..before], text.as_bytes()].concat();
    let letters = bytes.len() * 8 / 6;
    base64::encode(&bytes).chars().take(letters).skip((before * 8).div_ceil(6)).collect()
}

fn replaced(bytes: Vec<u8>, secret: &[u8], mark: &[u8]) -> Vec<u8> {
    let Some(first) = secret.first() else { return bytes };
    let mut out: Option<Vec<u8>> = None;
    let (mut from, mut at) = (0, 0);
    while let Some(step) = bytes[at..].iter().position(|byte| byte == first) {
        at += step;
        if bytes[at..].starts_with(secret) {
            let out = out.get_or_insert_with(Vec::new);
            out.extend_from_slice(&bytes[from..at]);
            out.extend_from_slice(mark);
            at += secret.len();
            from = at;
        } else {
            at += 1;
        }
    }
    match out {
        None => bytes,
        Some(mut out) => {
            out.extend_from_slice(&bytes[from..]);
            out
        }
    }
}
