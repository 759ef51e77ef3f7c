//! The sockets listened on.
//!
//! `localhost` means `[::1]` to some programs. A server on 127.0.0.1 therefore also takes `[::1]` where it can, only to
//! send those who come that way to the canonical address.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::{TcpListener, TcpStream};

/// One socket, and on loopback perhaps a second one.
#[derive(Debug)]
pub struct Listeners {
    main: TcpListener,
    address: SocketAddr,
    beside: Option<TcpListener>,
}

/// Why an address cannot be listened on.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Another program has it.
    #[error("port {} on {} is taken by another program", .0.port(), .0.ip())]
    Taken(SocketAddr),
    /// The system does not allow or know it.
    #[error("cannot listen on {address}")]
    Refused {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

impl Listeners {
    /// Takes the address.
    pub async fn bind(address: SocketAddr) -> Result<Self, ListenError> {
        let refuse = |source: io::Error| match source.kind() {
            io::ErrorKind::AddrInUse => ListenError::Taken(address),
            _ => ListenError::Refused { address, source },
        };
        let main = TcpListener::bind(address).await.map_err(refuse)?;
        let bound = main.local_addr().map_err(refuse)?;
        let beside = if bound.ip() == Ipv4Addr::LOCALHOST { bind_beside(bound.port()).await } else { None };
        Ok(Self { main, address: bound, beside })
    }

    /// The address really listened on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next connection, from whichever socket it comes.
    pub(super) async fn accept(&self) -> io::Result<TcpStream> {
        let beside = async {
            match &self.beside {
                Some(listener) => listener.accept().await,
                None => std::future::pending().await,
            }
        };
        let (stream, _) = tokio::select! {
            accepted = self.main.accept() => accepted?,
            accepted = beside => accepted?,
        };
        Ok(stream)
    }
}

async fn bind_beside(port: u16) -> Option<TcpListener> {
    match TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await {
        Ok(listener) => Some(listener),
        Err(error) => {
            tracing::debug!(%error, "not listening on [::1] as well");
            None
        }
    }
}
