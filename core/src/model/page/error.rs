//! Why a model in the page does not run.

use serde_json::json;

use crate::model::{ModelError, Said};

/// What is in the way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageModelError {
    /// Its file is gone.
    #[error("this model is not on this device; get it in Settings under Models, or choose another one")]
    NotHere,
    /// Its file cannot be read as a model.
    #[error("the file of this model cannot be used; delete it in Settings under Models and get it again{0}")]
    Damaged(Said),
    /// There is not enough memory.
    #[error("there is not enough memory for this model; close other tabs, or choose a smaller model{0}")]
    NoMemory(Said),
    /// The browser lacks something.
    #[error(
        "this browser cannot run a model in the page: it has no {0}; use a current Chrome, Edge or Firefox, or choose another model"
    )]
    Unable(&'static str),
    /// What runs it was never fetched.
    #[error("what runs a model in the page is not on this device yet; connect to the network once and send again{0}")]
    NotFetched(Said),
    /// It ended by itself.
    #[error("the model in the page failed; send again, and if that does not help, choose a smaller one{0}")]
    Failed(Said),
}

impl PageModelError {
    /// What an error of llama.cpp means while a model is loaded.
    #[must_use]
    pub fn of_loading(words: &str) -> Self {
        if is_memory(words) { Self::NoMemory(Said::new(words)) } else { Self::Damaged(Said::new(words)) }
    }

    /// What an error of llama.cpp means while a model answers.
    #[must_use]
    pub fn of_answering(words: &str) -> ModelError {
        match ModelError::of_value(&json!({"error": words})) {
            Some(overflow @ ModelError::ContextOverflow(_)) => overflow,
            _ if is_memory(words) => Self::NoMemory(Said::new(words)).into(),
            _ => Self::Failed(Said::new(words)).into(),
        }
    }

    /// Whether the same again may well succeed.
    pub(in crate::model) fn retry_helps(&self) -> bool {
        match self {
            Self::NotFetched(_) | Self::Failed(_) => true,
            Self::NotHere | Self::Damaged(_) | Self::NoMemory(_) | Self::Unable(_) => false,
        }
    }
}

/// How browsers and llama.cpp say that memory is short.
fn is_memory(words: &str) -> bool {
    let lower = words.to_lowercase();
    ["out of memory", "oom", "allocat", "bad_alloc", "memory.grow", "cannot enlarge memory"]
        .iter()
        .any(|word| lower.contains(word))
}
