//! An HTTP tool as a form has it: what a person fills in, and the definition that comes of it.
//!
//! Nobody has to say what the arguments are: they are the placeholders that stand in the texts. By the custom that is followed everywhere, a
//! name in capitals is a secret. A tool asks once or several times, one after the other; what an earlier request got is `${steps.name.path}`
//! in a later one.
//!
//! The form of a tool that is there keeps what it began as: what nobody touched is written as it was, also where the form does not show all
//! of it, and a name stays what it was declared to be, argument or secret.

mod argument;
mod step;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::argument_names;
use crate::protocol::SecretName;
use step::text;

pub use argument::Argument;
pub use step::RecipeStep;

/// What a form holds, each field as it is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// What the tool is called.
    pub name: String,
    /// What it does, as the model is told.
    pub description: String,
    /// The requests, in their order; at least one.
    pub steps: Vec<RecipeStep>,
    /// The hosts, with commas or spaces between them; those of the addresses where nothing is said.
    pub hosts: String,
    /// How often a request that failed is tried again; the usual where nothing is said.
    pub retries: String,
    /// Bytes of one answer, at most; the usual where nothing is said.
    pub most_bytes: String,
    /// Calls in a minute; any number where nothing is said.
    pub per_minute: String,
    /// What is known of each argument beside its name.
    pub arguments: BTreeMap<String, Argument>,
    /// The schema of the arguments that the form began with.
    schema: Option<Value>,
}

impl Default for Recipe {
    fn default() -> Self {
        let none = String::new;
        Self {
            name: none(),
            description: none(),
            steps: vec![RecipeStep::default()],
            hosts: none(),
            retries: none(),
            most_bytes: none(),
            per_minute: none(),
            arguments: BTreeMap::new(),
            schema: None,
        }
    }
}

/// What in a form is wrong, for whoever fills it in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecipeFault {
    /// It has no name.
    #[error("give the tool a name with at least one letter or digit")]
    Name,
    /// Its address is none that can be asked.
    #[error("the address must begin with http:// or https://")]
    Address,
    /// A line is not of its form.
    #[error("{line:?} is not of the form {form:?}")]
    Line {
        /// The line.
        line: String,
        /// How a line is written.
        form: &'static str,
    },
    /// A field should be a number.
    #[error("{0} must be a whole number")]
    Number(&'static str),
    /// One of several requests has a fault.
    #[error("request {number}: {fault}")]
    Step {
        /// Which, counted from one.
        number: usize,
        /// What is wrong with it.
        fault: Box<RecipeFault>,
    },
}

impl Recipe {
    /// The form of a tool that is there, to make another version of it; none where it is nothing that a form could have made.
    #[must_use]
    pub fn of(name: &str, description: &str, http: &Value, schema: Option<&Value>) -> Option<Self> {
        let mut steps = Vec::new();
        if let Some(request) = http.get("request") {
            steps.push(RecipeStep::of("request", request, http.get("response")));
        }
        for step in http.get("steps").and_then(Value::as_array).into_iter().flatten() {
            steps.push(RecipeStep::of(step.get("name")?.as_str()?, step.get("request")?, step.get("response")));
        }
        if steps.is_empty() {
            return None;
        }
        let hosts = http.get("allowedHosts").and_then(Value::as_array).into_iter().flatten();
        let properties = schema.and_then(|schema| schema.get("properties"));
        let required: BTreeSet<&str> = schema
            .and_then(|schema| schema.get("required")?.as_array())
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let argument = |name: &str| {
            let property = properties.and_then(|properties| properties.get(name)).cloned().unwrap_or_default();
            Argument::of(property, required.contains(name))
        };
        Some(Self {
            name: name.to_owned(),
            description: description.to_owned(),
            steps,
            hosts: hosts.filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
            retries: text(http.get("maxRetries")),
            most_bytes: text(http.get("maxResponseBytes")),
            per_minute: text(http.get("maxCallsPerMinute")),
            arguments: argument_names(schema).into_iter().map(|name| (name.to_owned(), argument(name))).collect(),
            schema: schema.cloned(),
        })
    }

