//! From an address to a connection: look up, check, connect to what was checked.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::Uri;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use satchel_core::network::Address;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tower_service::Service;

use super::channel::Channel;
use super::{OutboundError, Resolver, Rules, Trust};

/// Addresses of one host that are tried.
const TRIED: usize = 8;
/// How long one address has before the next is tried beside it.
const HEAD_START: Duration = Duration::from_millis(250);

/// Makes connections for one kind of trust.
#[derive(Clone)]
pub(super) struct Connector {
    pub(super) rules: Arc<Rules>,
    pub(super) trust: Trust,
    pub(super) resolver: Arc<dyn Resolver>,
    pub(super) tls: TlsConnector,
    pub(super) limit: Duration,
}

impl Connector {
    async fn connect(self, uri: Uri) -> Result<TokioIo<Channel>, OutboundError> {
        let address =
            Address::parse(&uri.to_string()).map_err(|fault| OutboundError::Address { reason: fault.to_string() })?;
        let host = address.host();
        let seconds = self.limit.as_secs();
        match tokio::time::timeout(self.limit, self.open(&address)).await {
            Ok(opened) => opened.map(TokioIo::new),
            Err(_) => Err(OutboundError::ConnectTime { host, seconds }),
        }
    }

    async fn open(&self, address: &Address) -> Result<Channel, OutboundError> {
        let places = self.places(address).await?;
        let host = || address.host();
        let no_connection =
            |source: io::Error| OutboundError::NoConnection { host: host(), reason: source.to_string() };
        let stream = connect_to_any(&places).await.map_err(no_connection)?;
        stream.set_nodelay(true).map_err(no_connection)?;
        if !address.is_https() {
            return Ok(Channel::Plain(stream));
        }
        let no_tls = |reason: String| OutboundError::NoTls { host: host(), reason };
        let name = server_name(address).ok_or_else(|| no_tls("no certificate can be for this name".to_owned()))?;
        match self.tls.connect(name, stream).await {
            Ok(stream) => Ok(Channel::Tls(Box::new(stream))),
            Err(source) => Err(no_tls(source.to_string())),
        }
    }

    /// Where an address leads, as far as it may be gone to.
    async fn places(&self, address: &Address) -> Result<Vec<SocketAddr>, OutboundError> {
        let host = address.host();
        if !self.rules.allow(self.trust, address) {
            return Err(OutboundError::Private { host, address: None });
        }
        let found = match address.ip() {
            Some(ip) => vec![ip],
            None => self.look_up(&host).await?,
        };
        let may = |ip: &&IpAddr| self.rules.allow_ip(self.trust, address, **ip);
        let places: Vec<SocketAddr> =
            found.iter().filter(may).take(TRIED).map(|ip| SocketAddr::new(*ip, address.port())).collect();
        match (places.is_empty(), found.first()) {
            (false, _) => Ok(places),
            (true, Some(private)) => Err(OutboundError::Private { host, address: Some(*private) }),
            (true, None) => Err(OutboundError::NoSuchName { host, reason: "it has no address".to_owned() }),
        }
    }

    async fn look_up(&self, host: &str) -> Result<Vec<IpAddr>, OutboundError> {
        let found = self.resolver.resolve(host.to_owned()).await;
        found.map_err(|source| OutboundError::NoSuchName { host: host.to_owned(), reason: source.to_string() })
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Channel>;
    type Error = OutboundError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, OutboundError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), OutboundError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().connect(uri))
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Connector").field("trust", &self.trust).field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// The first connection that is made; each address gets a head start over the next, for networks where one family leads nowhere.
async fn connect_to_any(places: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut attempts = JoinSet::new();
    let mut waiting = places.iter();
    let mut failure = io::Error::from(io::ErrorKind::AddrNotAvailable);
    loop {
        match waiting.next() {
            Some(place) => {
                attempts.spawn(TcpStream::connect(*place));
            }
            None if attempts.is_empty() => return Err(failure),
            None => {}
        }
        tokio::select! {
            Some(ended) = attempts.join_next() => match ended {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => failure = error,
                Err(error) => failure = io::Error::other(error),
            },
            () = tokio::time::sleep(HEAD_START), if waiting.len() > 0 => {}
        }
    }
}

