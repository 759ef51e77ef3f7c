//! What a turn is told, and what it says.

use crate::approval::{Answer, ApprovalRequest};
use crate::conversation::Said;
use crate::counted::counted;
use crate::ids::{MessageId, ToolCallId};
use crate::model::{Delta, ModelError, ModelRequest};
use crate::record::ToolCall;
use crate::store::Commit;
use crate::tool_run::{RunError, RunOutcome, RunRequest};

/// What happened.
#[derive(Clone, Debug)]
pub enum TurnEvent {
    /// The user said something, which is not stored yet.
    UserSubmitted(Box<Said>),
    /// The user wants what is there to be answered: again, after an edit, or further.
    Resumed,
    /// A piece of the answer came.
    Delta(Delta),
    /// The answer is over.
    ModelEnded,
    /// The answer failed, perhaps in the middle.
    ModelFailed(ModelError),
    /// A call is over, or cannot begin.
    ToolEnded {
        /// The call.
        id: ToolCallId,
        /// What came of it.
        end: ToolEnd,
    },
    /// The user has answered whether a call may be made.
    Answered {
        /// The call.
        id: ToolCallId,
        /// The answer.
        answer: Answer,
    },
    /// The large results of a round are files now, or are not, and why.
    ResultsKept(Result<(), String>),
    /// Something could not be stored, and why.
    CommitFailed(String),
    /// The user wants it to stop.
    Stop,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolEnd {
    /// It is over, and its row is stored.
    Finished(Box<ToolCall>),
    /// The user has to be asked.
    ApprovalNeeded(Box<ApprovalRequest>),
    /// It was not made, and nothing is stored of it.
    Failed(String),
}

impl From<Result<RunOutcome, RunError>> for ToolEnd {
    fn from(outcome: Result<RunOutcome, RunError>) -> Self {
        match outcome {
            Ok(RunOutcome::Finished(finished)) => Self::Finished(Box::new(finished.call)),
            Ok(RunOutcome::ApprovalNeeded(request)) => Self::ApprovalNeeded(request),
            Err(error) => Self::Failed(error.to_string()),
        }
    }
}

/// What to do.
#[derive(Clone, Debug)]
pub enum TurnEffect {
    /// Store this, before anything else.
    Commit(Box<Commit>),
    /// Ask the model.
    CallModel(Box<ModelRequest>),
    /// Do not wait for the model any longer.
    AbortModel,
    /// Call a tool.
    RunTool(Box<RunRequest>),
    /// End a call that runs. Its end is told as that of any other.
    StopTool(ToolCallId),
    /// Ask the user whether a call may be made.
    Ask {
        /// The call.
        id: ToolCallId,
        /// What to ask.
        request: Box<ApprovalRequest>,
    },
    /// Do not ask any longer.
    Withdraw(ToolCallId),
    /// Write the results that are too large for their rows into the files of the answer that asked for the calls, as one state (R308).
    KeepResults {
        /// The answer.
        message: MessageId,
        /// Its calls that have such a result, in call order.
        calls: Vec<ToolCall>,
    },
    /// Nothing more follows.
    End(TurnEnd),
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// The model has answered; perhaps there is something to say about it.
    Done(Option<Notice>),
    /// The user has stopped it.
    Stopped,
    /// It failed. What came is stored.
    Failed(TurnFailure),
}

/// What has to be said about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Notice {
    /// It is not whole.
    #[error("the answer reached its maximum length and was cut off; press Continue for more")]
    Length,
    /// It was ended from outside.
    #[error("the provider's content filter ended the answer; try other words")]
    ContentFilter,
    /// Nobody said that it is whole.
    #[error("the answer ended without a proper end; if something is missing, press Continue")]
    Unsaid,
    /// The rounds of calls were used up (R192).
    #[error(
        "the limit of {} of tool calls was reached; press Continue for more, or raise it for this chat under the wrench",
        counted(*.rounds, "round")
    )]
    Rounds {
        /// How many there were.
        rounds: u32,
    },
}

/// Why a turn failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnFailure {
    /// The model gave no answer, or not all of one.
    #[error(transparent)]
    Model(ModelError),
    /// What was said could not be stored.
    #[error("this could not be stored, so it ends here: {0}")]
    Storage(String),
}

impl TurnFailure {
    /// Whether the same may well succeed a little later.
    #[must_use]
    pub fn retry_helps(&self) -> bool {
        match self {
            Self::Model(error) => error.retry_helps(),
            Self::Storage(_) => false,
        }
    }
}
