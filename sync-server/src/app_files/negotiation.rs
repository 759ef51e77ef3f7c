//! What a request says it can take: which encoding, and which version it already has.

use axum::http::{HeaderMap, HeaderValue, header};

/// Whether the client takes brotli.
pub(super) fn accepts_brotli(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut star = false;
    for offer in values.flat_map(|value| value.split(',')) {
        let (name, parameters) = offer.split_once(';').unwrap_or((offer, ""));
        let wanted = !is_zero(parameters);
        match name.trim() {
            name if name.eq_ignore_ascii_case("br") => return wanted,
            "*" => star = wanted,
            _ => {}
        }
    }
    star
}

/// Whether the client already has the version with this tag.
pub(super) fn has_version(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let Ok(own) = etag.to_str().map(opaque) else { return false };
    let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|tag| tag.trim() == "*" || opaque(tag) == own)
}

/// Whether a person is looking at the answer: a browser navigates, or asks for a page.
pub(super) fn is_navigation(headers: &HeaderMap) -> bool {
    let says = |name: &str, part: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|text| text.contains(part))
    };
    says("sec-fetch-mode", "navigate") || says("accept", "text/html")
}

/// `q=0`, `q=0.000`.
fn is_zero(parameters: &str) -> bool {
    let quality = parameters.split(';').find_map(|parameter| parameter.trim().strip_prefix("q="));
    quality.and_then(|quality| quality.trim().parse::<f32>().ok()).is_some_and(|quality| quality <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        [(name, value.parse().expect("a header value"))].into_iter().collect()
    }

    #[test]
    fn brotli_is_sent_to_those_who_take_it() {
        let check = |value: &str, expected: bool| {
            assert_eq!(accepts_brotli(&headers(header::ACCEPT_ENCODING, value)), expected, "{value}");
        };
        check("gzip, deflate, br, zstd", true);
        check("BR;q=0.5", true);
        check("br;q=0", false);
        check("br; q=0.0, *", false);
        check("*", true);
        check("*;q=0", false);
        check("gzip, brx", false);
        check("", false);
        assert!(!accepts_brotli(&HeaderMap::new()));
    }

    #[test]
    fn versions_are_compared_weakly() {
        let own: HeaderValue = "W/\"abc\"".parse().expect("a header value");
        let check = |value: &str, expected: bool| {
            assert_eq!(has_version(&headers(header::IF_NONE_MATCH, value), &own), expected, "{value}");
        };
        check("W/\"abc\"", true);
        check("\"abc\"", true);
        check("\"x\", W/\"abc\"", true);
        check("*", true);
        check("\"ab\"", false);
        check("", false);
    }
}
