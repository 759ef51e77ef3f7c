//! A form for a value of a JSON Schema: its rows, what is typed into them, and the same value as JSON beside it.
//!
//! The schema is asked one level at a time, where the value is, so that a schema that refers to itself makes a form like any other.
//! What a form cannot ask for is asked for as JSON, and what it does not know of a value is left as it is. Whether the whole fits is
//! not decided here but by [`crate::schema`], with [`check`]: a form only knows what cannot be read at all, such as a number
//! with letters in it.
//!
//! The value is the one truth. Texts that are no value yet are kept beside it, by their place.

mod check;
mod place;
mod row;
mod shape;
mod start;
#[cfg(test)]
mod tests;

pub use check::{Checked, check};
pub use row::{ChoiceOption, Input, Row};

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use crate::schema::Misfit;
use shape::{Kind, Spot};

/// A form, as far as it is filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    schema: Value,
    value: Value,
    /// What was typed at a place, where that is not how its value is written, or is none.
    typed: BTreeMap<String, Typed>,
    /// Which of several forms was chosen at a place.
    chosen: BTreeMap<String, usize>,
    /// What was found not to fit, by its place.
    misfits: BTreeMap<String, String>,
    json: String,
    json_fault: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct Typed {
    text: String,
    /// Why it is no value.
    fault: Option<String>,
}

impl Form {
    /// A form with nothing in it but what the schema itself says: defaults, and what can be nothing else.
    #[must_use]
    pub fn new(schema: Value) -> Self {
        let value = Spot::of(&schema, &schema).and_then(|spot| start::start(&spot));
        let value = value.filter(Value::is_object).unwrap_or_else(|| Value::Object(Map::new()));
        Self::with(schema, value)
    }

    /// A form with this value in it.
    #[must_use]
    pub fn with(schema: Value, value: Value) -> Self {
        let json = pretty(&value);
        let (typed, chosen, misfits) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { schema, value, typed, chosen, misfits, json, json_fault: None }
    }

    /// The schema.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// The value as far as it can be read; what is typed and cannot be is left out.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The value as JSON, or what was typed in its place.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Why what was typed as JSON is none. The rows then still show the value of before.
    #[must_use]
    pub fn json_fault(&self) -> Option<&str> {
        self.json_fault.as_deref()
    }

