//! What a tool of type http says: which calls it makes, where they may go, and what is made of the answers (R089, R098).

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::fault::{HttpFault, HttpFaultKind};
use super::limits::HttpLimits;
use super::request::{RequestTemplate, WrittenRequest};
use super::template::Names;
use crate::network::{Address, secret_grant};

/// A definition that was found right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpTool {
    /// The calls, in their order; at least one.
    pub steps: Vec<Step>,
    /// The hosts that they may go to, in small letters, each with its port where it is not the usual one.
    pub allowed_hosts: Vec<String>,
    /// How often a call is tried again.
    pub max_retries: u32,
    /// Bytes of one answer.
    pub max_response_bytes: u64,
    /// How often the tool may be called in a minute.
    pub max_calls_per_minute: Option<u32>,
}

/// One call of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What later calls know it by.
    pub name: String,
    /// What is asked.
    pub request: RequestTemplate,
    /// What is made of the answer.
    pub response: ResponseRule,
}

/// What is made of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseRule {
    /// The statuses that are a success; all of 2xx where none is named.
    pub success_codes: BTreeSet<u16>,
    /// What another status means.
    pub error_mode: ErrorMode,
    /// What becomes of the body.
    pub body_output: BodyOutput,
}

/// What an answer that is no success means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorMode {
    /// The call fails.
    #[default]
    Fail,
    /// The call gives nothing, which is no failure.
    Empty,
}

/// What becomes of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyOutput {
    /// What it is by its type: JSON, text, a picture or a file.
    #[default]
    Auto,
    /// A text.
    Text,
    /// A file of the chat.
    File,
    /// A picture, which is shown and kept as a file.
    Image,
}

impl ResponseRule {
    /// Whether a status is a success.
    #[must_use]
    pub fn is_success(&self, status: u16) -> bool {
        if self.success_codes.is_empty() { (200..300).contains(&status) } else { self.success_codes.contains(&status) }
    }
}

/// As it is written.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenTool {
    #[serde(default)]
    request: Option<Value>,
    #[serde(default)]
    response: Option<Value>,
    #[serde(default)]
    steps: Option<Vec<Value>>,
    #[serde(default)]
    allowed_hosts: Option<Vec<String>>,
    #[serde(default)]
    max_retries: Option<u32>,
    #[serde(default)]
    max_response_bytes: Option<u64>,
    #[serde(default)]
    max_calls_per_minute: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    name: String,
    request: Value,
    #[serde(default)]
    response: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenResponse {
    #[serde(default)]
    success_codes: Option<BTreeSet<u16>>,
    #[serde(default)]
    error_mode: Option<ErrorMode>,
    #[serde(default)]
    body_output_mode: Option<BodyOutput>,
}

/// The names of the arguments that a schema declares: what else a placeholder names is a secret.
#[must_use]
pub fn argument_names(schema: Option<&Value>) -> BTreeSet<&str> {
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str)).collect()
}

impl HttpTool {
    /// Reads a definition. `arguments` are the names that the tool's schema declares ([`argument_names`]).
    pub fn read(definition: &Value, arguments: &BTreeSet<&str>, limits: &HttpLimits) -> Result<Self, HttpFault> {
        let written: WrittenTool = of_form(definition, "http")?;
        let WrittenTool { request, response, steps, .. } = written;
        let allowed_hosts = written.allowed_hosts.ok_or_else(|| HttpFaultKind::Missing("allowedHosts").at("http"))?;
        let allowed_hosts = read_hosts(allowed_hosts, limits)?;
        let mut names = Names { arguments: arguments.clone(), steps: Vec::new() };
        let mut read_steps: Vec<Step> = Vec::new();
        let mut add = |name: String, request: &Value, response: Option<&Value>, path: &str| {
            let at = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
            let written: WrittenRequest = of_form(request, &at("request"))?;
            let request = RequestTemplate::read(written, &names, &allowed_hosts, &at("request"), limits)?;
            let response = read_response(response, &at("response"))?;
            let plain = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
            if name.is_empty() || !name.chars().all(plain) {
                let form = "a call is named by letters, digits, \"_\" and \"-\"";
                return Err(HttpFaultKind::Form(form.into()).at(at("name")));
            }
            if names.steps.contains(&name) {
                return Err(HttpFaultKind::Twice(name).at(at("name")));
            }
            names.steps.push(name.clone());
            read_steps.push(Step { name, request, response });
            Ok(())
        };
        if let Some(request) = &request {
            add("request".into(), request, response.as_ref(), "")?;
        }
        for (at, step) in steps.iter().flatten().enumerate() {
            let path = format!("steps[{at}]");
            let WrittenStep { name, request, response } = of_form(step, &path)?;
            add(name, &request, response.as_ref(), &path)?;
        }
        if read_steps.is_empty() {
            return Err(HttpFaultKind::NoRequest.at("http"));
        }
        if read_steps.len() > limits.steps {
            return Err(HttpFaultKind::TooMany { count: read_steps.len(), most: limits.steps }.at("steps"));
        }
        let within = |value: u64, least: u64, most: u64, path: &str| {
            let fault = || HttpFaultKind::Bounds { least, most }.at(path);
            (least..=most).contains(&value).then_some(value).ok_or_else(fault)
        };
        let max_retries = written.max_retries.unwrap_or(2);
        within(max_retries.into(), 0, limits.retries.into(), "maxRetries")?;
        let max_response_bytes = written.max_response_bytes.unwrap_or(limits.usual_response);
        within(max_response_bytes, 1, limits.most_response, "maxResponseBytes")?;
        if let Some(calls) = written.max_calls_per_minute {
            within(calls.into(), 1, limits.calls_per_minute.into(), "maxCallsPerMinute")?;
        }
        Ok(Self {
            steps: read_steps,
            allowed_hosts,
            max_retries,
            max_response_bytes,
            max_calls_per_minute: written.max_calls_per_minute,
        })
    }

