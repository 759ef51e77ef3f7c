//! Who looks up names. The system's resolver, and in tests one that answers what the test says.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

/// Looks up the addresses of a name, in the order in which they should be tried.
///
/// It is asked once for each connection, and never for a host that is an IP address already.
pub trait Resolver: fmt::Debug + Send + Sync + 'static {
    /// The addresses of a name; there may be none.
    fn resolve(&self, name: String) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
}

/// The resolver of the system that the server runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve(&self, name: String) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        // The port is only there because the system's interface wants one.
        Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.map(|found| found.ip()).collect()) })
    }
}
