//! A thread that owns one SQLite connection and does what it is sent, one job after the other.
//!
//! SQLite blocks, so it stays off the threads that answer requests. The queue is bounded: when it is full, callers wait. Changes that wait at the same
//! moment are committed together, each in a savepoint of its own: one of them that fails takes none of the others with it, and the disk is waited for
//! once. Nobody is answered before that.

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::DatabaseError;

/// Jobs that may wait for their turn.
const QUEUE: usize = 256;
/// Most changes in one commit.
const TOGETHER: usize = 64;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;
/// Makes a change and gives what answers its caller, once it is known whether the commit held.
type Change = Box<dyn FnOnce(Result<&Transaction<'_>, DatabaseError>) -> Answer + Send>;
/// Takes whether the commit held.
type Answer = Box<dyn FnOnce(bool) + Send>;

enum Message {
    Run(Job),
    Change(Change),
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

    /// Makes a change; when it fails, nothing of it stays. What it returns is given back when it is on the disk.
    pub(super) async fn change<T, E, C>(&self, change: C) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
        C: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let change: Change = Box::new(move |transaction: Result<&Transaction<'_>, DatabaseError>| {
            let outcome = match transaction {
                Ok(transaction) => in_savepoint(transaction, change),
                Err(error) => Err(E::from(error)),
            };
            let tell: Answer = Box::new(move |held: bool| {
                let outcome =
                    if held { outcome } else { outcome.and_then(|_lost| Err(DatabaseError::NotCommitted.into())) };
                if answer.send(outcome).is_err() {
                    tracing::debug!("nobody waits for this answer any more");
                }
            });
            tell
        });
        self.messages.send(Message::Change(change)).await.map_err(|_| DatabaseError::Closed)?;
        answered.await.map_err(|_| DatabaseError::Closed)?
    }

    /// Closes the connection after the jobs before it; later ones are refused.
    pub(super) async fn close(&self) {
        let (closed, wait) = oneshot::channel();
        if self.messages.send(Message::Close(closed)).await.is_ok() && wait.await.is_err() {
            tracing::debug!("the database thread was already gone");
        }
    }
}

fn in_savepoint<T, E, C>(transaction: &Transaction<'_>, change: C) -> Result<T, E>
where
    E: From<DatabaseError>,
    C: FnOnce(&Transaction<'_>) -> Result<T, E>,
{
    let run = |sql| transaction.execute_batch(sql).map_err(DatabaseError::from);
    run("SAVEPOINT one_change")?;
    let outcome = change(transaction);
    if outcome.is_err() {
        run("ROLLBACK TO one_change")?;
    }
    run("RELEASE one_change")?;
    outcome
}

fn work(mut connection: Connection, mut inbox: mpsc::Receiver<Message>) {
    let mut put_off = None;
    while let Some(message) = put_off.take().or_else(|| inbox.blocking_recv()) {
        match message {
            Message::Run(job) => job(&mut connection),
            Message::Change(first) => put_off = commit_together(&mut connection, first, &mut inbox),
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

/// Makes a change and those that wait behind it, in one commit. What comes next and is no change is given back.
fn commit_together(connection: &mut Connection, first: Change, inbox: &mut mpsc::Receiver<Message>) -> Option<Message> {
    let transaction = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(transaction) => transaction,
        Err(error) => {
            first(Err(error.into()))(true);
            return None;
        }
    };
    let mut answers = vec![first(Ok(&transaction))];
    let mut next = None;
    while answers.len() < TOGETHER {
        match inbox.try_recv() {
            Ok(Message::Change(change)) => answers.push(change(Ok(&transaction))),
            Ok(other) => {
                next = Some(other);
                break;
            }
            Err(_) => break,
        }
    }
    let committed = transaction.commit();
    if let Err(error) = &committed {
        tracing::error!(%error, "the database cannot be written");
    }
    answers.into_iter().for_each(|answer| answer(committed.is_ok()));
    next
}
