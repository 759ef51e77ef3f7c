//! What the tools' worker asks of its page, which alone has frames and a user, and what it tells it without being asked.

use std::collections::BTreeMap;

use satchel_core::approval::{self, ApprovalRequest};
use satchel_core::ids::{ChatId, MessageId, ToolCallId};
use satchel_core::python::{CageState, OutputStream};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answering::AnsweringNews;

/// A wish, or news.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Wish {
    /// A frame with a cage in it; answered by its port.
    OpenCage {
        /// Names it.
        cage: u32,
    },
    /// The end of a cage, whatever it does.
    CloseCage {
        /// Which.
        cage: u32,
    },
    /// A question for the user.
    Ask {
        /// Names it in the answer.
        number: u32,
        /// What.
        question: Question,
    },
    /// The answer is no longer needed.
    Withdraw {
        /// Which question.
        number: u32,
    },
    /// A run has begun, goes on or has ended.
    Run(RunNews),
    /// A chat is being answered.
    Answering(AnsweringNews),
    /// Which cages there are now.
    Cages {
        /// All of them.
        cages: Vec<CageNews>,
    },
    /// The worker has ended, and everything of it with it. The page says this in its place.
    Ended,
}

/// A question for the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Question {
    /// May this toolset reach this host?
    Host {
        /// The toolset's name, as it calls itself.
        toolset: String,
        /// Its id.
        toolset_id: String,
        /// The host, with its port where it is not the usual one.
        host: String,
        /// Whether the host is on this device or in its own network.
        is_private: bool,
        /// The names of the secrets that would be sent there.
        #[serde(default)]
        secrets: Vec<String>,
    },
    /// May this tool run with these arguments?
    Approval {
        /// What is asked.
        request: Box<ApprovalRequest>,
        /// The call in a conversation that it is about; none for a call that is not in one yet.
        asked: Option<AskedCall>,
    },
    /// What an MCP server wants to know before its tool goes on.
    Input {
        /// What it wants.
        request: Box<InputQuestion>,
        /// The call in a conversation that waits for it; none for a call that is not in one.
        asked: Option<AskedCall>,
    },
}

impl Question {
    /// The call in a conversation that it is about, where it is about one.
    pub(crate) fn asked(&self) -> Option<&AskedCall> {
        match self {
            Self::Approval { asked, .. } | Self::Input { asked, .. } => asked.as_ref(),
            Self::Host { .. } => None,
        }
    }
}

/// A call in a conversation that the user is asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AskedCall {
    /// Its chat.
    pub(crate) chat: ChatId,
    /// The message that asks for it.
    pub(crate) message: MessageId,
    /// Its record.
    pub(crate) call: ToolCallId,
}

/// A form that an MCP server wants filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct InputQuestion {
    /// The server, `{toolset}~{server}`.
    pub(crate) server: String,
    /// The tool that waits.
    pub(crate) tool_id: String,
    /// What it says.
    pub(crate) message: String,
    /// What it wants, as a JSON schema.
    pub(crate) schema: Value,
}

/// What the user answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum UserAnswer {
    /// To [`Question::Host`]. A yes holds until it is withdrawn.
    Host {
        /// Whether it may be reached.
        is_allowed: bool,
    },
    /// To [`Question::Approval`].
    Approval(approval::Answer),
    /// To [`Question::Input`].
    Input {
        /// What was filled in; none for a no.
        content: Option<Map<String, Value>>,
    },
}

/// What happens in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunNews {
    /// The call.
    pub(crate) call: String,
    /// What happened.
    #[serde(flatten)]
    pub(crate) event: RunEvent,
}

/// What happened in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum RunEvent {
    /// It has begun.
    Began {
        /// The tool's whole id.
        tool_id: String,
        /// The chat.
        chat: String,
    },
    /// What it needs is being fetched.
    Preparing {
        /// What is done now.
        words: String,
    },
    /// It wrote something.
    Output {
        /// Where to.
        stream: OutputStream,
        /// What.
        text: String,
    },
    /// It showed something.
    Display {
        /// The data by its media type.
        bundle: BTreeMap<String, String>,
    },
    /// It has ended, and what came of it is stored.
    Ended,
}

/// A cage, as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CageNews {
    /// What it does.
    pub(crate) state: CageState,
    /// The toolset it belongs to; none for a spare one.
    pub(crate) toolset_id: Option<String>,
    /// The chat it belongs to.
    pub(crate) chat: Option<String>,
}

/// What the page answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Reply {
    /// To [`Wish::OpenCage`]: here is its port.
    Cage {
        /// Which.
        cage: u32,
    },
    /// To [`Wish::OpenCage`]: there is none, or it has died since.
    NoCage {
        /// Which.
        cage: u32,
        /// Why.
        reason: String,
    },
    /// To [`Wish::Ask`].
    Answer {
        /// Which question.
        number: u32,
        /// The answer.
        answer: UserAnswer,
    },
    /// The tab has been hidden, or shown again.
    Seen {
        /// Whether somebody can see it.
        is_seen: bool,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    /// The page says it in the worker's place, without the code to write it.
    #[wasm_bindgen_test]
    fn the_last_word_is_read() {
        let read: Wish = serde_json::from_str("{\"type\":\"ended\"}").expect("is a wish");
        assert_eq!(read, Wish::Ended);
    }
}
