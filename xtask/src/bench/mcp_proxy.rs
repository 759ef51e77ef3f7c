//! mcp-proxy in front of the stand-in, with nothing switched on that a call would pass: no retries, no cache, no log of requests. One
//! process, gone when dropped.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::bench::cores::Apart;
use crate::bench::exchange::ask_once;
use crate::bench::mcp_stand_in::{PATH, PROTOCOL, TOOL};
use crate::bench::server::ServerError;
use crate::files;
use crate::project::Project;

/// It connects to what stands behind it before it listens.
const START_TIME: Duration = Duration::from_secs(10);
/// What it knows the stand-in by.
const BACKEND: &str = "b";
/// It answers as JSON or as events, as it likes.
const ACCEPT: &str = "accept: application/json, text/event-stream\r\n";

/// A running mcp-proxy.
#[derive(Debug)]
pub(crate) struct McpProxy {
    child: Child,
    address: SocketAddr,
    folder: PathBuf,
}

impl McpProxy {
    /// Starts `program` in front of `upstream` and waits until it listens.
    pub(crate) fn start(
        project: &Project,
        apart: &Apart,
        program: &Path,
        upstream: SocketAddr,
    ) -> Result<Self, ServerError> {
        let folder = project.target().join("bench/mcp-proxy");
        files::remove_folder(&folder)?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let config = folder.join("proxy.toml");
        files::write(&config, configuration(port, upstream).as_bytes())?;
        let child = apart
            .server(program)
            .arg("--config")
            .arg(&config)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|source| ServerError::Start { program: program.display().to_string(), source })?;
        let proxy = Self { child, address, folder };
        let started = Instant::now();
        while let Err(error) = TcpStream::connect(address) {
            if started.elapsed() > START_TIME {
                return Err(error.into());
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(proxy)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its name for the stand-in's tool.
    pub(crate) fn tool() -> String {
        format!("{BACKEND}/{TOOL}")
    }

    /// Introduces a client, as the protocol wants it; the headers that every call then has.
    pub(crate) fn introduce(&self) -> io::Result<String> {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}});
        let (head, _) = ask_once(self.address, "POST /", ACCEPT, &hello.to_string())?;
        if !head.starts_with("HTTP/1.1 200 ") {
            return Err(io::Error::other(head));
        }
        let session = head.lines().find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:"));
        let session = session.map(|line| format!("{line}\r\n")).unwrap_or_default();
        let headers = format!("{ACCEPT}mcp-protocol-version: {PROTOCOL}\r\n{session}");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        ask_once(self.address, "POST /", &headers, &ready.to_string())?;
        Ok(headers)
    }
}

impl Drop for McpProxy {
    fn drop(&mut self) {
        if let Err(error) = self.child.kill().and_then(|()| self.child.wait()) {
            eprintln!("mcp-proxy could not be ended: {error}");
        }
        if let Err(error) = files::remove_folder(&self.folder) {
            eprintln!("{error}: {}", error.source);
        }
    }
}

fn configuration(port: u16, upstream: SocketAddr) -> String {
    format!(
        "[proxy]
name = \"bench\"
[proxy.listen]
host = \"127.0.0.1\"
port = {port}
[observability]
log_level = \"error\"
[[backends]]
name = \"{BACKEND}\"
transport = \"http\"
url = \"http://{upstream}{PATH}\"
"
    )
}
