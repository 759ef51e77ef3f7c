//! One request of a tool: its template, and what it becomes with values in it.

use std::fmt;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::auth::{Auth, Shown, WrittenAuth};
use super::body::BodyTemplate;
use super::fault::{ExpandFault, HttpFault, HttpFaultKind};
use super::limits::HttpLimits;
use super::template::{Names, Template, Values, as_text};
use super::url::UrlTemplate;
use crate::network::{kept_headers, kept_method};

/// A request with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestTemplate {
    method: String,
    url: UrlTemplate,
    query: Vec<(String, Template)>,
    headers: Vec<(String, Template)>,
    body: Option<BodyTemplate>,
    auth: Option<Auth>,
    time_limit: Duration,
}

/// As it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WrittenRequest {
    #[serde(default)]
    method: Option<String>,
    url_template: String,
    #[serde(default)]
    query: Option<Map<String, Value>>,
    #[serde(default)]
    headers: Option<Map<String, Value>>,
    #[serde(default)]
    body: Option<Value>,
    #[serde(default)]
    auth: Option<WrittenAuth>,
    #[serde(default, rename = "timeoutMS")]
    timeout_ms: Option<u64>,
}

/// A request that can be sent. It does not show itself in logs: it may hold secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct PlainRequest {
    /// The method, in upper case.
    pub method: String,
    /// The whole address, checked.
    pub url: String,
    /// The headers, each character of a value a byte of it.
    pub headers: Vec<(String, String)>,
    /// The body; empty for none.
    pub body: Vec<u8>,
    /// How long it may take.
    pub time_limit: Duration,
    /// The headers, in small letters, that hold secrets: they go to the host they are meant for and to no other.
    pub(super) secret_headers: Vec<String>,
    /// Whether address or body hold secrets.
    pub(super) is_secret: bool,
}

impl fmt::Debug for PlainRequest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PlainRequest").field("method", &self.method).finish_non_exhaustive()
    }
}

impl RequestTemplate {
    pub(super) fn read(
        written: WrittenRequest,
        names: &Names<'_>,
        allowed: &[String],
        path: &str,
        limits: &HttpLimits,
    ) -> Result<Self, HttpFault> {
        let WrittenRequest { method, url_template, query, headers, body, auth, timeout_ms } = written;
        let method = method.filter(|method| !method.is_empty()).unwrap_or_else(|| "GET".into());
        let shown = || method.chars().take(20).collect::<String>();
        let method = kept_method(&method).ok_or_else(|| HttpFaultKind::Method(shown()).at(format!("{path}.method")))?;
        let url = UrlTemplate::read(&url_template, names, allowed, &format!("{path}.urlTemplate"))?;
        let texts = |map: Option<Map<String, Value>>, key: &str| -> Result<Vec<(String, Template)>, HttpFault> {
            let of = |(name, value): (String, Value)| {
                let path = format!("{path}.{key}.{name}");
                let text = match &value {
                    Value::String(_) | Value::Number(_) | Value::Bool(_) => as_text(&value),
                    Value::Null | Value::Array(_) | Value::Object(_) => {
                        return Err(HttpFaultKind::Form("expected a text".into()).at(path));
                    }
                };
                Ok((name, Template::read(&text, names, &path)?))
            };
            map.into_iter().flatten().map(of).collect()
        };
        let is_type = |(name, _): &(&String, &Value)| name.eq_ignore_ascii_case("content-type");
        let content_type = headers.iter().flatten().find(is_type).map(|(_, value)| as_text(value));
        let (query, headers) = (texts(query, "query")?, texts(headers, "headers")?);
        let auth = auth.map(|auth| Auth::read(auth, names, &format!("{path}.auth"))).transpose()?;
        let set = headers.iter().map(|(name, _)| name.as_str()).chain(auth.iter().filter_map(Auth::header));
        for name in set {
            if kept_headers(vec![(name.to_owned(), String::new())]).is_empty() {
                return Err(HttpFaultKind::Header(name.to_owned()).at(format!("{path}.headers")));
            }
        }
        let body = body
            .filter(|body| !body.is_null())
            .map(|body| BodyTemplate::read(&body, content_type.as_deref(), names, &format!("{path}.body")));
        let most = u64::try_from(limits.longest_request.as_millis()).unwrap_or(u64::MAX);
        let time_limit = match timeout_ms {
            None => limits.usual_request,
            Some(millis) if (1..=most).contains(&millis) => Duration::from_millis(millis),
            Some(_) => return Err(HttpFaultKind::Bounds { least: 1, most }.at(format!("{path}.timeoutMS"))),
        };
        Ok(Self { method, url, query, headers, body: body.transpose()?, auth, time_limit })
    }

