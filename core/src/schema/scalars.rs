//! The keywords about a value itself: its type, its choices, numbers and texts.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::check::{At, Check, Stop};
use super::compare::{equal, is_whole, order, whole};
use crate::counted::counted;

/// How much of a value is shown in a message.
const SHOWN: usize = 60;

/// Bytes compared in one step.
pub(super) const BYTES_A_STEP: usize = 32;

/// Bytes of a pattern, as it is kept, that one byte of a text is held against in one step.
const PATTERN_BYTES_A_STEP: usize = 4 << 10;

/// What it costs to read a pattern.
const PATTERN_STEPS: usize = 1_000;

impl Check<'_> {
    /// Every keyword that looks at nothing inside the value.
    pub(super) fn scalar(&mut self, members: &Map<String, Value>, value: &Value, at: &At<'_>) -> Result<bool, Stop> {
        let mut fits = self.types(members, value, at);
        if let Some(choices) = members.get("enum").and_then(Value::as_array) {
            self.pay(size_of(choices.iter()).min(size_of([value]) * choices.len()) / BYTES_A_STEP)?;
            if !choices.iter().any(|choice| equal(choice, value)) {
                self.misfit(at, || format!("must be one of {}, and is {}", listed(choices), shown(value)));
                fits = false;
            }
        }
        if let Some(only) = members.get("const") {
            self.pay(size_of([only]).min(size_of([value])) / BYTES_A_STEP)?;
            if !equal(only, value) {
                self.misfit(at, || format!("must be {}, and is {}", shown(only), shown(value)));
                fits = false;
            }
        }
        match value {
            Value::Number(number) => fits &= self.number(members, number, at),
            Value::String(text) => fits &= self.text(members, text, at)?,
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {}
        }
        Ok(fits)
    }

    fn types(&mut self, members: &Map<String, Value>, value: &Value, at: &At<'_>) -> bool {
        let types: Vec<&str> = match members.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => return true,
        };
        let fits = types.iter().any(|name| is_of(name, value));
        if value.is_string() && self.is_asking() {
            self.wanted.note(at, &types);
        }
        if !fits {
            self.misfit(at, || {
                let names: Vec<&str> = types.iter().map(|name| named(name)).collect();
                format!("must be {}, and is {}", names.join(" or "), kind_of(value))
            });
        }
        fits
    }

    fn number(&mut self, members: &Map<String, Value>, number: &Number, at: &At<'_>) -> bool {
        let mut fits = true;
        let bounds = [
            ("minimum", "must be at least", [Ordering::Greater, Ordering::Equal]),
            ("maximum", "must be at most", [Ordering::Less, Ordering::Equal]),
            ("exclusiveMinimum", "must be more than", [Ordering::Greater, Ordering::Greater]),
            ("exclusiveMaximum", "must be less than", [Ordering::Less, Ordering::Less]),
        ];
        for (keyword, words, good) in bounds {
            let Some(Value::Number(bound)) = members.get(keyword) else { continue };
            if order(number, bound).is_some_and(|found| !good.contains(&found)) {
                self.misfit(at, || format!("{words} {bound}, and is {number}"));
                fits = false;
            }
        }
        if let Some(Value::Number(unit)) = members.get("multipleOf")
            && !is_multiple(number, unit)
        {
            self.misfit(at, || format!("must be a multiple of {unit}, and is {number}"));
            fits = false;
        }
        fits
    }

    fn text(&mut self, members: &Map<String, Value>, text: &str, at: &At<'_>) -> Result<bool, Stop> {
        let mut fits = true;
        let bound = |keyword: &str| members.get(keyword).and_then(count);
        let (least, most) = (bound("minLength"), bound("maxLength"));
        if least.is_some() || most.is_some() {
            self.pay(text.len() / BYTES_A_STEP)?;
            let length = text.chars().count() as u64;
            if let Some(least) = least.filter(|least| length < *least) {
                self.misfit(at, || format!("must have at least {}, and has {length}", counted(least, "character")));
                fits = false;
            }
            if let Some(most) = most.filter(|most| length > *most) {
                self.misfit(at, || format!("must have at most {}, and has {length}", counted(most, "character")));
                fits = false;
            }
        }
        if let Some(pattern) = members.get("pattern").and_then(Value::as_str)
            && !self.matches(pattern, text)?
        {
            let shown: String = pattern.chars().take(SHOWN).collect();
            self.misfit(at, || format!("must match the pattern {shown}"));
            fits = false;
        }
        Ok(fits)
    }

    /// Whether a text matches a pattern; it does where the pattern cannot be read here.
    pub(super) fn matches(&mut self, pattern: &str, text: &str) -> Result<bool, Stop> {
        if !self.schema.patterns.knows(pattern) {
            self.pay(PATTERN_STEPS)?;
        }
        let Some(read) = self.schema.patterns.get(pattern) else { return Ok(true) };
        // Linear in the text, for each place in the pattern as it is kept: a count in it stands for as many places.
        self.pay(1 + text.len().saturating_mul(read.compiled_bytes()) / PATTERN_BYTES_A_STEP)?;
        Ok(read.is_match(text))
    }
}

/// A number of things, as a schema gives it; `2.0` is 2.
pub(super) fn count(value: &Value) -> Option<u64> {
    let number = value.as_number()?;
    number.as_u64().or_else(|| {
        let float = number.as_f64().filter(|float| *float >= 0.0 && float.fract() == 0.0 && *float < 1e15)?;
        format!("{float:.0}").parse().ok()
    })
}

/// About how many bytes values have.
pub(super) fn size_of<'v>(values: impl IntoIterator<Item = &'v Value>) -> usize {
    let mut size = 0;
    let mut left: Vec<&Value> = values.into_iter().collect();
    while let Some(value) = left.pop() {
        size += 8;
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
            Value::String(text) => size += text.len(),
            Value::Array(items) => left.extend(items),
            Value::Object(members) => {
                size += members.keys().map(String::len).sum::<usize>();
                left.extend(members.values());
            }
        }
    }
    size
}

fn is_of(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(number) => name == "number" || name == "integer" && is_whole(number),
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}

/// A type, in words.
fn named(name: &str) -> &str {
    match name {
        "null" => "null",
        "boolean" => "true or false",
        "number" => "a number",
        "integer" => "a whole number",
        "string" => "a text",
        "array" => "a list",
        "object" => "an object",
        other => other,
    }
}

fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => format!("the text {}", shown(value)),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}

/// A value, short enough for a message.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::Array(_) => return "a list".into(),
        Value::Object(_) => return "an object".into(),
        Value::String(text) if text.len() > SHOWN * 4 => {
            let begin: String = text.chars().take(SHOWN).collect();
            return format!("\"{begin}…\"");
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    };
    if text.chars().count() <= SHOWN { text } else { text.chars().take(SHOWN).chain(['…']).collect() }
}

fn listed(choices: &[Value]) -> String {
    const MOST: usize = 10;
    let told: Vec<String> = choices.iter().take(MOST).map(shown).collect();
    let more = choices.len().saturating_sub(MOST);
    if more == 0 { told.join(", ") } else { format!("{} and {more} more", told.join(", ")) }
}

fn is_multiple(number: &Number, unit: &Number) -> bool {
    if let (Some(number), Some(unit)) = (whole(number), whole(unit)) {
        return unit != 0 && number % unit == 0;
    }
    let (Some(number), Some(unit)) = (number.as_f64(), unit.as_f64()) else { return false };
    let times = number / unit;
    // A float of a decimal fraction is only near it.
    times.is_finite() && (times - times.round()).abs() <= 1e-9 * times.abs().clamp(1.0, 1e6)
}
