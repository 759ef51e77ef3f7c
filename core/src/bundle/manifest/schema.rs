//! Whether a JSON schema can be that of arguments. No validator: that the schema holds is looked at when a tool is called.

use super::node::At;
use super::{Fault, ManifestError};

/// Refuses a schema that describes no object, or lists what it requires in no sensible way.
pub(super) fn check(at: &At<'_>) -> Result<(), ManifestError> {
    if !at.is_map() {
        return Err(at.fail(Fault::Schema("it is not a map")));
    }
    if let Some(kind) = at.get("type")? {
        if kind.text().ok() != Some("object") {
            return Err(kind.fail(Fault::Schema("its \"type\" is not \"object\"")));
        }
    } else if at.get("properties")?.is_some() || at.members()?.is_empty() {
        // `{}` and a schema that only forgot its type mean an object.
    } else if at.get("$ref")?.is_none() && at.get("oneOf")?.is_none() && at.get("anyOf")?.is_none() {
        return Err(at.fail(Fault::Schema("it has no \"type\"")));
    }
    if let Some(properties) = at.get("properties")? {
        if !properties.is_map() {
            return Err(properties.fail(Fault::Schema("its \"properties\" are not a map")));
        }
        for (_, property) in properties.members()? {
            // `true` and `false` are schemas too.
            if !property.is_map() && !property.json().is_boolean() {
                return Err(property.fail(Fault::Schema("a property is not a map")));
            }
        }
    }
    if let Some(required) = at.get("required")? {
        let fault = || Fault::Schema("its \"required\" is not a list of names");
        for name in required.list().map_err(|_no_list| required.fail(fault()))? {
            name.text().map_err(|_no_text| name.fail(fault()))?;
        }
    }
    Ok(())
}

/// The names of the arguments that a schema describes.
pub(super) fn arguments(schema: Option<&serde_json::Value>) -> Vec<&str> {
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(serde_json::Value::as_object);
    properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str)).collect()
}