    /// The secrets that it names, each once.
    #[must_use]
    pub fn secrets(&self) -> BTreeSet<&str> {
        self.steps.iter().flat_map(|step| step.request.secrets()).collect()
    }

    /// What a user has to grant before a tool of somebody else's runs: each of its hosts and, where it sends secrets, each of them to each
    /// host. A host that was granted to another tool of the toolset, which sent none, is not granted the secrets of this one.
    #[must_use]
    pub fn wants(&self) -> Vec<WantedGrant<'_>> {
        let secrets = self.secrets();
        let hosts = self.allowed_hosts.iter().map(String::as_str);
        hosts.map(|host| WantedGrant { host, secrets: secrets.iter().copied().collect() }).collect()
    }

    /// Whether all of it only asks, so that asking twice changes nothing.
    #[must_use]
    pub fn only_asks(&self) -> bool {
        self.steps.iter().all(|step| step.request.only_asks())
    }

    /// The last call, whose answer is the tool's.
    #[must_use]
    pub fn last(&self) -> &Step {
        self.steps.last().expect("a definition has at least one call")
    }
}

fn of_form<T: serde::de::DeserializeOwned>(value: &Value, path: &str) -> Result<T, HttpFault> {
    if !value.is_object() {
        return Err(HttpFaultKind::Form("expected a map".into()).at(path));
    }
    T::deserialize(value).map_err(|error| HttpFaultKind::Form(error.to_string()).at(path))
}

fn read_response(response: Option<&Value>, path: &str) -> Result<ResponseRule, HttpFault> {
    let written: WrittenResponse = response
        .filter(|value| !value.is_null())
        .map_or_else(|| Ok(WrittenResponse::default()), |value| of_form(value, path))?;
    let success_codes = written.success_codes.unwrap_or_default();
    if success_codes.iter().any(|code| !(100..600).contains(code)) {
        return Err(HttpFaultKind::Bounds { least: 100, most: 599 }.at(format!("{path}.successCodes")));
    }
    Ok(ResponseRule {
        success_codes,
        error_mode: written.error_mode.unwrap_or_default(),
        body_output: written.body_output_mode.unwrap_or_default(),
    })
}

/// The list of hosts, each in the one spelling that addresses are compared by.
fn read_hosts(written: Vec<String>, limits: &HttpLimits) -> Result<Vec<String>, HttpFault> {
    if written.is_empty() {
        return Err(HttpFaultKind::Form("name at least one host".into()).at("allowedHosts"));
    }
    if written.len() > limits.hosts {
        let kind = HttpFaultKind::TooMany { count: written.len(), most: limits.hosts };
        return Err(kind.at("allowedHosts"));
    }
    let host = |(at, text): (usize, String)| {
        let fault = || HttpFaultKind::Host(text.chars().take(80).collect()).at(format!("allowedHosts[{at}]"));
        let plain = !text.contains(['/', '?', '#', '\\', '@']);
        let address = Address::parse(&format!("http://{text}")).ok().filter(|_| plain).ok_or_else(fault)?;
        // A port that is written counts for both ways of asking.
        let has_port = text.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        Ok(if has_port { format!("{}:{}", address.host(), address.port()) } else { address.host() })
    };
    written.into_iter().enumerate().map(host).collect()
}

/// A host that a tool wants to reach, and what of the user's it would send there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedGrant<'a> {
    /// The host.
    pub host: &'a str,
    /// The names of the secrets.
    pub secrets: Vec<&'a str>,
}

impl WantedGrant<'_> {
    /// The grants that it takes, by the names they are kept under.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let with = self.secrets.iter().map(|secret| secret_grant(self.host, secret));
        std::iter::once(self.host.to_owned()).chain(with).collect()
    }
}
