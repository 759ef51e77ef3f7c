//! The schema of a tool's arguments, and whether what it is called with fits (R255, C34, C47).

use serde_json::{Map, Value, json};

use super::{RunError, Runner};
use crate::catalog::{EffectiveTool, ToolId, described_key};
use crate::counted::counted;
use crate::http_tool::HttpFault;
use crate::python::{CallPython, Description, PythonCall};
use crate::record::{ErrorKind, KeptValue, RowKey};
use crate::schema::{Misfits, Schema, SchemaFault, SchemaLimits};
use crate::store::{self, Commit, Store, StoreError};

/// Why a call was not made.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    #[error("the arguments are not valid: {0}")]
    Misfits(Misfits),
    #[error("the tool's definition cannot be used: {0}; edit the tool")]
    Definition(HttpFault),
    #[error("{tool} is limited to {} per minute; the next call is possible in {seconds} s", counted(*.most, "call"))]
    TooOften { tool: ToolId, most: u32, seconds: u64 },
    #[error("the tool's input_schema cannot be used: {0}; tell its author, or edit the tool")]
    Schema(SchemaFault),
}

impl Refused {
    pub(super) fn into_parts(self) -> (ErrorKind, String, Option<Misfits>) {
        let message = self.to_string();
        match self {
            Self::Misfits(misfits) => (ErrorKind::InvalidArgs, message, Some(misfits)),
            Self::Schema(_) | Self::Definition(_) | Self::TooOften { .. } => (ErrorKind::Failed, message, None),
        }
    }
}

/// The schema as far as it is known without asking Python: the declared one, or what the function has said before.
pub(super) async fn known_schema(store: &impl Store, tool: &EffectiveTool<'_>) -> Result<Option<Value>, StoreError> {
    if tool.declared.input_schema.is_some() {
        return Ok(tool.declared.input_schema.clone());
    }
    let Some(entrypoint) = &tool.declared.entrypoint else { return Ok(None) };
    let key = RowKey::one(described_key(tool.declared.package, entrypoint));
    let kept: Option<KeptValue> = store::get(store, key).await?;
    Ok(kept.and_then(|kept| kept.value.get("input_schema").cloned()))
}

/// Asks the function what it takes, once for its package. None where it cannot say.
pub(super) async fn ask_schema<S: Store, P: CallPython + ?Sized>(
    runner: &Runner<'_, S, P>,
    call: &PythonCall,
) -> Result<Option<Value>, RunError> {
    let Ok(Description { description, input_schema }) = runner.python.describe(call).await else { return Ok(None) };
    let key = described_key(call.session.package, &call.entrypoint);
    let value = json!({"description": description, "input_schema": input_schema});
    runner.store.apply(Commit::relaxed().put(&KeptValue { key, value }), (runner.now)()).await?;
    Ok(Some(input_schema))
}

/// The arguments as the tool gets them, if they fit.
pub(super) fn fit(schema: &Value, arguments: Value, limits: &SchemaLimits) -> Result<Value, Refused> {
    let schema = Schema::read(schema, limits).map_err(Refused::Schema)?;
    schema.fit(arguments).map_err(Refused::Misfits)
}

/// Arguments that were left out are none.
pub(super) fn object(arguments: Value) -> Value {
    if arguments.is_null() { Value::Object(Map::new()) } else { arguments }
}
