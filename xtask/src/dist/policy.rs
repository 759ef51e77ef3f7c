//! The response headers of the app, of the Python cage and of the frame for artifacts.
//!
//! The page may run its own scripts and WebAssembly and nothing inline but the boot script, known by its hash. Cage and
//! frame are made opaque by the header `sandbox`, not by an attribute: a frame with the attribute is not answered by
//! the service worker and would be lost offline.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Headers by name.
pub(crate) type HeaderMap = BTreeMap<String, String>;

/// Which answer carries which headers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Headers {
    /// The page, under whatever path it is asked for.
    pub(crate) app: HeaderMap,
    /// `/cage.html`.
    pub(crate) cage: HeaderMap,
    /// `/frame.html`.
    pub(crate) frame: HeaderMap,
    /// Every answer.
    pub(crate) any: HeaderMap,
}

const CAGE: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' data:; \
                    worker-src data:; frame-ancestors 'self'";
const FRAME: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                     img-src data: blob:; frame-src 'none'; frame-ancestors 'self'";
/// Only a header can say it; in the page's own copy of the policy it would be ignored with a warning.
const HEADER_ONLY: &str = "; frame-ancestors 'none'";

/// All headers, for a page whose inline scripts have these hashes.
pub(crate) fn headers(inline_scripts: &[String]) -> Headers {
    Headers {
        app: header_map(&[("content-security-policy", &app(inline_scripts))]),
        cage: header_map(&[("content-security-policy", CAGE)]),
        frame: header_map(&[("content-security-policy", FRAME)]),
        any: header_map(&[
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
        ]),
    }
}

/// The app's policy as the page itself can carry it, for hosts that send no headers.
pub(crate) fn for_page(app: &str) -> &str {
    app.strip_suffix(HEADER_ONLY).unwrap_or(app)
}

fn app(inline_scripts: &[String]) -> String {
    let scripts: String = inline_scripts.iter().map(|source| format!(" {source}")).collect();
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{scripts}; style-src 'self'; img-src 'self' data: blob:; \
         font-src 'self'; media-src data: blob:; connect-src 'self' http: https:; worker-src 'self' blob:; \
         frame-src 'self' http: https:; manifest-src 'self'; base-uri 'none'; form-action 'none'{HEADER_ONLY}"
    )
}

fn header_map(headers: &[(&str, &str)]) -> HeaderMap {
    headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policies_are_those_of_the_design() {
        let headers = headers(&["'sha256-abc='".to_owned()]);
        let app = &headers.app["content-security-policy"];
        assert_eq!(
            app,
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-abc='; style-src 'self'; img-src 'self' data: \
             blob:; font-src 'self'; media-src data: blob:; connect-src 'self' http: https:; worker-src 'self' blob:; \
             frame-src 'self' http: https:; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        assert!(for_page(app).ends_with("form-action 'none'"));
        assert_eq!(
            headers.cage["content-security-policy"],
            "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' data:; worker-src \
             data:; frame-ancestors 'self'"
        );
        assert_eq!(
            headers.frame["content-security-policy"],
            "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: \
             blob:; frame-src 'none'; frame-ancestors 'self'"
        );
    }
}
