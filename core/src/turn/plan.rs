//! What a call that a model asks for comes to: a tool and its arguments, or a reason why not (R193).

use serde_json::{Map, Value};

use crate::catalog::{Restored, ToolId};
use crate::ids::{MessageId, ToolCallId};
use crate::record::{ErrorKind, RequestedCall, ToolCall};
use crate::tool_run::Unmade;

use super::{At, Turn};

/// What a call comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Plan {
    Make(Ready),
    Refuse(Refusal),
}

/// A call that can be made.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ready {
    pub(super) tool: ToolId,
    pub(super) arguments: Value,
}

/// A call that cannot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    pub(super) tool: String,
    pub(super) arguments: Value,
    pub(super) kind: ErrorKind,
    pub(super) error: String,
}

/// How many names a model is told that has made one up.
const NAMES: usize = 40;

impl Refusal {
    /// The same call, refused for another reason.
    pub(super) fn after(plan: Plan, kind: ErrorKind, error: String) -> Self {
        match plan {
            Plan::Make(Ready { tool, arguments }) => Self { tool: tool.to_string(), arguments, kind, error },
            Plan::Refuse(refusal) => Self { kind, error, ..refusal },
        }
    }
}

impl Turn {
    /// What a call comes to.
    pub(super) fn plan(&self, call: &RequestedCall) -> Plan {
        let name = &call.function.name;
        let shown = || name.chars().take(100).collect::<String>();
        let arguments = arguments(&call.function.arguments);
        let unread = || arguments.clone().unwrap_or_else(|_| call.function.arguments.clone().into());
        let refused = |tool: String, kind, error| Plan::Refuse(Refusal { tool, arguments: unread(), kind, error });
        let tool = match self.setup.offers.restore(name) {
            Restored::Offered(tool) => tool.clone(),
            Restored::NotOffered { toolset, tool } => {
                let error = format!("the tool {tool:?} of the toolset {toolset:?} is not enabled in this chat");
                return refused(format!("{toolset}:{tool}"), ErrorKind::Failed, error);
            }
            Restored::Unknown => {
                let names: Vec<&str> = self.setup.offers.names().take(NAMES).collect();
                let error = format!("there is no tool {:?}; the tools are: {}", shown(), names.join(", "));
                return refused(shown(), ErrorKind::Failed, error);
            }
        };
        match &arguments {
            Ok(object) => Plan::Make(Ready { tool, arguments: object.clone() }),
            Err(reason) => {
                let error =
                    format!("the arguments are not a JSON object ({reason}); call it again with arguments that are");
                refused(tool.to_string(), ErrorKind::InvalidArgs, error)
            }
        }
    }

    /// The row of a call that is not made.
    pub(super) fn refuse(
        &self,
        id: &ToolCallId,
        call: &RequestedCall,
        message: &MessageId,
        refusal: Refusal,
        at: &At<'_>,
    ) -> ToolCall {
        let unmade = Unmade {
            id: id.clone(),
            call_id: Some(call.id.clone()),
            chat_id: self.chat.id.clone(),
            message_id: Some(message.clone()),
            tool_id: refusal.tool,
            args: refusal.arguments,
            kind: refusal.kind,
            error: refusal.error,
        };
        unmade.row(at.now)
    }
}

/// The arguments as a model wrote them. Nothing at all means none, and an object within a text is that object: both are common.
fn arguments(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let kind = match serde_json::from_str(text) {
        Ok(object @ Value::Object(_)) => return Ok(object),
        Ok(Value::Null) => return Ok(Value::Object(Map::new())),
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(object @ Value::Object(_)) => return Ok(object),
            Ok(_) | Err(_) => "a text",
        },
        Ok(Value::Array(_)) => "a list",
        Ok(Value::Number(_)) => "a number",
        Ok(Value::Bool(_)) => "true or false",
        Err(error) => return Err(error.to_string()),
    };
    Err(format!("they are {kind}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// R193
    #[test]
    fn arguments_are_an_object_or_a_reason() {
        let check = |text: &str, expected: Result<Value, &str>| {
            assert_eq!(arguments(text), expected.map_err(str::to_owned), "{text}");
        };
        check("", Ok(json!({})));
        check("null", Ok(json!({})));
        check(r#"{"a": 1}"#, Ok(json!({"a": 1})));
        check(r#""{\"a\": 1}""#, Ok(json!({"a": 1})));
        check("[1]", Err("they are a list"));
        check("\"x\"", Err("they are a text"));
        check(r#"{"a": "#, Err("EOF while parsing a value at line 1 column 6"));
    }
}
