//! Writing the build's description into the service worker.

use serde::Serialize;

/// The one line of `public/service-worker.js` that is replaced.
const PLACE: &str = "const BUILD = null;";

/// A service worker the build cannot be written into.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServiceWorkerError {
    #[error("service-worker.js has to hold the line `{PLACE}` once, and holds it {0} times")]
    Places(usize),
    #[error("the build's description cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}

/// The worker's text with the build in place.
pub(crate) fn fill_in(worker: &str, build: &impl Serialize) -> Result<String, ServiceWorkerError> {
    match worker.lines().filter(|line| *line == PLACE).count() {
        1 => Ok(worker.replacen(PLACE, &format!("const BUILD = {};", serde_json::to_string(build)?), 1)),
        places => Err(ServiceWorkerError::Places(places)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_line_is_replaced() {
        let filled = fill_in("// worker\nconst BUILD = null;\nrun(BUILD);\n", &serde_json::json!({"build": "abc"}));
        assert_eq!(filled.expect("it has the line"), "// worker\nconst BUILD = {\"build\":\"abc\"};\nrun(BUILD);\n");
    }

    #[test]
    fn no_place_and_two_places_are_refused() {
        for worker in ["const BUILD = {};\n", "const BUILD = null;\nconst BUILD = null;\n"] {
            fill_in(worker, &()).expect_err(worker);
        }
    }
}