    /// Adds a request at the end, under a name that no other has.
    pub fn add_step(&mut self) {
        if let [only] = self.steps.as_mut_slice()
            && only.name.is_empty()
        {
            only.name = "first".into();
        }
        let words = ["first", "second", "third", "fourth", "fifth"].map(str::to_owned).into_iter();
        let mut names = words.chain((6..).map(|number| format!("step{number}"))).skip(self.steps.len());
        let is_free = |name: &String| self.steps.iter().all(|step| step.name != *name);
        let name = names.find(is_free).unwrap_or_default();
        self.steps.push(RecipeStep { name, ..RecipeStep::default() });
    }

    /// Takes a request out; the last one stays.
    pub fn remove_step(&mut self, at: usize) {
        if self.steps.len() > 1 && at < self.steps.len() {
            self.steps.remove(at);
        }
    }

    /// The names that stand in the texts and are no secrets, in their order.
    #[must_use]
    pub fn argument_names(&self) -> Vec<String> {
        let begun = self.begun_names();
        self.names().into_iter().filter(|name| !self.is_secret(name, &begun)).collect()
    }

    /// The secrets that stand in the texts, in their order.
    #[must_use]
    pub fn secret_names(&self) -> Vec<String> {
        let begun = self.begun_names();
        self.names().into_iter().filter(|name| self.is_secret(name, &begun)).collect()
    }

    /// Whether a name is a secret's: what was declared stays what it was, and a new name is by its capitals.
    fn is_secret(&self, name: &str, begun: &[String]) -> bool {
        match argument_names(self.schema.as_ref()).contains(name) {
            true => false,
            false => begun.iter().any(|known| known == name) || is_in_capitals(name),
        }
    }

    fn names(&self) -> Vec<String> {
        names_in(self.steps.iter().flat_map(RecipeStep::texts))
    }

    /// The names that stood in the texts when the form began.
    fn begun_names(&self) -> Vec<String> {
        let texts: Vec<String> = self.steps.iter().flat_map(RecipeStep::begun_texts).collect();
        names_in(texts.iter().map(String::as_str))
    }

    /// What the tools interface calls it: its name, with `-` between the words.
    #[must_use]
    pub fn slug(&self) -> String {
        slug_of(&self.name)
    }

    /// The body of the request that makes the tool (R243).
    pub fn tool(&self) -> Result<Value, RecipeFault> {
        if self.slug().is_empty() {
            return Err(RecipeFault::Name);
        }
        let split = |char: char| char == ',' || char.is_whitespace();
        let mut hosts: Vec<String> =
            self.hosts.split(split).filter(|host| !host.is_empty()).map(str::to_owned).collect();
        if hosts.is_empty() {
            let usual = self.steps.iter().filter_map(RecipeStep::usual_host);
            usual.for_each(|host| {
                if !hosts.contains(&host) {
                    hosts.push(host)
                }
            });
        }
        let mut http = self.requests()?;
        http.insert("allowedHosts".into(), json!(hosts));
        let numbers = [
            ("maxRetries", &self.retries, "the number of retries"),
            ("maxResponseBytes", &self.most_bytes, "the largest response"),
            ("maxCallsPerMinute", &self.per_minute, "the number of calls per minute"),
        ];
        for (key, typed, what) in numbers {
            if let Some(number) = number(typed, what)? {
                http.insert(key.to_owned(), json!(number));
            }
        }
        Ok(json!({
            "type": "http",
            "displayName": self.name.trim(),
            "description": self.description.trim(),
            "argSchema": self.schema(),
            "httpImpl": http,
        }))
    }