    /// Whether it only asks, so that asking twice changes nothing.
    pub(super) fn only_asks(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD")
    }

    /// The secrets that it names.
    pub(super) fn secrets(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.url.secrets().collect();
        names.extend(self.query.iter().chain(&self.headers).flat_map(|(_, template)| template.secrets()));
        names.extend(self.body.iter().flat_map(BodyTemplate::secrets));
        names.extend(self.auth.iter().flat_map(Auth::secrets));
        names
    }

    /// The request with everything filled in, checked again as a whole.
    pub(super) fn fill(
        &self,
        values: Values<'_>,
        allowed: &[String],
        limits: &HttpLimits,
    ) -> Result<PlainRequest, ExpandFault> {
        let mut query = Vec::new();
        for (name, template) in &self.query {
            // A list that stands alone is the same name several times.
            match template.alone().map(|named| values.of(named)).transpose()?.flatten().as_deref() {
                Some(Value::Array(items)) => query.extend(items.iter().map(|item| (name.clone(), as_text(item)))),
                Some(_) | None => {
                    let filled = template.fill(values, "the query", |text| Ok(text.to_owned()))?;
                    query.extend(filled.map(|text| (name.clone(), text)));
                }
            }
        }
        let (mut headers, mut secret_headers) = (Vec::new(), Vec::new());
        for (name, template) in &self.headers {
            let Some(text) = template.fill(values, "a header", |text| Ok(text.to_owned()))? else { continue };
            if template.secrets().next().is_some() {
                secret_headers.push(name.to_ascii_lowercase());
            }
            headers.push((name.clone(), text));
        }
        match self.auth.as_ref().map(|auth| auth.fill(values)).transpose()? {
            None => {}
            Some(Shown::Query(name, value)) => query.push((name, value)),
            Some(Shown::Header(name, value)) => {
                headers.retain(|(other, _)| !other.eq_ignore_ascii_case(&name));
                secret_headers.push(name.to_ascii_lowercase());
                headers.push((name, value));
            }
        }
        let body = self.body.as_ref().map(|body| body.fill(values)).transpose()?.unwrap_or_default();
        if let Some(template) = &self.body
            && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
        {
            headers.push(("Content-Type".into(), template.media_type().into()));
        }
        let no_header = |text: &str| text.chars().any(|char| char.is_control() || char > '\u{ff}');
        if let Some((name, _)) = headers.iter().find(|(_, value)| no_header(value)) {
            return Err(ExpandFault::InHeader(name.clone()));
        }
        let sizes = [
            ("the headers", headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>()),
            ("the body", body.len()),
        ];
        if let Some((what, bytes)) = sizes.into_iter().find(|(_, bytes)| *bytes > limits.request_bytes) {
            return Err(ExpandFault::TooLong { what, bytes, most: limits.request_bytes });
        }
        let of_query = || self.query.iter().flat_map(|(_, template)| template.secrets());
        let of_auth = || self.auth.iter().filter(|auth| auth.header().is_none()).flat_map(Auth::secrets);
        let of_body = || self.body.iter().flat_map(BodyTemplate::secrets);
        Ok(PlainRequest {
            method: self.method.clone(),
            url: self.url.fill(values, &query, allowed, limits)?,
            headers: kept_headers(headers),
            body,
            time_limit: self.time_limit,
            secret_headers,
            is_secret: self.url.secrets().chain(of_query()).chain(of_auth()).chain(of_body()).next().is_some(),
        })
    }
}
