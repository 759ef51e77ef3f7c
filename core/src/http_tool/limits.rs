//! How much an HTTP tool may ask for, whatever it says itself (R098).

use std::time::Duration;

/// The bounds of definitions and calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// How many calls a sequence may have.
    pub steps: usize,
    /// How many times a call may be tried again.
    pub retries: u32,
    /// How many redirects are followed.
    pub redirects: u32,
    /// How long one request may take.
    pub longest_request: Duration,
    /// How long one request may take that does not say.
    pub usual_request: Duration,
    /// How long is waited before another try, at most.
    pub longest_wait: Duration,
    /// Bytes of one answer, at most.
    pub most_response: u64,
    /// Bytes of one answer, where the tool does not say.
    pub usual_response: u64,
    /// Bytes of an address with everything filled in.
    pub url_bytes: usize,
    /// Bytes of a request's headers, and of its body.
    pub request_bytes: usize,
    /// Calls in a minute that a tool may allow itself.
    pub calls_per_minute: u32,
    /// Hosts that a tool may name.
    pub hosts: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            steps: 16,
            retries: 5,
            redirects: 5,
            longest_request: Duration::from_secs(120),
            usual_request: Duration::from_secs(10),
            longest_wait: Duration::from_secs(30),
            most_response: 32 << 20,
            usual_response: 5 << 20,
            url_bytes: 16 << 10,
            request_bytes: 1 << 20,
            calls_per_minute: 6_000,
            hosts: 64,
        }
    }
}
