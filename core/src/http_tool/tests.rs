//! Definitions, values in them, and calls from beginning to end, without a clock or a network.

mod filling;
mod outputs;
mod reading;
mod running;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::*;

/// The arguments that every tool here declares.
const ARGUMENTS: [&str; 5] = ["city", "days", "tags", "region", "note"];

fn read(definition: &Value) -> Result<HttpTool, HttpFault> {
    HttpTool::read(definition, &BTreeSet::from(ARGUMENTS), &HttpLimits::default())
}

fn tool(definition: Value) -> HttpTool {
    read(&definition).expect("is a definition")
}

/// A tool with one call of `request`.
fn asking(request: Value) -> HttpTool {
    tool(json!({"allowedHosts": ["a.test", "b.test", "eu.a.test", "127.0.0.1:8080"], "request": request}))
}

fn arguments(value: Value) -> Map<String, Value> {
    value.as_object().cloned().expect("is a map")
}

fn secrets() -> BTreeMap<String, String> {
    BTreeMap::from([("KEY".into(), "s3cr&t key".into()), ("OTHER".into(), "0123456789".into())])
}

/// The first request of a call.
fn first(tool: &HttpTool, values: Value) -> Result<PlainRequest, String> {
    let (values, secrets) = (arguments(values), secrets());
    let mut run = Run::new(tool, &values, &secrets, HttpLimits::default());
    match run.handle(Event::Begin, crate::time::Timestamp::from_millis(0), 0) {
        Effect::Send(request) => Ok(request),
        Effect::Done(Outcome::Failed { message, is_refused: true }) => Err(message),
        other => unreachable!("{other:?}"),
    }
}
