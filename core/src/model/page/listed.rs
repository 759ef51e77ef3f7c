//! A model whose file is on this device, as it is listed and remembered beside the file.

use serde::{Deserialize, Serialize};

use super::GgufHead;

/// How many bytes a model may have to be called a demonstration: what is smaller cannot be trusted to choose tools.
const DEMONSTRATION_BYTES: u64 = 400_000_000;
/// From how many bytes on a model gets less room for a conversation, because the room takes memory too.
const LARGE_BYTES: u64 = 1_000_000_000;
/// How many tokens a conversation may have, for a small and for a large model.
const CONTEXT_TOKENS: [u64; 2] = [8_192, 4_096];
/// The longest name of a file, without its ending.
const LONGEST_NAME: usize = 100;

/// A model on this device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageModel {
    /// Its name, which is that of its file without the ending.
    pub name: String,
    /// The bytes of its file.
    pub bytes: u64,
    /// How many tokens it takes here: what it was trained for, as far as memory allows.
    pub context_tokens: u64,
    /// How many parameters it has, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_label: Option<String>,
    /// Whether its chat template has a place for tools.
    pub knows_tools: bool,
}

impl PageModel {
    /// What is listed of a file that was found to be a model.
    #[must_use]
    pub fn new(file_name: &str, bytes: u64, head: GgufHead) -> Self {
        let [small, large] = CONTEXT_TOKENS;
        let most = if bytes >= LARGE_BYTES { large } else { small };
        Self {
            name: Self::name_of(file_name),
            bytes,
            context_tokens: head.context_tokens.map_or(large, |trained| trained.min(most)),
            size_label: head.size_label,
            knows_tools: head.knows_tools,
        }
    }

    /// The name a file goes by: without folders, without its ending, and with nothing in it that a file name should not have.
    #[must_use]
    pub fn name_of(file_name: &str) -> String {
        let bare = file_name.rsplit(['/', '\\']).next().unwrap_or_default();
        let has_ending =
            bare.len() > 5 && bare.get(bare.len() - 5..).is_some_and(|end| end.eq_ignore_ascii_case(".gguf"));
        let stem = if has_ending { &bare[..bare.len() - 5] } else { bare };
        let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
        let name: String =
            stem.chars().map(|letter| if plain(letter) { letter } else { '-' }).take(LONGEST_NAME).collect();
        let name = name.trim_matches(['.', '-']);
        if name.is_empty() { "model".into() } else { name.into() }
    }

    /// Whether it is so small that it can only show how things work.
    #[must_use]
    pub fn is_demonstration(&self) -> bool {
        self.bytes < DEMONSTRATION_BYTES
    }
}
