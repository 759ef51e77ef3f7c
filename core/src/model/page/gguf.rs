//! The head of a GGUF file: what a model says of itself, read before it is loaded.
//!
//! Whoever made the file is not trusted: every length is checked against what is there, and only the few fields that are used are kept.

use std::collections::BTreeMap;

/// The first four bytes of every such file.
const MAGIC: &[u8; 4] = b"GGUF";
/// Where the data begins, in bytes, unless the file says otherwise.
const ALIGNMENT: u64 = 32;
/// How long a text may be that is kept.
const MOST_TEXT: usize = 64 << 10;

/// What a model says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GgufHead {
    /// How many parameters it has, in its own words, such as `135M`.
    pub size_label: Option<String>,
    /// How many tokens it was trained to take.
    pub context_tokens: Option<u64>,
    /// Whether its chat template has a place for tools.
    pub knows_tools: bool,
}

/// Why a file is not taken for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GgufError {
    /// It is something else.
    #[error("this is not a GGUF file; choose one whose name ends in .gguf")]
    NotGguf,
    /// It is of a kind that is not known.
    #[error("this GGUF file has version {0}, which Satchel cannot read; choose one of version 2 or 3")]
    Version(u32),
    /// It ends too early.
    #[error("this GGUF file is damaged or cut short; fetch it again")]
    Damaged,
    /// It holds no model that could answer.
    #[error("this GGUF file holds no language model of its own; choose the file of a whole model")]
    NoModel,
}

impl GgufHead {
    /// How many bytes of a file have to be at hand: large vocabularies come before what follows them.
    pub const BYTES: usize = 32 << 20;

    /// Reads the first [`Self::BYTES`] bytes of a file of this size.
    pub fn read(head: &[u8], file_bytes: u64) -> Result<Self, GgufError> {
        let mut reader = Reader { bytes: head, at: 0 };
        if reader.take(4).is_ok_and(|magic| magic != MAGIC) || head.len() < 4 {
            return Err(GgufError::NotGguf);
        }
        match reader.u32()? {
            2 | 3 => {}
            version => return Err(GgufError::Version(version)),
        }
        let (tensors, fields) = (reader.u64()?, reader.u64()?);
        if tensors == 0 {
            return Err(GgufError::NoModel);
        }
        let mut known = BTreeMap::new();
        for _ in 0..fields {
            let name = reader.text()?.to_owned();
            let kind = reader.u32()?;
            if let Some(field) = reader.value(kind, 0)? {
                known.insert(name, field);
            }
        }
        let text = |name: &str| match known.get(name) {
            Some(Field::Text(text)) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Some(Field::Text(_) | Field::Number(_)) | None => None,
        };
        let number = |name: &str| match known.get(name) {
            Some(Field::Number(number)) => Some(*number),
            Some(Field::Text(_)) | None => None,
        };
        let architecture = text("general.architecture").ok_or(GgufError::Damaged)?;
        // The eyes of another model, which are a file of their own.
        if architecture == "clip" {
            return Err(GgufError::NoModel);
        }
        let alignment = number("general.alignment").filter(|bytes| *bytes > 0).unwrap_or(ALIGNMENT);
        let last = reader.last_offset(tensors)?;
        let begin = (reader.at as u64).next_multiple_of(alignment);
        if begin.checked_add(last).is_none_or(|last| last >= file_bytes) {
            return Err(GgufError::Damaged);
        }
        Ok(Self {
            size_label: text("general.size_label"),
            context_tokens: number(&format!("{architecture}.context_length")).filter(|tokens| *tokens > 0),
            knows_tools: text("tokenizer.chat_template").is_some_and(|template| template.contains("tools")),
        })
    }
}

/// A field that is kept.
enum Field {
    Text(String),
    Number(u64),
}

/// Reads on from a place.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64) -> Result<&'a [u8], GgufError> {
        let end = usize::try_from(count).ok().and_then(|count| self.at.checked_add(count)).ok_or(GgufError::Damaged)?;
        let taken = self.bytes.get(self.at..end).ok_or(GgufError::Damaged)?;
        self.at = end;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, GgufError> {
        let bytes = self.take(4)?.try_into().expect("four bytes were taken");
        Ok(u32::from_le_bytes(bytes))
    }

    fn u64(&mut self) -> Result<u64, GgufError> {
        let bytes = self.take(8)?.try_into().expect("eight bytes were taken");
        Ok(u64::from_le_bytes(bytes))
    }

    fn text(&mut self) -> Result<&'a str, GgufError> {
        let length = self.u64()?;
        std::str::from_utf8(self.take(length)?).map_err(|_not_text| GgufError::Damaged)
    }

    /// A value of a kind; only texts of some length and whole numbers are kept.
    fn value(&mut self, kind: u32, depth: u32) -> Result<Option<Field>, GgufError> {
        if let Some(bytes) = size_of(kind) {
            let mut whole = [0; 8];
            let taken = self.take(bytes)?;
            whole[..taken.len()].copy_from_slice(taken);
            let is_whole = matches!(kind, 0 | 2 | 4 | 10);
            return Ok(is_whole.then(|| Field::Number(u64::from_le_bytes(whole))));
        }
        match kind {
            8 => {
                // The words of a vocabulary need not be text; those that are not, nobody asks for.
                let length = self.u64()?;
                let text = std::str::from_utf8(self.take(length)?).ok().filter(|text| text.len() <= MOST_TEXT);
                Ok(text.map(|text| Field::Text(text.to_owned())))
            }
            9 if depth < 4 => {
                let (kind, count) = (self.u32()?, self.u64()?);
                match size_of(kind) {
                    Some(bytes) => {
                        self.take(bytes.checked_mul(count).ok_or(GgufError::Damaged)?)?;
                    }
                    None => {
                        for _ in 0..count {
                            self.skip(kind, depth + 1)?;
                        }
                    }
                }
                Ok(None)
            }
            _ => Err(GgufError::Damaged),
        }
    }

    fn skip(&mut self, kind: u32, depth: u32) -> Result<(), GgufError> {
        if kind == 8 {
            let length = self.u64()?;
            self.take(length)?;
            return Ok(());
        }
        self.value(kind, depth).map(drop)
    }

    /// Where the last of the tensors begins, counted from where the data begins.
    fn last_offset(&mut self, tensors: u64) -> Result<u64, GgufError> {
        let mut last = 0;
        for _ in 0..tensors {
            self.skip(8, 0)?;
            let dimensions = self.u32()?;
            self.take(u64::from(dimensions) * 8 + 4)?;
            last = last.max(self.u64()?);
        }
        Ok(last)
    }
}

/// The bytes of a kind of number; none for what has no fixed size.
fn size_of(kind: u32) -> Option<u64> {
    match kind {
        0 | 1 | 7 => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}
