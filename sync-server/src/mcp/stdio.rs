//! Speaking with a command on its standard input and output.

use std::borrow::Cow;
use std::future::Future;
use std::io;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::mpsc;

use super::child::{Child, Started};
use super::lines::{Line, Lines};
use super::tap::Tap;

/// Messages that may wait until the command reads them.
const WAITING: usize = 64;

/// The pipes of a command. When it goes, the command is ended.
#[derive(Debug)]
pub(super) struct Stdio {
    // In this order: first the input is closed, then the command is ended.
    input: Option<mpsc::Sender<Vec<u8>>>,
    output: Lines<ChildStdout>,
    tap: Tap,
    limit: usize,
    child: Option<Child>,
}

impl Stdio {
    /// Takes the pipes of a command that was just started.
    pub(super) fn new(started: Started, tap: Tap, limit: usize) -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        tokio::spawn(write(started.stdin, receiver));
        let output = Lines::new(started.stdout, limit);
        Self { input: Some(sender), output, tap, limit, child: Some(started.child) }
    }

    fn read(&self, line: Line) -> Option<ServerJsonRpcMessage> {
        match line {
            Line::Whole(line) => {
                // Some programs print on their standard output what they should not; it is not for us.
                let message = self.tap.received(&line).ok()?;
                serde_json::from_value(message).ok()
            }
            Line::TooLong(id) => {
                let id = serde_json::from_value(id.unwrap_or(Value::Null)).ok()?;
                let sentence = format!("the answer is larger than {} bytes, the limit of this server", self.limit);
                Some(ServerJsonRpcMessage::error(ErrorData::internal_error(sentence, None), Some(id)))
            }
        }
    }
}

impl Transport<RoleClient> for Stdio {
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "stdio".into()
    }

    fn send(&mut self, message: ClientJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.tap.sent(&message);
        let input = self.input.clone();
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            // Whole or not at all: who is left in the middle of this has not begun a line.
            input.ok_or_else(closed)?.send(line).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            match self.output.next().await {
                Ok(Some(line)) => {
                    if let Some(message) = self.read(line) {
                        return Some(message);
                    }
                }
                Ok(None) | Err(_) => return None,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.input = None;
        self.child = None;
        Ok(())
    }
}

async fn write(mut to: ChildStdin, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if let Err(error) = to.write_all(&line).await {
            tracing::debug!(%error, "an MCP server does not read any more");
            return;
        }
    }
}