    /// Whether everything that was typed can be read.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.json_fault.is_none() && self.typed.values().all(|typed| typed.fault.is_none())
    }

    /// The rows, from top to bottom.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        row::rows(self)
    }

    /// What stands in the input of a row.
    #[must_use]
    pub fn text(&self, row: &Row) -> String {
        if let Some(typed) = self.typed.get(&row.path) {
            return typed.text.clone();
        }
        match (&row.input, self.value.pointer(&row.path)) {
            (_, None) => String::new(),
            (Input::Json, Some(value)) => pretty(value),
            (_, Some(Value::String(text))) => text.clone(),
            (_, Some(Value::Null)) => String::new(),
            (_, Some(value)) => value.to_string(),
        }
    }

    /// Which of the options of a row is the value.
    #[must_use]
    pub fn choice(&self, row: &Row) -> Option<usize> {
        let Input::Choice { options } = &row.input else { return None };
        let value = self.value.pointer(&row.path)?;
        options.iter().position(|option| option.value == *value)
    }

    /// What is wrong at a row.
    #[must_use]
    pub fn fault(&self, row: &Row) -> Option<String> {
        let unread = self.typed.get(&row.path).and_then(|typed| typed.fault.clone());
        unread.or_else(|| self.misfits.get(&row.path).cloned())
    }

    /// What is wrong and belongs to no row, as sentences without an end.
    #[must_use]
    pub fn other_faults(&self) -> Vec<String> {
        let rows = self.rows();
        let elsewhere = |path: &&String| !rows.iter().any(|row| row.path == **path);
        let others = self.misfits.iter().filter(|(path, _)| elsewhere(path));
        others.map(|(path, message)| Misfit { path: path.clone(), message: message.clone() }.to_string()).collect()
    }

    /// Takes what a check has found. Each misfit is said at the row it is about, or at the nearest one around it.
    pub fn take_misfits(&mut self, misfits: Vec<Misfit>) {
        let rows = self.rows();
        self.misfits.clear();
        for Misfit { path, message } in misfits {
            let is_row = |path: &str| rows.iter().any(|row| row.path == path);
            let mut at = path.as_str();
            while !at.is_empty() && !is_row(at) {
                at = at.rsplit_once('/').map_or("", |(above, _)| above);
            }
            let message = match path.strip_prefix(at) {
                Some(below) if !below.is_empty() && is_row(at) => format!("{below} {message}"),
                _ => message,
            };
            let (at, message) = if is_row(at) { (at.to_owned(), message) } else { (path, message) };
            self.misfits.entry(at).or_insert(message);
        }
    }

    /// Takes what was typed into the input of a row. An empty text takes out what need not be there.
    pub fn type_text(&mut self, row: &Row, text: &str) {
        self.typed.remove(&row.path);
        let read = match &row.input {
            Input::Text { .. } => Ok(Some(Value::from(text)).filter(|_| !text.is_empty() || row.required)),
            Input::Number { is_whole } => number(text, *is_whole),
            Input::Json => json(text),
            Input::Choice { .. }
            | Input::Forms { .. }
            | Input::Group { .. }
            | Input::List { .. }
            | Input::Fixed { .. }
            | Input::Rest { .. } => return,
        };
        match read {
            Ok(value) => {
                let is_other = value.as_ref().is_some_and(|value| self.written(row, value) != text);
                self.put(row, value);
                if is_other {
                    self.typed.insert(row.path.clone(), Typed { text: text.into(), fault: None });
                }
            }
            Err(fault) => {
                self.put(row, None);
                self.typed.insert(row.path.clone(), Typed { text: text.into(), fault: Some(fault) });
            }
        }
    }

    /// Chooses an option of a row, or none.
    pub fn choose(&mut self, row: &Row, option: Option<usize>) {
        let Input::Choice { options } = &row.input else { return };
        let value = option.and_then(|at| options.get(at)).map(|option| option.value.clone());
        self.put(row, value);
    }

    /// Chooses one of several forms. What was there has another form, and goes.
    pub fn choose_form(&mut self, row: &Row, form: usize) {
        let Input::Forms { .. } = row.input else { return };
        let value = self.spot(&row.path).and_then(|spot| match spot.kind() {
            Kind::Forms(forms) => forms.get(form).map(|form| start::blank(&form.spot)),
            _ => None,
        });
        self.put(row, value);
        self.chosen.insert(row.path.clone(), form);
    }

    /// Puts a group that need not be there in, or takes it out.
    pub fn set_present(&mut self, row: &Row, is_present: bool) {
        let value = is_present.then(|| self.spot(&row.path).map(|spot| start::blank(&spot))).flatten();
        self.put(row, value);
    }

    /// Makes a value null, or takes that back.
    pub fn set_null(&mut self, row: &Row, is_null: bool) {
        if is_null {
            self.forget(&row.path);
            place::put(&mut self.value, &row.path, Value::Null);
            self.write_json();
        } else {
            let value = self.spot(&row.path).and_then(|spot| start::start(&spot)).filter(|value| !value.is_null());
            self.put(row, value);
        }
    }

    /// Adds an item to the end of a list.
    pub fn add_item(&mut self, row: &Row) {
        let Input::List { count } = row.input else { return };
        let item = self.spot(&row.path).and_then(|spot| match spot.kind() {
            Kind::List(item) => Some(start::blank(&item)),
            _ => None,
        });
        if self.value.pointer(&row.path).is_none_or(Value::is_null) {
            place::put(&mut self.value, &row.path, Value::Array(Vec::new()));
        }
        if let (Some(item), Some(Value::Array(items))) = (item, self.value.pointer_mut(&row.path)) {
            items.truncate(count);
            items.push(item);
        }
        self.misfits.remove(&row.path);
        self.write_json();
    }

    /// Takes an item out of its list. A list that need not be there goes with its last item.
    pub fn remove_item(&mut self, row: &Row) {
        let Some((list, index)) = row.path.rsplit_once('/') else { return };
        let Some(index) = index.parse::<usize>().ok().filter(|_| row.is_item) else { return };
        let is_required = self.rows().iter().any(|row| row.path == list && row.required);
        self.forget(list);
        if let Some(Value::Array(items)) = self.value.pointer_mut(list)
            && index < items.len()
        {
            items.remove(index);
            if items.is_empty() && !is_required {
                place::remove(&mut self.value, list);
            }
        }
        self.write_json();
    }

    /// Takes what was typed as JSON. What is no object leaves the rows as they are.
    pub fn type_json(&mut self, text: &str) {
        self.json = text.into();
        self.json_fault = match serde_json::from_str::<Value>(text) {
            Ok(value) if value.is_object() => {
                self.value = value;
                self.typed.clear();
                self.misfits.clear();
                None
            }
            Ok(_) => Some("it must be a JSON object, in { and }".into()),
            Err(_) if text.trim().is_empty() => Some("it must be a JSON object, at least { }".into()),
            Err(error) => Some(format!("this is not JSON: {error}")),
        };
    }

    /// Puts a value at a row, or takes it out: an item of a list becomes null, since it cannot be missing.
    fn put(&mut self, row: &Row, value: Option<Value>) {
        self.forget(&row.path);
        match value {
            Some(value) => place::put(&mut self.value, &row.path, value),
            None if row.is_item => place::put(&mut self.value, &row.path, Value::Null),
            None => place::remove(&mut self.value, &row.path),
        }
        self.write_json();
    }

    /// Lets go of what was typed, chosen and found at a place and below it.
    fn forget(&mut self, path: &str) {
        let is_there = |at: &String| at.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.typed.retain(|at, _| !is_there(at));
        // The form that was chosen for the place itself stays chosen while it is filled in.
        self.chosen.retain(|at, _| at == path || !is_there(at));
        self.misfits.retain(|at, _| !is_there(at));
    }

    fn write_json(&mut self) {
        self.json = pretty(&self.value);
        self.json_fault = None;
    }

    /// How the value of a row is written in its input.
    fn written(&self, row: &Row, value: &Value) -> String {
        match (&row.input, value) {
            (Input::Json, value) => pretty(value),
            (_, Value::String(text)) => text.clone(),
            (_, value) => value.to_string(),
        }
    }

    /// The schema of a place of the value, going down from the top by the forms that are in effect.
    fn spot(&self, path: &str) -> Option<Spot<'_>> {
        row::spot(self, path)
    }
}

fn number(text: &str, is_whole: bool) -> Result<Option<Value>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let whole = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok();
    let broken = || text.parse::<f64>().ok().and_then(Number::from_f64);
    match whole.or_else(|| broken().filter(|_| !is_whole)) {
        Some(number) => Ok(Some(Value::Number(number))),
        None if is_whole => Err("is not a whole number".into()),
        None => Err("is not a number".into()),
    }
}

fn json(text: &str) -> Result<Option<Value>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    serde_json::from_str(text).map(Some).map_err(|error| format!("is not JSON: {error}"))
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a JSON value always serialises")
}
