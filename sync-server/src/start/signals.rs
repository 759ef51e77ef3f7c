//! The signals that ask a server to stop: Ctrl-C and, where there is one, SIGTERM.

use std::io;

use tokio::sync::mpsc;

/// Counts requests to stop: the first asks, the second is in a hurry.
pub(super) struct Signals {
    received: mpsc::Receiver<()>,
}

impl Signals {
    /// Takes the signals over from now on.
    pub(super) fn listen() -> io::Result<Self> {
        let (sender, received) = mpsc::channel(2);
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
                let mut signal = signal(kind)?;
                let sender = sender.clone();
                tokio::spawn(async move { while signal.recv().await.is_some() && sender.send(()).await.is_ok() {} });
            }
        }
        #[cfg(not(unix))]
        tokio::spawn(async move { while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).await.is_ok() {} });
        Ok(Self { received })
    }

    /// Waits for the next one.
    pub(super) async fn next(&mut self) {
        if self.received.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}
