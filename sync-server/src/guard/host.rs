//! Which `Host` a request may name.
//!
//! Another name is another origin to the browser: an empty app at best, and at worst a stranger's name pointed at this
//! machine (DNS rebinding). So there is one canonical host. On loopback its common aliases are sent there by a redirect;
//! everything else is refused.

use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::is_api;
use crate::config::Origin;
use crate::refusal::Refusal;

/// The names a server goes by.
#[derive(Clone, Debug)]
pub struct Names {
    canonical: Origin,
    aliases: Vec<Origin>,
}

/// Why a request does not go on under the name it used.
#[derive(Debug)]
pub(super) enum Detour {
    /// The same page is at the canonical address.
    Redirect(HeaderValue),
    /// Nothing goes by that name here.
    Refused(Refusal),
}

impl Names {
    /// A server with one public name.
    #[must_use]
    pub fn public(canonical: Origin) -> Self {
        Self { canonical, aliases: Vec::new() }
    }

    /// A server on loopback, whose other names lead to the canonical one.
    #[must_use]
    pub fn loopback(canonical: Origin) -> Self {
        let aliases = ["localhost", "127.0.0.1", "[::1]"].into_iter().map(|host| canonical.with_host(host)).collect();
        Self { canonical, aliases }
    }

    /// The one origin to go by.
    #[must_use]
    pub fn canonical(&self) -> &Origin {
        &self.canonical
    }
}

pub(super) fn check(names: &Names, request: &Request) -> Result<(), Detour> {
    let refused = || Err(Detour::Refused(Refusal::WrongHost { canonical: names.canonical.to_string() }));
    let Some(host) = single_host(request) else { return refused() };
    if names.canonical.goes_by(host) {
        return Ok(());
    }
    let uri = request.uri();
    let may_move = matches!(*request.method(), Method::GET | Method::HEAD) && !is_api(uri.path());
    if may_move && names.aliases.iter().any(|alias| alias.goes_by(host)) {
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        return match HeaderValue::try_from(format!("{}{path}", names.canonical)) {
            Ok(location) => Err(Detour::Redirect(location)),
            Err(_) => refused(),
        };
    }
    refused()
}

/// The one host a request names; nothing when it names none, two, or another in its first line.
fn single_host(request: &Request) -> Option<&str> {
    let mut headers = request.headers().get_all(header::HOST).iter();
    let host = headers.next()?.to_str().ok()?;
    let agrees = request.uri().authority().is_none_or(|authority| authority.as_str() == host);
    (headers.next().is_none() && agrees).then_some(host)
}

impl IntoResponse for Detour {
    fn into_response(self) -> Response {
        match self {
            Self::Redirect(location) => {
                let headers = [
                    (header::LOCATION, location),
                    // The canonical port may be another one tomorrow; a browser must not remember this for ever.
                    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
                ];
                (StatusCode::PERMANENT_REDIRECT, headers).into_response()
            }
            Self::Refused(refusal) => refusal.into_response(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn outcome(names: &Names, method: &str, uri: &str, hosts: &[&str]) -> String {
        let mut request = Request::builder().method(method).uri(uri);
        for host in hosts {
            request = request.header(header::HOST, *host);
        }
        match check(names, &request.body(Body::empty()).expect("a request")) {
            Ok(()) => "in".to_owned(),
            Err(Detour::Redirect(location)) => location.to_str().expect("text").to_owned(),
            Err(Detour::Refused(_)) => "refused".to_owned(),
        }
    }

    /// R323, F16
    #[test]
    fn loopback_has_one_name_and_its_aliases_lead_there() {
        let names = Names::loopback("http://127.0.0.1:8787".parse().expect("an origin"));
        let check = |method: &str, uri: &str, hosts: &[&str], expected: &str| {
            assert_eq!(outcome(&names, method, uri, hosts), expected, "{method} {uri} {hosts:?}");
        };
        check("GET", "/", &["127.0.0.1:8787"], "in");
        check("GET", "/ui/chat?a=b", &["localhost:8787"], "http://127.0.0.1:8787/ui/chat?a=b");
        check("HEAD", "/ui/chat", &["[::1]:8787"], "http://127.0.0.1:8787/ui/chat");
        check("GET", "//evil.example/x", &["localhost:8787"], "http://127.0.0.1:8787//evil.example/x");
        check("POST", "/", &["localhost:8787"], "refused");
        check("GET", "/api/v1/policy", &["localhost:8787"], "refused");
        check("GET", "/", &["localhost:9999"], "refused");
        check("GET", "/", &["localhost"], "refused");
        check("GET", "/", &["evil.example:8787"], "refused");
        check("GET", "/", &[], "refused");
        check("GET", "/", &["127.0.0.1:8787", "evil.example"], "refused");
        check("GET", "http://evil.example/", &["127.0.0.1:8787"], "refused");
        check("GET", "http://127.0.0.1:8787/", &["127.0.0.1:8787"], "in");
    }

    /// R323
    #[test]
    fn a_public_name_is_the_only_one() {
        let names = Names::public("https://satchel.example".parse().expect("an origin"));
        assert_eq!(outcome(&names, "GET", "/", &["satchel.example"]), "in");
        assert_eq!(outcome(&names, "GET", "/", &["127.0.0.1:8787"]), "refused");
        assert_eq!(outcome(&names, "GET", "/", &["localhost:8787"]), "refused");
    }
}
