//! A server of our own for a measurement: on a free port, with an empty data folder, gone when dropped.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::files::{self, FileError};
use crate::process;
use crate::project::Project;

/// No answer of the server takes nearly as long.
const ANSWER_TIME: Duration = Duration::from_secs(30);

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    port: u16,
    token: String,
    data: PathBuf,
}

/// The server did not start or did not answer as it should.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("could not start {program}")]
    Start { program: String, source: io::Error },
    #[error("the server printed no address but {printed:?} (its log is above)")]
    NoAddress { printed: String },
    #[error("no connection to the server")]
    Connection(#[from] io::Error),
    #[error("the server answered {path} with {answer:?}")]
    Answer { path: String, answer: String },
}

impl Server {
    /// Starts `binary` and waits until it answers.
    pub(crate) fn start(project: &Project, binary: &Path) -> Result<Self, ServerError> {
        Self::configured(project, process::command(binary), "")
    }

    /// The same with a `satchel.toml`, and by a command that may say more than the program's name.
    pub(crate) fn configured(project: &Project, mut command: Command, config: &str) -> Result<Self, ServerError> {
        let data = project.target().join("bench/data");
        files::remove_folder(&data)?;
        files::write(&data.join("satchel.toml"), config.as_bytes())?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut child = command
            .args(["serve", "--port", &port.to_string(), "--data"])
            .arg(&data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| ServerError::Start { program: command.get_program().display().to_string(), source })?;
        let output = child.stdout.take().expect("it was asked for");
        let mut server = Self { child, port, token: String::new(), data };
        let mut printed = String::new();
        BufReader::new(output).read_line(&mut printed)?;
        server.token = token(&printed).ok_or(ServerError::NoAddress { printed })?;
        server.get("/healthz")?;
        Ok(server)
    }

    /// Where it listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// What opens its API.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Its process.
    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Asks for a path with the access token, on a connection of its own; anything but 200 is an error.
    pub(crate) fn get(&self, path: &str) -> Result<(), ServerError> {
        let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        connection.set_read_timeout(Some(ANSWER_TIME))?;
        write!(
            connection,
            "GET {path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n",
            self.port, self.token
        )?;
        let mut answer = String::new();
        connection.read_to_string(&mut answer)?;
        if answer.starts_with("HTTP/1.1 200 ") {
            return Ok(());
        }
        let first_line = answer.lines().next().unwrap_or_default().to_owned();
        Err(ServerError::Answer { path: path.to_owned(), answer: first_line })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let ended = self.child.kill().and_then(|()| self.child.wait());
        if let Err(error) = ended {
            eprintln!("the measured server could not be ended: {error}");
        }
        if let Err(error) = files::remove_folder(&self.data) {
            eprintln!("{error}: {}", error.source);
        }
    }
}

/// The token in the line `http://127.0.0.1:PORT/#token=…`.
fn token(printed: &str) -> Option<String> {
    let (_, token) = printed.trim().split_once("/#token=")?;
    (!token.is_empty()).then(|| token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_read_from_the_address() {
        assert_eq!(token("http://127.0.0.1:8787/#token=abc123\n"), Some("abc123".to_owned()));
        assert_eq!(token("http://127.0.0.1:8787/#token=\n"), None);
        assert_eq!(token(""), None);
    }
}
