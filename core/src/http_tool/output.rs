//! What becomes of an answer: a value, a text, a picture or a file.

use serde_json::Value;

use super::definition::{BodyOutput, ResponseRule};
use super::run::Answered;

/// What an answer is to the tool's caller.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// A value: what the JSON says, or a text.
    Value(Value),
    /// Bytes for a file of the chat.
    File {
        /// Their media type.
        media_type: String,
        /// The bytes.
        bytes: Vec<u8>,
        /// Whether they are a picture to be shown.
        is_image: bool,
    },
}

/// Why an answer is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutputFault {
    /// It says that it is JSON, and is not.
    #[error("the response claims to be JSON, but cannot be read as JSON (line {line}, column {column})")]
    NotJson {
        /// Where it stops being JSON.
        line: usize,
        /// Likewise.
        column: usize,
    },
    /// It should be a text, and is not.
    #[error("the response is not text; choose \"file\" as the form of the output")]
    NotText,
    /// It should be a picture, and is not.
    #[error("the response is not a picture but {0:?}")]
    NotImage(String),
}

/// Makes of an answer what the definition wants.
pub fn read_output(answer: Answered, rule: &ResponseRule) -> Result<Output, OutputFault> {
    let media_type = answer.media_type().to_owned();
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let bytes = answer.body;
    match rule.body_output {
        BodyOutput::Text => match String::from_utf8(bytes) {
            Ok(text) => Ok(Output::Value(text.into())),
            Err(_) => Err(OutputFault::NotText),
        },
        BodyOutput::File => Ok(Output::File { media_type, bytes, is_image: false }),
        BodyOutput::Image if essence.starts_with("image/") => {
            Ok(Output::File { media_type: essence, bytes, is_image: true })
        }
        BodyOutput::Image => Err(OutputFault::NotImage(essence.chars().take(80).collect())),
        BodyOutput::Auto if essence.starts_with("image/") => {
            Ok(Output::File { media_type: essence, bytes, is_image: true })
        }
        BodyOutput::Auto if bytes.is_empty() => Ok(Output::Value(Value::Null)),
        BodyOutput::Auto if essence.ends_with("/json") || essence.ends_with("+json") => {
            let read = serde_json::from_slice(&bytes);
            read.map(Output::Value).map_err(|error| OutputFault::NotJson { line: error.line(), column: error.column() })
        }
        BodyOutput::Auto => match String::from_utf8(bytes) {
            Ok(text) => Ok(Output::Value(text.into())),
            Err(error) => Ok(Output::File { media_type, bytes: error.into_bytes(), is_image: false }),
        },
    }
}

/// Characters of an answer that a failure tells.
const TOLD: usize = 500;

/// The sentence for an answer that is no success: its status and the beginning of what it says.
pub(super) fn failure(answer: &Answered) -> String {
    let said = String::from_utf8_lossy(&answer.body);
    let said: String = said.chars().filter(|char| !char.is_control()).take(TOLD).collect();
    let said = said.trim();
    if said.is_empty() { format!("answered {}", answer.status) } else { format!("answered {}: {said}", answer.status) }
}
