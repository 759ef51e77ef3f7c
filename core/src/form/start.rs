//! What a value begins with.

use serde_json::{Map, Value};

use super::shape::{Kind, Spot};

/// How deep what must be there is filled in; a schema may want itself inside of itself.
const DEPTH: usize = 6;

/// What the schema itself gives: its default, the one value it allows, or an object of such members. None where it gives nothing.
pub(super) fn start(spot: &Spot<'_>) -> Option<Value> {
    start_at(spot, 0)
}

fn start_at(spot: &Spot<'_>, depth: usize) -> Option<Value> {
    if let Some(default) = spot.get("default") {
        return Some(default.clone());
    }
    match spot.kind() {
        Kind::Fixed(value) => Some(value.clone()),
        Kind::Object(members) if depth < DEPTH => {
            let mut object = Map::new();
            for member in members {
                let Some(spot) = &member.spot else { continue };
                let wanted = member.is_required || spot.get("default").is_some();
                // A default of null says that it may as well be left out.
                let value = start_at(spot, depth + 1).filter(|value| member.is_required || !value.is_null());
                if let Some(value) = value.filter(|_| wanted) {
                    object.insert(member.name.to_owned(), value);
                }
            }
            Some(Value::Object(object))
        }
        Kind::Forms(forms) if depth < DEPTH => forms.first().and_then(|form| start_at(&form.spot, depth + 1)),
        Kind::Object(_)
        | Kind::Forms(_)
        | Kind::Text
        | Kind::Number { .. }
        | Kind::Boolean
        | Kind::Choice(_)
        | Kind::List(_)
        | Kind::Json => None,
    }
}

/// What stands for a value that was asked for and not given yet.
pub(super) fn blank(spot: &Spot<'_>) -> Value {
    start(spot).unwrap_or_else(|| match spot.kind() {
        Kind::Text => Value::String(String::new()),
        Kind::Object(_) => Value::Object(Map::new()),
        Kind::List(_) => Value::Array(Vec::new()),
        Kind::Forms(forms) => forms.first().map_or(Value::Null, |form| blank(&form.spot)),
        Kind::Fixed(value) => value.clone(),
        Kind::Number { .. } | Kind::Boolean | Kind::Choice(_) | Kind::Json => Value::Null,
    })
}
