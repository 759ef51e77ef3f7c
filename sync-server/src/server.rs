//! Connections: accepting them, speaking HTTP/1.1 on them, inside TLS when asked to, and letting them end in peace.
//!
//! Everything is bounded: how many are open at once, how long a head or a handshake may take, how long stopping may take.

mod listeners;
mod tls;

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_rustls::TlsAcceptor;

pub use listeners::{ListenError, Listeners};
pub use tls::{TlsError, acceptor};

use crate::config::Limits;

/// How long requests may take to end after the server was asked to stop.
const STOP_WITHIN: Duration = Duration::from_secs(10);
/// Pause after the system refused a connection, for example because no file handle is left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
/// Largest head of a request.
const HEAD_BYTES: usize = 64 * 1024;

/// Serves until asked to stop, then lets requests in flight end; asked a second time, it cuts them off.
pub async fn run(
    listeners: Listeners,
    tls: Option<TlsAcceptor>,
    limits: &Limits,
    app: Router,
    mut asked_to_stop: impl AsyncFnMut(),
) {
    // Whoever is still connected when this goes is cut off, and with them what was being fetched for them.
    let (_connected, cut_off) = watch::channel(());
    let head = Duration::from_secs(limits.head_seconds.get().into());
    let speaker = Arc::new(Speaker { app, tls, head, cut_off });
    let connections = Arc::new(Semaphore::new(limits.connections.get() as usize));
    let graceful = GracefulShutdown::new();
    {
        let mut asked = pin!(asked_to_stop());
        loop {
            let (stream, permit) = tokio::select! {
                accepted = accept(&listeners, &connections) => accepted,
                () = &mut asked => break,
            };
            tokio::spawn(Arc::clone(&speaker).speak(stream, graceful.watcher(), permit));
        }
    }
    drop(listeners);
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(STOP_WITHIN) => tracing::warn!("some requests did not end in time and were cut off"),
        () = asked_to_stop() => tracing::warn!("asked twice to stop; requests in flight were cut off"),
    }
}

/// The next connection there is room for.
async fn accept(listeners: &Listeners, connections: &Arc<Semaphore>) -> (TcpStream, OwnedSemaphorePermit) {
    let permit = Arc::clone(connections).acquire_owned().await.expect("the semaphore is never closed");
    loop {
        match listeners.accept().await {
            Ok(stream) => return (stream, permit),
            // The other side was gone before we came to it.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

struct Speaker {
    app: Router,
    tls: Option<TlsAcceptor>,
    head: Duration,
    cut_off: watch::Receiver<()>,
}

impl Speaker {
    async fn speak(self: Arc<Self>, stream: TcpStream, watcher: Watcher, permit: OwnedSemaphorePermit) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection was gone before it began");
            return;
        }
        match &self.tls {
            None => self.speak_http(stream, watcher).await,
            Some(tls) => match tokio::time::timeout(self.head, tls.accept(stream)).await {
                Ok(Ok(stream)) => self.speak_http(stream, watcher).await,
                Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                Err(_) => tracing::debug!("a TLS handshake took too long"),
            },
        }
        drop(permit);
    }

    async fn speak_http<S>(&self, stream: S, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Unpin + 'static,
    {
        let service = TowerToHyperService::new(self.app.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.head)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        let mut cut_off = self.cut_off.clone();
        tokio::select! {
            ended = watcher.watch(connection) => if let Err(error) = ended {
                tracing::debug!(%error, "a connection broke off");
            },
            // Nothing is ever sent: this ends when the sender is gone.
            _gone = cut_off.changed() => {}
        }
    }
}
