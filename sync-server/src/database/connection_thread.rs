//! A thread that owns one SQLite connection and does what it is sent, one job after the other.
//!
//! SQLite blocks, so it stays off the threads that answer requests. The queue is bounded: when it is full, callers wait.

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::DatabaseError;

/// Jobs that may wait for their turn.
const QUEUE: usize = 256;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

enum Message {
    Run(Job),
    Close(oneshot::Sender<()>),
}

/// The way to the thread; the thread ends when the last one is gone.
#[derive(Clone, Debug)]
pub(super) struct ConnectionThread {
    messages: mpsc::Sender<Message>,
}

impl ConnectionThread {
    pub(super) fn start(name: &str, connection: Connection) -> Result<Self, DatabaseError> {
        let (messages, inbox) = mpsc::channel(QUEUE);
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || work(connection, inbox))
            .map_err(DatabaseError::Thread)?;
        Ok(Self { messages })
    }

    /// Runs a job on the thread and gives back what it returns.
    pub(super) async fn run<T, J>(&self, job: J) -> Result<T, DatabaseError>
    where
        T: Send + 'static,
        J: FnOnce(&mut Connection) -> T + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            if answer.send(job(connection)).is_err() {
                tracing::debug!("nobody waits for this answer any more");
            }
        });
        self.messages.send(Message::Run(job)).await.map_err(|_| DatabaseError::Closed)?;
        answered.await.map_err(|_| DatabaseError::Closed)
    }

    /// Closes the connection after the jobs before it; later ones are refused.
    pub(super) async fn close(&self) {
        let (closed, wait) = oneshot::channel();
        if self.messages.send(Message::Close(closed)).await.is_ok() && wait.await.is_err() {
            tracing::debug!("the database thread was already gone");
        }
    }
}

fn work(mut connection: Connection, mut inbox: mpsc::Receiver<Message>) {
    while let Some(message) = inbox.blocking_recv() {
        match message {
            Message::Run(job) => job(&mut connection),
            Message::Close(closed) => {
                drop(inbox);
                drop(connection);
                if closed.send(()).is_err() {
                    tracing::debug!("nobody waited for the database to close");
                }
                return;
            }
        }
    }
}
