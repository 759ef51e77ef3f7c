//! Takes secrets out of a manifest, at both borders: what is left in their place is `${NAME}`, and the toolset asks for it.
//!
//! On the way out (R065) a variable of a server's environment always goes, unless it is a placeholder already; of headers,
//! addresses, arguments and credentials goes what is a secret by its place, its name or its look. Rather too much than too little: a
//! placeholder asks again, a secret that left is gone. On the way in (I8) only what tells goes, because rows hold no secrets; a
//! plain setting of the author's stays, or the toolset would not work.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::manifest::{Piece, pieces};
use crate::protocol::SecretValue;

/// Which border a manifest crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Border {
    /// Into the rows of this device.
    In,
    /// Out of it, as a file.
    Out,
}

/// A secret that was written out in a manifest, and is not there any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Where it was.
    pub(crate) place: String,
    /// The variable that stands there now.
    pub(crate) name: String,
    /// What stood there.
    pub(crate) value: SecretValue,
}

/// Takes the secrets out of a whole manifest.
pub(super) fn strip(manifest: &mut Value, border: Border) -> Vec<Taken> {
    let mut taken = Vec::new();
    for (list, strip) in [("mcp_servers", strip_server as fn(&mut Map<_, _>, &mut Strip<'_>)), ("tools", strip_tool)] {
        for item in manifest.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            let Some(item) = item.as_object_mut() else { continue };
            let owner = item.get("id").and_then(Value::as_str).unwrap_or("server").to_owned();
            let (place, others) = (format!("{list}.{owner}"), &BTreeSet::new());
            strip(item, &mut Strip { border, place, owner, others, taken: &mut taken });
        }
    }
    taken
}

/// Takes the secrets out of the configuration of one server, for whoever keeps their values: `others` are the names that stand for
/// something else already.
pub(crate) fn take_from_server(config: &mut Map<String, Value>, owner: &str, others: &BTreeSet<String>) -> Vec<Taken> {
    let mut taken = Vec::new();
    let (owner, place) = (owner.to_owned(), owner.to_owned());
    strip_server(config, &mut Strip { border: Border::In, place, owner, others, taken: &mut taken });
    taken
}

/// Takes out of the configuration of one server what its owner keeps to himself when he lends it: every variable and every header that says
/// who asks, and of its arguments and its address what is a secret. Each name begins with the owner's.
pub(crate) fn conceal_server(config: &mut Map<String, Value>, owner: &str) -> Vec<Taken> {
    // A variable that kept its own name would be taken for one that the borrower has to set.
    let variables = config.get("env").and_then(Value::as_object).into_iter().flatten();
    let others = variables.map(|(name, _)| name.clone()).collect();
    let mut taken = Vec::new();
    let (owner, place) = (owner.to_owned(), owner.to_owned());
    strip_server(config, &mut Strip { border: Border::Out, place, owner, others: &others, taken: &mut taken });
    taken
}

/// Whether something of this name is usually secret.
pub(crate) fn name_looks_secret(name: &str) -> bool {
    const WORDS: [&str; 12] = [
        "key",
        "token",
        "secret",
        "password",
        "passwd",
        "passphrase",
        "pwd",
        "credential",
        "auth",
        "bearer",
        "cookie",
        "signature",
    ];
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word)) || name == "sig" || name == "pat"
}

/// Whether a text is made as keys are: by a known beginning, or long and mixed without being words.
fn looks_secret(text: &str) -> bool {
    const BEGINNINGS: [&str; 12] =
        ["sk-", "sk_", "rk_", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xox", "AKIA", "AIza", "eyJ"];
    // A path may be as long and as mixed as a key, and it has to be read by whoever approves it.
    let is_rooted = text.starts_with('/') && text.matches('/').count() > 1 && !text.contains(['+', '=']);
    if is_rooted || ["~/", "./", "../"].iter().any(|beginning| text.starts_with(beginning)) {
        return false;
    }
    let known = text.len() >= 16 && BEGINNINGS.iter().any(|beginning| text.starts_with(beginning));
    let of_keys = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-+/=".contains(&byte));
    let count = |kind: fn(&u8) -> bool| text.bytes().filter(kind).count();
    known || (text.len() >= 24 && of_keys && count(u8::is_ascii_digit) >= 4 && count(u8::is_ascii_alphabetic) >= 4)
}

/// Whether a text holds no value of its own: placeholders alone, perhaps after the name of a scheme.
fn is_placeholder(text: &str) -> bool {
    const SCHEMES: [&str; 5] = ["", "bearer", "basic", "token", "apikey"];
    pieces(text).into_iter().all(|piece| match piece {
        Piece::Placeholder(_) => true,
        Piece::Text(text) => SCHEMES.contains(&text.trim_matches([' ', ':']).to_ascii_lowercase().as_str()),
    })
}

/// Whether a named value tells a secret: by its name, unless it is a plain setting, by its look, or as an address with a
/// password.
fn tells(name: &str, text: &str) -> bool {
    let named = name_looks_secret(name) && !is_plain(text);
    let words = text.split([' ', ',', ';']);
    named || words.into_iter().any(|word| looks_secret(word) || has_credentials(word))
}

/// Whether a text is a switch or a small number, such as the value of `MAX_TOKENS` or `AUTH_ENABLED`.
fn is_plain(text: &str) -> bool {
    const SWITCHES: [&str; 9] = ["", "true", "false", "yes", "no", "on", "off", "none", "null"];
    let small_number = text.len() <= 5 && text.parse::<f64>().is_ok();
    small_number || SWITCHES.contains(&text.to_ascii_lowercase().as_str())
}

/// Whether a text is an address with a user and a password in it that are no placeholders.
fn has_credentials(text: &str) -> bool {
    let authority = text.split_once("://").and_then(|(_, rest)| rest.split(['/', '?', '#']).next());
    authority.and_then(|authority| authority.rsplit_once('@')).is_some_and(|(user, _)| !is_placeholder(user))
}

/// The owner of what is looked at, and where it was found.
struct Strip<'a> {
    border: Border,
    owner: String,
    place: String,
    /// Names that stand for something else already.
    others: &'a BTreeSet<String>,
    taken: &'a mut Vec<Taken>,
}

