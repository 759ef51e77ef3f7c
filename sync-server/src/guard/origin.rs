//! Whose page may ask.
//!
//! Only pages of this server's own origin. A browser says in `Origin` whose page is asking, and `null` for one without a
//! name, such as a sandboxed frame; programs that are not browsers send nothing and are judged by their token alone.
//! `Sec-Fetch-Site` closes the API to requests that carry no `Origin`, such as images and scripts of another site, and of
//! another port of this machine, which browsers call the same site.

use axum::extract::Request;
use axum::http::header;

use super::is_api;
use crate::config::Origin;
use crate::refusal::Refusal;

pub(super) fn check(canonical: &Origin, request: &Request) -> Result<(), Refusal> {
    let own = canonical.to_string();
    let headers = request.headers();
    let origin_is_own =
        headers.get_all(header::ORIGIN).iter().all(|origin| origin.as_bytes().eq_ignore_ascii_case(own.as_bytes()));
    let site_is_own =
        headers.get_all("sec-fetch-site").iter().all(|site| matches!(site.as_bytes(), b"same-origin" | b"none"));
    if origin_is_own && (site_is_own || !is_api(request.uri().path())) {
        Ok(())
    } else {
        Err(Refusal::ForeignOrigin { canonical: own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    /// F16
    #[test]
    fn only_the_own_pages_may_ask() {
        let own: Origin = "http://127.0.0.1:8787".parse().expect("an origin");
        let may = |uri: &str, name: &str, value: &str| {
            let request = Request::builder().uri(uri).header(name, value).body(Body::empty()).expect("a request");
            super::check(&own, &request).is_ok()
        };
        assert!(may("/", "accept", "*/*"));
        assert!(may("/", "origin", "http://127.0.0.1:8787"));
        for foreign in
            ["null", "", "http://127.0.0.1", "http://127.0.0.1:9000", "https://127.0.0.1:8787", "http://evil.example"]
        {
            assert!(!may("/", "origin", foreign), "{foreign}");
        }
        assert!(may("/api/v1/policy", "sec-fetch-site", "same-origin"));
        assert!(may("/api/v1/policy", "sec-fetch-site", "none"));
        assert!(!may("/api/v1/policy", "sec-fetch-site", "same-site"));
        assert!(!may("/api/v1/policy", "sec-fetch-site", "cross-site"));
        assert!(may("/ui/chat", "sec-fetch-site", "cross-site"), "a link from elsewhere may open the app");
    }
}
