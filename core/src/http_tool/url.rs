//! The address of a request: a template whose parts each take values in their own way.
//!
//! In the name of the host a value may be a part of a name and nothing else; in the path and the query it is percent-encoded, so that it
//! can neither end the part it stands in nor begin another one.

use super::fault::{ExpandFault, HttpFault, HttpFaultKind};
use super::limits::HttpLimits;
use super::template::{Named, Names, Piece, Template, Values, as_text, percent};
use crate::network::{Address, AddressFault};

/// A template of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UrlTemplate {
    template: Template,
}

/// Which part of an address is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Host,
    Path,
    Query,
    Fragment,
}

impl Part {
    /// The part that a character of the author's text leads to.
    fn after(self, char: char) -> Self {
        match (self, char) {
            (Self::Host | Self::Path | Self::Query, '#') => Self::Fragment,
            (Self::Host | Self::Path, '?') => Self::Query,
            (Self::Host, '/') => Self::Path,
            _ => self,
        }
    }
}

impl UrlTemplate {
    /// Reads a template and checks it as far as it can be without values (R090, R092).
    pub(super) fn read(text: &str, names: &Names<'_>, allowed: &[String], path: &str) -> Result<Self, HttpFault> {
        let lower = text.to_ascii_lowercase();
        let start = ["https://", "http://"].into_iter().find(|start| lower.starts_with(start));
        let start = start.ok_or_else(|| HttpFaultKind::Scheme.at(path))?;
        let authority = &text[start.len()..];
        let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
        if text.contains(|char: char| char.is_control() || char == '\\') {
            let shown = text.chars().filter(|char| !char.is_control()).take(80).collect();
            return Err(HttpFaultKind::Address(AddressFault::Spelling(shown)).at(path));
        }
        if authority.contains('@') {
            return Err(HttpFaultKind::Credentials.at(path));
        }
        let template = Template::read(text, names, path)?;
        let of_host = Template::read(authority, names, path)?;
        let mut only_text = true;
        for piece in &of_host.pieces {
            match piece {
                Piece::Text(_) => {}
                Piece::Named(Named::Argument(_)) => only_text = false,
                Piece::Named(Named::Secret(name)) => return Err(HttpFaultKind::SecretInHost(name.clone()).at(path)),
                Piece::Named(Named::Answer { step, .. }) => {
                    return Err(HttpFaultKind::SecretInHost(format!("steps.{step}")).at(path));
                }
            }
        }
        if only_text {
            let address = Address::parse(&format!("{start}{authority}"));
            let address = address.map_err(|fault| HttpFaultKind::Address(fault).at(path))?;
            if !is_allowed(&address, allowed) {
                return Err(HttpFaultKind::HostNotAllowed(address.granted_as()).at(path));
            }
        }
        Ok(Self { template })
    }

    /// The secrets that it names.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.template.secrets()
    }

    /// The address with everything filled in and `query` added, checked as a whole. What follows a `#` is for no host.
    pub(super) fn fill(
        &self,
        values: Values<'_>,
        query: &[(String, String)],
        allowed: &[String],
        limits: &HttpLimits,
    ) -> Result<String, ExpandFault> {
        let mut url = String::new();
        let mut part = Part::Host;
        let mut slashes = 0;
        for piece in &self.template.pieces {
            match piece {
                Piece::Text(text) => {
                    for char in text.chars() {
                        // The two slashes of the scheme end nothing.
                        if char == '/' && slashes < 2 {
                            slashes += 1;
                        } else {
                            part = part.after(char);
                        }
                        match part {
                            Part::Fragment => {}
                            _ if char.is_ascii_graphic() => url.push(char),
                            Part::Host => url.push(char),
                            Part::Path | Part::Query => url.push_str(&percent(char.encode_utf8(&mut [0; 4]))),
                        }
                    }
                }
                Piece::Named(named) => {
                    let value = values.of(named)?.ok_or_else(|| values.missing(named, "the address"))?;
                    let text = as_text(&value);
                    match part {
                        Part::Host => url.push_str(of_host(named, &text)?),
                        Part::Path | Part::Query => url.push_str(&percent(&text)),
                        Part::Fragment => {}
                    }
                }
            }
        }
        for (at, (name, value)) in query.iter().enumerate() {
            let has_query = url.contains('?');
            let mark = if at == 0 && !has_query { '?' } else { '&' };
            url.push(mark);
            url.push_str(&format!("{}={}", percent(name), percent(value)));
        }
        if url.len() > limits.url_bytes {
            return Err(ExpandFault::TooLong { what: "the address", bytes: url.len(), most: limits.url_bytes });
        }
        check(&url, allowed)?;
        Ok(url)
    }
}

/// Checks a whole address: where it leads, and that its path stays what it is.
pub(super) fn check(url: &str, allowed: &[String]) -> Result<Address, ExpandFault> {
    let address = Address::parse(url)?;
    if !is_allowed(&address, allowed) {
        return Err(ExpandFault::HostNotAllowed(address.granted_as()));
    }
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let path = rest.find(['/', '?', '#']).map_or("", |at| &rest[at..]);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let is_dots = |part: &str| matches!(part.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..");
    if path.split('/').any(is_dots) {
        return Err(ExpandFault::DotSegment);
    }
    Ok(address)
}

/// Whether an address is on the list.
pub(super) fn is_allowed(address: &Address, allowed: &[String]) -> bool {
    allowed.iter().any(|entry| address.is_declared_by(entry))
}

fn of_host<'t>(named: &Named, text: &'t str) -> Result<&'t str, ExpandFault> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let name = match named {
        Named::Argument(name) | Named::Secret(name) => name,
        Named::Answer { step, .. } => step,
    };
    let fits = !text.is_empty() && text.len() <= 63 && text.bytes().all(plain);
    if fits { Ok(text) } else { Err(ExpandFault::InHost(name.clone())) }
}
