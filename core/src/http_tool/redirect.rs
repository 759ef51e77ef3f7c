//! An answer that leads elsewhere: where to, and what of the request goes there (R092).

use super::fault::ExpandFault;
use super::request::PlainRequest;
use super::url;
use crate::network::Address;

/// Why a redirect is not followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum RedirectFault {
    /// It does not say where.
    #[error("{0} redirects and does not say where")]
    Nowhere(String),
    /// Where it leads cannot be, or may not be.
    #[error("{host} redirects to an address that is not followed: {fault}")]
    Refused {
        /// Who sends.
        host: String,
        /// Why not.
        fault: ExpandFault,
    },
    /// It leads out of TLS.
    #[error("{0} redirects from https to http, which is not followed")]
    Downgrade(String),
    /// It would take a secret to a host that it is not for.
    #[error(
        "{0} redirects to another host, and the request has a secret in its body or address that is not meant for that host"
    )]
    Secret(String),
    /// There is no end to it.
    #[error("{host} redirects more than {most} times")]
    TooMany {
        /// Who sends.
        host: String,
        /// How often it is followed.
        most: u32,
    },
}

/// Whether a status leads elsewhere.
pub(super) fn leads_on(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// The request that follows.
pub(super) fn follow(
    request: &PlainRequest,
    status: u16,
    headers: &[(String, String)],
    allowed: &[String],
) -> Result<PlainRequest, RedirectFault> {
    let from = Address::parse(&request.url).expect("the address of a request was read before");
    let host = from.granted_as();
    let location = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"));
    let location = location.map(|(_, value)| value.trim()).filter(|value| !value.is_empty());
    let location = location.ok_or_else(|| RedirectFault::Nowhere(host.clone()))?;
    let target = joined(&request.url, &from, location);
    let to = url::check(&target, allowed).map_err(|fault| RedirectFault::Refused { host: host.clone(), fault })?;
    if from.is_https() && !to.is_https() {
        return Err(RedirectFault::Downgrade(host));
    }
    let mut next = PlainRequest { url: target, ..request.clone() };
    // What everybody does: after these a request that changed something becomes one that asks.
    let asks_now = status == 303 || (matches!(status, 301 | 302) && request.method == "POST");
    if asks_now && request.method != "HEAD" {
        next.method = "GET".into();
        next.body = Vec::new();
        next.headers.retain(|(name, _)| !name.to_ascii_lowercase().starts_with("content-"));
    }
    if from.to_string() != to.to_string() {
        if next.is_secret && !next.body.is_empty() {
            return Err(RedirectFault::Secret(host));
        }
        next.headers.retain(|(name, _)| !request.secret_headers.contains(&name.to_ascii_lowercase()));
        next.secret_headers.clear();
        next.is_secret = false;
    }
    Ok(next)
}

/// An address that is perhaps only a part of one, seen from another.
fn joined(base: &str, from: &Address, location: &str) -> String {
    let location = location.split('#').next().unwrap_or_default();
    let has_scheme = location.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    if has_scheme {
        return location.to_owned();
    }
    if let Some(rest) = location.strip_prefix("//") {
        let scheme = if from.is_https() { "https" } else { "http" };
        return format!("{scheme}://{rest}");
    }
    if location.starts_with('/') {
        return format!("{from}{location}");
    }
    let rest = base.split_once("://").map_or("", |(_, rest)| rest);
    let path = rest.find(['/', '?']).map_or("/", |at| &rest[at..]);
    let path = path.split('?').next().unwrap_or("/");
    if location.starts_with('?') {
        return format!("{from}{path}{location}");
    }
    let folder = path.rfind('/').map_or("/", |at| &path[..=at]);
    let mut parts: Vec<&str> = folder.trim_end_matches('/').split('/').skip(1).collect();
    let (below, query) = location.find('?').map_or((location, ""), |at| location.split_at(at));
    for part in below.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    format!("{from}/{}{query}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_addresses_are_joined() {
        let check = |base: &str, location: &str, expected: &str| {
            let from = Address::parse(base).expect("is an address");
            assert_eq!(joined(base, &from, location), expected, "{location}");
        };
        check("https://a.test/x/y?q=1", "https://b.test/", "https://b.test/");
        check("https://a.test/x/y?q=1", "//b.test/z", "https://b.test/z");
        check("https://a.test:8443/x/y", "/z?w", "https://a.test:8443/z?w");
        check("https://a.test/x/y", "z#part", "https://a.test/x/z");
        check("https://a.test/x/y", "../z", "https://a.test/z");
        check("https://a.test/x/y", "../../../z", "https://a.test/z");
        check("https://a.test/x/y?q", "?w=2", "https://a.test/x/y?w=2");
        check("https://a.test", "z", "https://a.test/z");
        check("https://a.test/x", "file:///etc/passwd", "file:///etc/passwd");
    }
}