/// The name that the other side's certificate has to be for.
fn server_name(address: &Address) -> Option<ServerName<'static>> {
    match address.ip() {
        Some(ip) => Some(ServerName::IpAddress(ip.into())),
        None => ServerName::try_from(address.host().trim_end_matches('.').to_owned()).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbound::PrivateHost;
    use rustls::RootCertStore;

    /// Answers every name with the same addresses.
    #[derive(Debug)]
    struct Always(Vec<IpAddr>);

    impl Resolver for Always {
        fn resolve(&self, _: String) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
            let found = self.0.clone();
            Box::pin(async move { Ok(found) })
        }
    }

    /// Where a connection would go; none is made.
    async fn places(url: &str, leads_to: &[&str], listed: &[&str]) -> Result<Vec<SocketAddr>, OutboundError> {
        let private_hosts = listed.iter().map(|host| PrivateHost::parse(host).expect("a host")).collect();
        let connector = Connector {
            rules: Arc::new(Rules::new(private_hosts)),
            trust: Trust::Account,
            resolver: Arc::new(Always(leads_to.iter().map(|ip| ip.parse().expect("an IP address")).collect())),
            tls: super::super::tls(RootCertStore::empty()),
            limit: Duration::from_secs(1),
        };
        connector.places(&Address::parse(url).expect("an address")).await
    }

    fn to(places: &[&str]) -> Vec<SocketAddr> {
        places.iter().map(|place| place.parse().expect("a place")).collect()
    }

    /// F18, R262: whatever a public name leads to that is not public.
    #[tokio::test]
    async fn what_is_not_public_is_refused_after_the_look_up() {
        for ip in [
            "127.0.0.1",
            "127.255.255.254",
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "169.254.169.254",
            "169.254.170.2",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "192.88.99.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:0:10.0.0.1",
            "64:ff9b::127.0.0.1",
            "64:ff9b::169.254.169.254",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::",
            "2001::1",
            "2001:db8::1",
            "100::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2606:4700::5efe:127.0.0.1",
        ] {
            let refused = places("https://public.example", &[ip], &[]).await.expect_err("is refused");
            let expected = OutboundError::Private {
                host: "public.example".into(),
                address: Some(ip.parse().expect("an IP address")),
            };
            assert_eq!(refused, expected, "{ip}");
        }
    }

    #[tokio::test]
    async fn the_connection_goes_to_what_was_checked() {
        let mixed = ["10.0.0.1", "8.8.8.8", "::1", "2606:4700::1111"];
        let found = places("https://public.example", &mixed, &[]).await.expect("some may be used");
        assert_eq!(found, to(&["8.8.8.8:443", "[2606:4700::1111]:443"]));
        let found = places("http://nas.lan:8080", &["10.0.0.1"], &["nas.lan"]).await.expect("is listed");
        assert_eq!(found, to(&["10.0.0.1:8080"]));
        let found = places("http://8.8.4.4", &["127.0.0.1"], &[]).await.expect("is not looked up");
        assert_eq!(found, to(&["8.8.4.4:80"]));
        let nowhere = places("https://public.example", &[], &[]).await;
        assert!(matches!(nowhere, Err(OutboundError::NoSuchName { .. })), "{nowhere:?}");
        assert_eq!(places("https://public.example", &["8.8.8.8"; 20], &[]).await.expect("found").len(), TRIED);
    }

    #[tokio::test]
    async fn one_address_that_answers_is_enough() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("listens");
        let good = listener.local_addr().expect("is bound");
        let gone = std::net::TcpListener::bind("127.0.0.1:0").expect("listens").local_addr().expect("is bound");
        let stream = connect_to_any(&[gone, good]).await.expect("connects");
        assert_eq!(stream.peer_addr().expect("is connected"), good);
        let error = connect_to_any(&[gone, gone]).await.expect_err("nobody is there");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }
}
