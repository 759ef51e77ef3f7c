//! When two values are equal: numbers by what they are worth, not by how they are written.

use serde_json::{Number, Value};

/// Whether two values are equal.
pub(super) fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => equal_numbers(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => one == other,
    }
}

/// Which of two numbers is larger.
pub(super) fn order(one: &Number, other: &Number) -> Option<std::cmp::Ordering> {
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// A number as a whole one, if it is written as one.
pub(super) fn whole(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// Whether a number is a whole one, however it is written.
pub(super) fn is_whole(number: &Number) -> bool {
    whole(number).is_some() || number.as_f64().is_some_and(|float| float.is_finite() && float.fract() == 0.0)
}

fn equal_numbers(one: &Number, other: &Number) -> bool {
    order(one, other) == Some(std::cmp::Ordering::Equal)
}

/// Equal values have equal texts here.
pub(super) fn spelling(value: &Value, into: &mut String) {
    match value {
        Value::Number(number) => match number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15) {
            // Without the sign that a zero may have.
            Some(float) => into.push_str(&format!("{:.0}", if float == 0.0 { 0.0 } else { float })),
            None => into.push_str(&number.to_string()),
        },
        Value::Null | Value::Bool(_) | Value::String(_) => into.push_str(&value.to_string()),
        Value::Array(items) => {
            into.push('[');
            for item in items {
                spelling(item, into);
                into.push(',');
            }
            into.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            into.push('{');
            for (key, value) in members {
                into.push_str(&Value::String(key.clone()).to_string());
                into.push(':');
                spelling(value, into);
                into.push(',');
            }
            into.push('}');
        }
    }
}
