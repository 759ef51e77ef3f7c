//! The body of an answer, handed on piece by piece as it comes.
//!
//! It has no end in time, only a limit to its silence. Time in which nobody asks for the next piece does not count: a slow reader is not
//! the other side's fault.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep};

/// A body on its way.
#[derive(Debug)]
pub struct Streamed {
    body: Incoming,
    limit: Duration,
    /// Runs while a piece is waited for.
    silence: Option<Pin<Box<Sleep>>>,
    waiting: bool,
}

/// Why a body ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum StreamedError {
    /// The connection broke off.
    #[error("the connection broke in the middle of the answer")]
    BrokeOff(#[from] hyper::Error),
    /// Nothing came for too long.
    #[error("nothing came for {} seconds in the middle of the answer", .0.as_secs())]
    Silence(Duration),
}

impl Streamed {
    pub(super) fn new(body: Incoming, limit: Duration) -> Self {
        Self { body, limit, silence: None, waiting: false }
    }
}

impl Body for Streamed {
    type Data = Bytes;
    type Error = StreamedError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, StreamedError>>> {
        if let Poll::Ready(next) = Pin::new(&mut self.body).poll_frame(cx) {
            self.waiting = false;
            return Poll::Ready(next.map(|frame| frame.map_err(StreamedError::from)));
        }
        let limit = self.limit;
        let was_waiting = std::mem::replace(&mut self.waiting, true);
        let silence = self.silence.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        if !was_waiting {
            silence.as_mut().reset(Instant::now() + limit);
        }
        ready!(silence.as_mut().poll(cx));
        tracing::info!(seconds = limit.as_secs(), "an answer fell silent and was given up");
        Poll::Ready(Some(Err(StreamedError::Silence(limit))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
