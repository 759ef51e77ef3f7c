//! One request of a form: what is asked, and what is made of the answer.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{RecipeFault, number, pairs};
use crate::network::Address;

/// What a form holds of one request, each field as it is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecipeStep {
    /// What later requests know its answer by; of no use where it is the only one.
    pub name: String,
    /// The method.
    pub method: String,
    /// The address, with placeholders.
    pub url: String,
    /// One `name = value` in each line.
    pub query: String,
    /// One `name: value` in each line.
    pub headers: String,
    /// The body.
    pub body: String,
    /// How it says who asks: nothing, `apiKey` in a header, `query` for a key in the query, `bearer` or `basic`.
    pub auth: String,
    /// The name that a key goes under.
    pub auth_name: String,
    /// What is sent, usually a secret's placeholder.
    pub auth_value: String,
    /// Seconds that it may take; the usual where nothing is said.
    pub seconds: String,
    /// The statuses that are a success, with commas or spaces between them; all of 2xx where nothing is said.
    pub success: String,
    /// What another status means: `fail` or `empty`.
    pub otherwise: String,
    /// What becomes of the answer: `auto`, `text`, `file` or `image`.
    pub output: String,
    /// The request that the form began as, with what is made of its answer.
    pub(super) declared: Option<(Value, Option<Value>)>,
}

impl RecipeStep {
    /// The form of a request that is there.
    pub(super) fn of(name: &str, request: &Value, response: Option<&Value>) -> Self {
        let lines = |key: &str, mark: &str| {
            let members = request.get(key).and_then(Value::as_object);
            let lines = members.into_iter().flatten().map(|(name, value)| format!("{name}{mark}{}", text(Some(value))));
            lines.collect::<Vec<_>>().join("\n")
        };
        let auth = request.get("auth");
        let of_auth = |key: &str| text(auth.and_then(|auth| auth.get(key)));
        let of_response = |key: &str| response.and_then(|response| response.get(key));
        let seconds = request.get("timeoutMS").and_then(Value::as_u64).map(|millis| millis.div_ceil(1_000).to_string());
        let success = of_response("successCodes").and_then(Value::as_array).into_iter().flatten();
        Self {
            name: name.to_owned(),
            method: Some(text(request.get("method"))).filter(|method| !method.is_empty()).unwrap_or("GET".into()),
            url: text(request.get("urlTemplate")),
            query: lines("query", " = "),
            headers: lines("headers", ": "),
            body: text(request.get("body")),
            auth: if of_auth("in") == "query" { "query".into() } else { of_auth("type") },
            auth_name: of_auth("name"),
            auth_value: of_auth("valueTemplate"),
            seconds: seconds.unwrap_or_default(),
            success: success.map(Value::to_string).collect::<Vec<_>>().join(", "),
            otherwise: text(of_response("errorMode")),
            output: text(of_response("bodyOutputMode")),
            declared: Some((request.clone(), response.cloned())),
        }
    }

    /// The form that this one began as.
    fn begun(&self) -> Option<Self> {
        self.declared.as_ref().map(|(request, response)| Self::of(&self.name, request, response.as_ref()))
    }

    /// The texts that placeholders stood in when the form began.
    pub(super) fn begun_texts(&self) -> Vec<String> {
        self.begun().iter().flat_map(Self::texts).map(str::to_owned).collect()
    }

    /// The texts that placeholders may stand in.
    pub(super) fn texts(&self) -> [&str; 5] {
        let auth = if self.auth.is_empty() { "" } else { &self.auth_value };
        [&self.url, &self.query, &self.headers, &self.body, auth]
    }

    /// The host that the address names, where it names one by itself.
    pub(super) fn usual_host(&self) -> Option<String> {
        Address::parse(&self.url.replace("${", "")).ok().map(|address| address.granted_as())
    }

    /// The request that comes of it.
    pub(super) fn request(&self) -> Result<Value, RecipeFault> {
        let lower = self.url.trim().to_ascii_lowercase();
        if !["https://", "http://"].into_iter().any(|start| lower.starts_with(start)) {
            return Err(RecipeFault::Address);
        }
        let mut request = Map::from_iter([
            ("method".to_owned(), json!(if self.method.is_empty() { "GET" } else { &self.method })),
            ("urlTemplate".to_owned(), json!(self.url.trim())),
        ]);
        let query = pairs(&self.query, '=', "name = value")?;
        let headers = pairs(&self.headers, ':', "Name: value")?;
        for (key, members) in [("query", query), ("headers", headers)] {
            if !members.is_empty() {
                request.insert(key.to_owned(), Value::Object(members));
            }
        }
        if !self.body.trim().is_empty() {
            request.insert("body".into(), json!(self.body));
        }
        if !self.auth.is_empty() {
            let (kind, place) = match self.auth.as_str() {
                "apiKey" => ("apiKey", Some("header")),
                "query" => ("apiKey", Some("query")),
                other => (other, None),
            };
            let mut auth = json!({"type": kind, "valueTemplate": self.auth_value.trim()});
            if let Some(place) = place {
                auth["in"] = json!(place);
                auth["name"] = json!(self.auth_name.trim());
            }
            request.insert("auth".into(), auth);
        }
        if let Some(seconds) = number(&self.seconds, "the time of a request")? {
            request.insert("timeoutMS".into(), json!(seconds.saturating_mul(1_000)));
        }
        Ok(Value::Object(self.with_untouched(request)))
    }

    /// What the form shows and nobody changed is written as it was: a form knows whole seconds only, and a body only as a text.
    fn with_untouched(&self, mut request: Map<String, Value>) -> Map<String, Value> {
        let (Some((declared, _)), Some(begun)) = (&self.declared, self.begun()) else { return request };
        let auth = |step: &Self| (step.auth.clone(), step.auth_name.clone(), step.auth_value.clone());
        let untouched = [
            ("method", self.method == begun.method),
            ("urlTemplate", self.url == begun.url),
            ("query", self.query == begun.query),
            ("headers", self.headers == begun.headers),
            ("body", self.body == begun.body),
            ("auth", auth(self) == auth(&begun)),
            ("timeoutMS", self.seconds == begun.seconds),
        ];
        for (key, _) in untouched.into_iter().filter(|(_, is_untouched)| *is_untouched) {
            match declared.get(key) {
                Some(value) => drop(request.insert(key.to_owned(), value.clone())),
                None => drop(request.remove(key)),
            }
        }
        request
    }

    /// What is made of its answer, where that is not the usual.
    pub(super) fn response(&self) -> Result<Option<Value>, RecipeFault> {
        if let (Some((_, declared)), Some(begun)) = (&self.declared, self.begun())
            && (&self.success, &self.otherwise, &self.output) == (&begun.success, &begun.otherwise, &begun.output)
        {
            return Ok(declared.clone());
        }
        let mut response = Map::new();
        let split = |char: char| char == ',' || char.is_whitespace();
        let codes = self.success.split(split).filter(|code| !code.is_empty());
        let codes: BTreeSet<u16> =
            codes.map(str::parse).collect::<Result<_, _>>().map_err(|_| RecipeFault::Number("a status"))?;
        if !codes.is_empty() {
            response.insert("successCodes".into(), json!(codes));
        }
        if self.otherwise == "empty" {
            response.insert("errorMode".into(), json!(self.otherwise));
        }
        if !matches!(self.output.as_str(), "" | "auto") {
            response.insert("bodyOutputMode".into(), json!(self.output));
        }
        Ok((!response.is_empty()).then_some(Value::Object(response)))
    }
}

/// A value as it is typed.
pub(super) fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}