impl Strip<'_> {
    /// The placeholder that stands for a value of this name, of which another owner may have one too.
    fn owned(&mut self, name: &str, at: &str, value: &str) -> String {
        let name = variable(&format!("{}_{name}", self.owner));
        self.put_away(name, at, value)
    }

    /// The placeholder that stands for a variable, which keeps its own name where that is free: the server asks for it by that name.
    fn named(&mut self, name: &str, at: &str, value: &str) -> String {
        if self.others.contains(name) { self.owned(name, at, value) } else { self.put_away(name.to_owned(), at, value) }
    }

    fn put_away(&mut self, name: String, at: &str, value: &str) -> String {
        let placeholder = format!("${{{name}}}");
        let value = SecretValue::new(value);
        self.taken.push(Taken { place: format!("{}.{at}", self.place), name, value });
        placeholder
    }
}

/// The name of a variable made of any text: upper case, with `_` for what cannot be in one.
pub(crate) fn variable(text: &str) -> String {
    let of_variable = |char: char| if char.is_ascii_alphanumeric() { char.to_ascii_uppercase() } else { '_' };
    let name: String = text.trim_start_matches('-').chars().map(of_variable).collect();
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("_{name}") } else { name }
}

fn strip_server(server: &mut Map<String, Value>, strip: &mut Strip<'_>) {
    for (key, value) in server.iter_mut() {
        match (key.as_str(), value) {
            ("id" | "command" | "transport" | "type" | "cwd", _) => {}
            ("env" | "environment", Value::Object(env)) => {
                for (name, value) in env {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let goes = strip.border == Border::Out || tells(name, &text);
                    if goes && !is_placeholder(&text) {
                        *value = strip.named(name, &format!("env.{name}"), &text).into();
                    }
                }
            }
            ("headers", Value::Object(headers)) => strip_headers(headers, strip),
            ("url", Value::String(url)) => strip_url(url, strip),
            ("args", Value::Array(args)) => strip_args(args, strip),
            (name, value) => strip_unknown(name, value, strip),
        }
    }
}

fn strip_tool(tool: &mut Map<String, Value>, strip: &mut Strip<'_>) {
    let Some(http) = tool.get_mut("http").and_then(Value::as_object_mut) else { return };
    if let Some(request) = http.get_mut("request").and_then(Value::as_object_mut) {
        strip_request(request, strip);
    }
    for step in http.get_mut("steps").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(request) = step.get_mut("request").and_then(Value::as_object_mut) {
            strip_request(request, strip);
        }
    }
}

fn strip_request(request: &mut Map<String, Value>, strip: &mut Strip<'_>) {
    for (key, value) in request.iter_mut() {
        match (key.as_str(), value) {
            ("headers", Value::Object(headers)) => strip_headers(headers, strip),
            ("urlTemplate", Value::String(url)) => strip_url(url, strip),
            ("query", Value::Object(query)) => {
                for (name, value) in query {
                    strip_named(name, value, strip, "query");
                }
            }
            ("auth", Value::Object(auth)) => {
                if let Some(Value::String(template)) = auth.get_mut("valueTemplate")
                    && !is_placeholder(template)
                {
                    *template = strip.owned("AUTH", "auth.valueTemplate", template);
                }
            }
            (name, value) => strip_unknown(name, value, strip),
        }
    }
}

