//! A call of an HTTP tool for another program, as the hub makes it: the arguments have to fit, and the end is told as MCP tells results.

use serde_json::{Map, Value, json};

use crate::base64;
use crate::http_tool::{Answered, HttpLimits, HttpTool, Output, argument_names, read_output};
use crate::protocol::{HttpToolCall, HttpToolEnd, McpCallResult};
use crate::schema::{Schema, SchemaLimits};

/// A call that may be made, and what will be made of its end.
#[derive(Clone, Debug, PartialEq)]
pub struct HubHttpCall {
    /// What the server is to do.
    pub call: HttpToolCall,
    /// How often the tool may be called in a minute (R099).
    pub most_a_minute: Option<u32>,
    tool: HttpTool,
    output_schema: Option<Value>,
}

impl HubHttpCall {
    /// The call of a tool that was published with this definition, with these arguments (R255), or why it cannot be made.
    pub fn read(
        received: &Value,
        definition: &Value,
        time_limit_ms: u64,
        arguments: Map<String, Value>,
    ) -> Result<Self, String> {
        let schema = |key: &str| received.get(key).filter(|schema| !schema.is_null());
        let input = schema("inputSchema");
        let tool = read_definition(definition, input)?;
        let arguments = match input {
            None => arguments,
            Some(input) => {
                let read = Schema::read(input, &SchemaLimits::default());
                let read = read.map_err(|fault| format!("the tool's input_schema cannot be used: {fault}"))?;
                let fitted = read.fit(Value::Object(arguments));
                match fitted.map_err(|misfits| format!("the arguments are not valid: {misfits}"))? {
                    Value::Object(arguments) => arguments,
                    _ => Map::new(),
                }
            }
        };
        let declared = argument_names(input).into_iter().map(str::to_owned).collect();
        Ok(Self {
            call: HttpToolCall { definition: definition.clone(), declared, arguments, time_limit_ms },
            most_a_minute: tool.max_calls_per_minute,
            tool,
            output_schema: schema("outputSchema").cloned(),
        })
    }

    /// What the end of the call is to who made it. Bytes are told as bytes: no chat has files here.
    #[must_use]
    pub fn result(&self, end: HttpToolEnd, body: Vec<u8>) -> McpCallResult {
        match end {
            HttpToolEnd::Answered { status, media_type } => {
                let headers = vec![("content-type".to_owned(), media_type)];
                match read_output(Answered { status, headers, body }, &self.tool.last().response) {
                    Err(fault) => failed(&fault.to_string()),
                    Ok(Output::Value(value)) => self.value(value),
                    Ok(Output::File { media_type, bytes, is_image }) => told(bytes_told(&media_type, &bytes, is_image)),
                }
            }
            HttpToolEnd::Empty => told(text(Value::Null)),
            HttpToolEnd::Failed { message } => failed(&message),
            HttpToolEnd::TimedOut => {
                failed(&format!("it took longer than {} ms and was stopped", self.call.time_limit_ms))
            }
        }
    }

    /// A value, which has to fit its schema (R256).
    fn value(&self, value: Value) -> McpCallResult {
        let misfit =
            self.output_schema.as_ref().and_then(|schema| match Schema::read(schema, &SchemaLimits::default()) {
                Err(fault) => Some(format!("the tool's output_schema cannot be used: {fault}")),
                Ok(schema) => schema
                    .check(&value)
                    .err()
                    .map(|misfits| format!("the result does not match the tool's output_schema: {misfits}")),
            });
        if let Some(misfit) = misfit {
            return failed(&misfit);
        }
        let structured_content = Some(&value).filter(|value| value.is_object()).cloned();
        McpCallResult { structured_content, ..told(text(value)) }
    }
}

/// The secrets that a published definition names, or what is wrong with it.
pub fn http_secrets(definition: &Value, received: &Value) -> Result<Vec<String>, String> {
    let tool = read_definition(definition, received.get("inputSchema"))?;
    Ok(tool.secrets().into_iter().map(str::to_owned).collect())
}

fn read_definition(definition: &Value, input_schema: Option<&Value>) -> Result<HttpTool, String> {
    let read = HttpTool::read(definition, &argument_names(input_schema), &HttpLimits::default());
    read.map_err(|fault| format!("the tool's definition cannot be used: {fault}"))
}

fn text(value: Value) -> Value {
    match value {
        Value::String(text) => json!({"type": "text", "text": text}),
        other => json!({"type": "text", "text": other.to_string()}),
    }
}

fn bytes_told(media_type: &str, bytes: &[u8], is_image: bool) -> Value {
    let media_type = if media_type.is_empty() { "application/octet-stream" } else { media_type };
    let encoded = base64::encode(bytes);
    match is_image {
        true => json!({"type": "image", "data": encoded, "mimeType": media_type}),
        false => {
            json!({"type": "resource", "resource": {"uri": "satchel:result", "mimeType": media_type, "blob": encoded}})
        }
    }
}

fn told(content: Value) -> McpCallResult {
    McpCallResult { content: vec![content], structured_content: None, is_error: false }
}

fn failed(message: &str) -> McpCallResult {
    McpCallResult { is_error: true, ..told(text(message.into())) }
}
