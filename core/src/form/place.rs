//! Places of a value by their JSON pointers.

use serde_json::{Map, Value};

/// The pointer of a member.
pub(super) fn member(of: &str, name: &str) -> String {
    format!("{of}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The parts of a pointer, as names.
pub(super) fn names(path: &str) -> impl Iterator<Item = String> {
    path.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"))
}

/// Puts a value at a place. Objects on the way that are missing are made; a place inside of anything else is none.
pub(super) fn put(root: &mut Value, path: &str, value: Value) {
    let mut at = root;
    for name in names(path) {
        if at.is_null() {
            *at = Value::Object(Map::new());
        }
        at = match at {
            Value::Object(members) => members.entry(name).or_insert(Value::Null),
            Value::Array(items) => {
                let item = name.parse::<usize>().ok().and_then(|index| items.get_mut(index));
                let Some(item) = item else { return };
                item
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return,
        };
    }
    *at = value;
}

/// Takes a member out of its object.
pub(super) fn remove(root: &mut Value, path: &str) {
    let Some((above, _)) = path.rsplit_once('/') else { return };
    let Some(name) = names(path).last() else { return };
    if let Some(Value::Object(members)) = root.pointer_mut(above) {
        members.remove(&name);
    }
}