/// Headers go but for those that say how, and not who.
fn strip_headers(headers: &mut Map<String, Value>, strip: &mut Strip<'_>) {
    const HARMLESS: [&str; 6] =
        ["accept", "accept-language", "accept-encoding", "content-type", "user-agent", "cache-control"];
    for (name, value) in headers {
        let lower = name.to_ascii_lowercase();
        let Value::String(text) = value else { continue };
        if is_placeholder(text) || HARMLESS.contains(&lower.as_str()) || lower.ends_with("-version") {
            continue;
        }
        if strip.border == Border::In && !tells(name, text) {
            continue;
        }
        // The scheme is kept, so that the placeholder stands for the credential alone.
        let scheme = text.split_once(' ').map(|(scheme, _)| scheme).filter(|scheme| is_placeholder(scheme));
        let prefix = scheme.map(|scheme| format!("{scheme} ")).unwrap_or_default();
        let credential = &text[prefix.len()..];
        *text = format!("{prefix}{}", strip.owned(name, &format!("headers.{name}"), credential));
    }
}

/// Takes credentials, telling parameters and telling parts of the path out of an address.
fn strip_url(url: &mut String, strip: &mut Strip<'_>) {
    let Some((scheme, rest)) = url.split_once("://") else { return };
    let (rest, fragment) = rest.split_once('#').map_or((rest, None), |(rest, fragment)| (rest, Some(fragment)));
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    let (authority, path) = rest.split_once('/').map_or((rest, None), |(authority, path)| (authority, Some(path)));
    let mut clean = format!("{scheme}://");
    match authority.rsplit_once('@') {
        Some((user, host)) if is_placeholder(user) => clean.push_str(&format!("{user}@{host}")),
        Some((user, host)) => clean.push_str(&format!("{}@{host}", strip.owned("CREDENTIALS", "url", user))),
        None => clean.push_str(authority),
    }
    for (at, part) in path.into_iter().flat_map(|path| path.split('/').enumerate()) {
        clean.push('/');
        let part = if looks_secret(part) { strip.owned(&format!("PATH_{at}"), "url", part) } else { part.to_owned() };
        clean.push_str(&part);
    }
    for (mark, pairs) in [('?', query), ('#', fragment)] {
        let Some(pairs) = pairs else { continue };
        clean.push(mark);
        let pairs: Vec<String> = pairs
            .split('&')
            .map(|pair| match pair.split_once('=') {
                Some((name, value)) if !is_placeholder(value) && (name_looks_secret(name) || looks_secret(value)) => {
                    format!("{name}={}", strip.owned(name, "url", value))
                }
                None if looks_secret(pair) => strip.owned("QUERY", "url", pair),
                Some(_) | None => pair.to_owned(),
            })
            .collect();
        clean.push_str(&pairs.join("&"));
    }
    *url = clean;
}

/// `--api-key value`, `--api-key=value`, `API_KEY=value`, `Authorization: value`, addresses, and what looks like a key by itself.
fn strip_args(args: &mut [Value], strip: &mut Strip<'_>) {
    let mut flag: Option<String> = None;
    for (at, arg) in args.iter_mut().enumerate() {
        let Value::String(text) = arg else { continue };
        let named = flag.take();
        if text.starts_with('-') && !text.contains('=') {
            flag = Some(text.clone()).filter(|flag| name_looks_secret(flag));
        } else if is_placeholder(text) {
        } else if let Some(name) = named {
            *text = strip.owned(&variable(&name), "args", text);
        } else if let Some((name, prefix, credential)) = written_header(text) {
            *text = format!("{prefix}{}", strip.owned(&variable(name), "args", credential));
        } else if text.contains("://") {
            strip_url(text, strip);
        } else if let Some((name, value)) = text.split_once('=') {
            if !is_placeholder(value) && (name_looks_secret(name) || looks_secret(value)) {
                *text = format!("{name}={}", strip.owned(&variable(name), "args", value));
            }
        } else if looks_secret(text) {
            *text = strip.owned(&format!("ARGUMENT_{at}"), "args", text);
        }
    }
}

/// A header that tells, written out in one argument as bridges to servers on the web take it: its name, what comes before its credential, and
/// that.
fn written_header(text: &str) -> Option<(&str, &str, &str)> {
    let (name, value) = text.split_once(':')?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let value = value.trim_start();
    if !is_name || value.starts_with("//") || is_placeholder(value) || !tells(name, value) {
        return None;
    }
    let scheme = value.split_once(' ').map(|(scheme, _)| scheme).filter(|scheme| is_placeholder(scheme));
    let credential = scheme.map_or(value, |scheme| value[scheme.len()..].trim_start());
    Some((name, &text[..text.len() - credential.len()], credential))
}

/// One named value, which goes if its name or its look tells.
fn strip_named(name: &str, value: &mut Value, strip: &mut Strip<'_>, at: &str) {
    if let Value::String(text) = value
        && !is_placeholder(text)
        && (name_looks_secret(name) || looks_secret(text))
    {
        *text = strip.owned(name, &format!("{at}.{name}"), text);
    }
}

/// What other programs add is looked through as well.
fn strip_unknown(name: &str, value: &mut Value, strip: &mut Strip<'_>) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(_) => strip_named(name, value, strip, "other"),
        Value::Array(items) => items.iter_mut().for_each(|item| strip_unknown(name, item, strip)),
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                strip_unknown(name, value, strip);
            }
        }
    }
}