    /// What is asked: one request by itself, or several with their names.
    fn requests(&self) -> Result<Map<String, Value>, RecipeFault> {
        let mut http = Map::new();
        if let [only] = self.steps.as_slice() {
            http.insert("request".into(), only.request()?);
            http.extend(only.response()?.map(|response| ("response".to_owned(), response)));
            return Ok(http);
        }
        let mut steps = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            let of_step = |fault| RecipeFault::Step { number: at + 1, fault: Box::new(fault) };
            let mut written = json!({"name": step.name.trim(), "request": step.request().map_err(of_step)?});
            if let Some(response) = step.response().map_err(of_step)? {
                written["response"] = response;
            }
            steps.push(written);
        }
        http.insert("steps".into(), Value::Array(steps));
        Ok(http)
    }

    fn schema(&self) -> Value {
        let mut schema = match &self.schema {
            Some(Value::Object(schema)) => schema.clone(),
            _ => Map::from_iter([("additionalProperties".to_owned(), json!(false))]),
        };
        let (names, begun) = (self.argument_names(), self.begun_names());
        // What never stood in a text has another use; what does not any more has none.
        let is_kept = |name: &str| !begun.iter().any(|known| known == name) || names.iter().any(|own| own == name);
        let mut properties = match schema.get("properties") {
            Some(Value::Object(properties)) => properties.clone(),
            _ => Map::new(),
        };
        properties.retain(|name, _| is_kept(name));
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let required = required.filter_map(Value::as_str).filter(|name| is_kept(name));
        let mut required: Vec<String> = required.map(str::to_owned).collect();
        for name in names {
            let argument = self.arguments.get(&name).cloned().unwrap_or_default();
            properties.insert(name.clone(), argument.property());
            let at = required.iter().position(|known| *known == name);
            match (at, argument.required) {
                (None, true) => required.push(name),
                (Some(at), false) => drop(required.remove(at)),
                (Some(_), true) | (None, false) => {}
            }
        }
        schema.entry("type").or_insert_with(|| json!("object"));
        schema.insert("properties".into(), properties.into());
        if self.schema.is_none() || schema.contains_key("required") || !required.is_empty() {
            schema.insert("required".into(), json!(required));
        }
        Value::Object(schema)
    }
}

/// The names of the placeholders in texts, each once, in their order.
fn names_in<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names = Vec::new();
    for text in texts {
        for (start, _) in text.match_indices("${") {
            let name = text[start + 2..].split('}').next().unwrap_or_default();
            let ends = text[start + 2..].contains('}');
            let is_answer = name.starts_with("steps.");
            if ends && !name.is_empty() && !is_answer && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

/// A name as a slug: its letters and digits, with `-` between the words.
#[must_use]
pub fn slug_of(name: &str) -> String {
    let words = name.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-").chars().take(64).collect()
}

/// The version after this one, where a version is a number; else with a number behind it.
#[must_use]
pub fn next_label(version: &str) -> String {
    let digits = version.len() - version.trim_end_matches(|char: char| char.is_ascii_digit()).len();
    let (start, number) = version.split_at(version.len() - digits);
    match number.parse::<u64>() {
        Ok(number) => format!("{start}{}", number.saturating_add(1)),
        Err(_) => format!("{version}-2"),
    }
}

fn is_in_capitals(name: &str) -> bool {
    SecretName::parse(name).is_ok() && !name.contains(|char: char| char.is_ascii_lowercase())
}

fn number(text: &str, what: &'static str) -> Result<Option<u64>, RecipeFault> {
    match text.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| RecipeFault::Number(what)),
    }
}

fn pairs(text: &str, mark: char, form: &'static str) -> Result<Map<String, Value>, RecipeFault> {
    let mut members = Map::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (name, value) = line
            .split_once(mark)
            .filter(|(name, _)| !name.trim().is_empty())
            .ok_or_else(|| RecipeFault::Line { line: line.chars().take(80).collect(), form })?;
        members.insert(name.trim().to_owned(), value.trim().into());
    }
    Ok(members)
}
