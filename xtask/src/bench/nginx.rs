//! nginx in front of the stand-in, set up as a careful operator would for streams: unbuffered, with connections kept open. One process, gone when
//! dropped.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::bench::cores::Apart;
use crate::bench::server::ServerError;
use crate::files;
use crate::project::Project;

/// It starts in a few milliseconds.
const START_TIME: Duration = Duration::from_secs(10);

/// A running nginx.
#[derive(Debug)]
pub(crate) struct Nginx {
    child: Child,
    address: SocketAddr,
    folder: PathBuf,
}

impl Nginx {
    /// Starts `program` in front of `upstream` and waits until it listens.
    pub(crate) fn start(
        project: &Project,
        apart: &Apart,
        program: &std::path::Path,
        upstream: SocketAddr,
    ) -> Result<Self, ServerError> {
        let folder = project.target().join("bench/nginx");
        files::remove_folder(&folder)?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        files::write(&folder.join("nginx.conf"), configuration(address, upstream).as_bytes())?;
        let child = apart
            .server(program)
            .arg("-p")
            .arg(&folder)
            .args(["-e", "errors.log", "-c", "nginx.conf"])
            .stdin(Stdio::null())
            .spawn()
            .map_err(|source| ServerError::Start { program: program.display().to_string(), source })?;
        let nginx = Self { child, address, folder };
        let started = Instant::now();
        while let Err(error) = TcpStream::connect(address) {
            if started.elapsed() > START_TIME {
                return Err(error.into());
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(nginx)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        if let Err(error) = self.child.kill().and_then(|()| self.child.wait()) {
            eprintln!("nginx could not be ended: {error}");
        }
        if let Err(error) = files::remove_folder(&self.folder) {
            eprintln!("{error}: {}", error.source);
        }
    }
}

fn configuration(address: SocketAddr, upstream: SocketAddr) -> String {
    let folders: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("    {name}_temp_path temporary_{name};\n"))
        .concat();
    format!(
        "daemon off;
master_process off;
pid nginx.pid;
events {{}}
http {{
    access_log off;
{folders}    upstream stand_in {{
        server {upstream};
        keepalive 16;
    }}
    server {{
        listen {address};
        keepalive_requests 1000000;
        location / {{
            proxy_pass http://stand_in;
            proxy_http_version 1.1;
            proxy_set_header Connection \"\";
            proxy_buffering off;
        }}
    }}
}}
"
    )
}
