//! Texts that are made numbers or booleans, because the schema wants that and no text.

use std::collections::BTreeMap;

use serde_json::{Number, Value};

use super::check::{At, Check};
use super::{Misfits, Schema};

/// Where a text was met that a `type` does not admit, and what it admits instead.
#[derive(Debug, Default)]
pub(super) struct Wanted(BTreeMap<String, Want>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Want {
    /// Some form of the value here may be a text: then it stays one.
    text: bool,
    integer: bool,
    number: bool,
    boolean: bool,
}

/// How many places are remembered.
const PLACES: usize = 1_000;

impl Wanted {
    /// Notes what a `type` admits at a place that has a text.
    pub(super) fn note(&mut self, at: &At<'_>, types: &[&str]) {
        let pointer = at.pointer();
        if self.0.len() >= PLACES && !self.0.contains_key(&pointer) {
            return;
        }
        let want = self.0.entry(pointer).or_default();
        want.text |= types.contains(&"string");
        want.integer |= types.contains(&"integer");
        want.number |= types.contains(&"number");
        want.boolean |= types.contains(&"boolean");
    }
}

/// Checks a value and, where it does not fit, tries each text that was not wanted as what was. A change stays only if less is wrong
/// with it. All checks together have one budget.
pub(super) fn fit(schema: &Schema, mut value: Value) -> Result<Value, Misfits> {
    let mut check = Check::new(schema, schema.limits.steps);
    check.run(&value);
    let wanted = std::mem::take(&mut check.wanted);
    let tries = wanted.0.into_iter().filter(|(_, want)| !want.text).take(schema.limits.coercions);
    for (pointer, want) in tries {
        if check.count == 0 || check.gave_up() {
            break;
        }
        let Some(Value::String(text)) = value.pointer(&pointer) else { continue };
        let Some(made) = read(text, want) else { continue };
        let text = value.pointer_mut(&pointer).map(|place| std::mem::replace(place, made));
        let mut again = Check::new(schema, check.steps);
        again.run(&value);
        if again.count < check.count && !again.gave_up() {
            check = again;
        } else if let (Some(place), Some(text)) = (value.pointer_mut(&pointer), text) {
            *place = text;
            check.steps = again.steps;
        }
    }
    check.into_result().map(|()| value)
}

/// The number or boolean that a text spells, if it spells one and nothing is lost.
fn read(text: &str, want: Want) -> Option<Value> {
    if want.boolean && matches!(text, "true" | "false") {
        return Some(Value::Bool(text == "true"));
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    if leading_zero || digits.len() > 40 {
        return None;
    }
    match digits.split_once('.') {
        None if (want.integer || want.number) && plain(digits) => {
            let whole = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
            whole.ok().map(Value::Number)
        }
        // Fifteen digits always come back from a float as they went in.
        Some((whole, part)) if want.number && plain(whole) && plain(part) && whole.len() + part.len() <= 15 => {
            Number::from_f64(text.parse().ok()?).map(Value::Number)
        }
        None | Some(_) => None,
    }
}
