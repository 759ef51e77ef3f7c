//! A call of an HTTP tool, as whoever carries it out is told of it.

use std::pin::Pin;
use std::time::Duration;

use serde_json::{Map, Value};

use super::definition::HttpTool;
use super::run::Answered;
use crate::catalog::{ToolId, ToolsetId};
use crate::ids::{ChatId, ToolCallId};
use crate::record::SourceType;

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpCall {
    /// Its id.
    pub id: ToolCallId,
    /// The tool's whole id.
    pub tool_id: ToolId,
    /// The toolset, whose grants count.
    pub toolset: ToolsetId,
    /// What that is called.
    pub toolset_name: String,
    /// Where that came from: what a stranger made reaches no host that the user was not asked about.
    pub source: SourceType,
    /// The chat it is made in.
    pub chat: ChatId,
    /// The definition, as it was found right.
    pub tool: HttpTool,
    /// The definition as it is written, for whoever reads it again.
    pub definition: Value,
    /// The names of the arguments that the tool declares.
    pub declared: Vec<String>,
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// How long all of it may take.
    pub time_limit: Duration,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum HttpEnd {
    /// The last host answered, and that is a success.
    Answered(Answered),
    /// There was no success, and the definition says that this is none to be told.
    Empty,
    /// It failed: a sentence.
    Failed(String),
    /// The user stopped it.
    Stopped,
    /// It took longer than its limit.
    TimedOut,
}

/// Calls HTTP tools.
pub trait CallHttp {
    /// Carries out a call. It never fails: what goes wrong is an end too.
    fn call(&self, call: HttpCall) -> Pin<Box<dyn Future<Output = HttpEnd> + '_>>;
}

/// Nobody who could ask a host.
#[derive(Clone, Copy, Debug)]
pub struct NoHttp;

impl CallHttp for NoHttp {
    fn call(&self, _call: HttpCall) -> Pin<Box<dyn Future<Output = HttpEnd> + '_>> {
        Box::pin(std::future::ready(HttpEnd::Failed("nothing here can ask a host on the network".into())))
    }
}
