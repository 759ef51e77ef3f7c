//! What of a tool's request is sent on.

/// Headers that a browser sets itself, or that speak for the page and not for the tool.
const DROPPED: [&str; 24] = [
    "accept-charset",
    "accept-encoding",
    "access-control-request-headers",
    "access-control-request-method",
    "access-control-request-private-network",
    "connection",
    "content-length",
    "cookie",
    "cookie2",
    "date",
    "dnt",
    "expect",
    "host",
    "keep-alive",
    "origin",
    "permissions-policy",
    "referer",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-method-override",
];

/// The headers of a request that may be sent: well formed, and none that is not the tool's to set.
#[must_use]
pub fn kept_headers(headers: Vec<(String, String)>) -> Vec<(String, String)> {
    let kept = |(name, value): &(String, String)| {
        let name = name.to_ascii_lowercase();
        let spoken_for = DROPPED.contains(&name.as_str()) || name.starts_with("sec-") || name.starts_with("proxy-");
        let overrides = name.starts_with("x-http-method") || name == "x-method-override";
        is_token(&name) && !spoken_for && !overrides && !value.contains(['\r', '\n', '\0'])
    };
    headers.into_iter().filter(kept).collect()
}

/// The method of a request, in upper case; none where it is one that no page may send.
#[must_use]
pub fn kept_method(method: &str) -> Option<String> {
    let method = method.to_ascii_uppercase();
    let refused = matches!(method.as_str(), "CONNECT" | "TRACE" | "TRACK");
    (is_token(&method) && !refused).then_some(method)
}

fn is_token(text: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(token)
}
