//! The program `satchel` itself: its commands, its one line of output, and how it says what went wrong.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// `satchel` with nothing of the tester's own environment.
fn satchel(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_satchel"));
    command.env_clear().args(arguments);
    command
}

/// Runs a command to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    satchel(arguments).output().expect("runs")
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// Sees a command fail with this code and one sentence.
pub(crate) fn check_failure(arguments: &[&str], code: i32, expected: &[&str]) {
    let output = run(arguments);
    let sentence = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{sentence}");
    assert_eq!(text(&output.stdout), "");
    assert!(sentence.starts_with("satchel: ") && sentence.lines().count() == 1, "{sentence}");
    for part in expected {
        assert!(sentence.contains(part), "{sentence:?} should contain {part:?}");
    }
}

pub(crate) struct Folder {
    temporary: TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self { temporary: tempfile::tempdir().expect("a folder") }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.temporary.path().join("data")
    }

    pub(crate) fn argument(&self) -> String {
        self.path().display().to_string()
    }

    pub(crate) fn token(&self) -> String {
        let output = run(&["token", "--data", &self.argument()]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).trim_end().to_owned()
    }
}

/// A running server, stopped at the latest when the test ends.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Server {
    pub(crate) fn start(folder: &Folder, more: &[&str]) -> Self {
        let data = folder.argument();
        let arguments: Vec<_> = ["--port", "0", "--data", &data].into_iter().chain(more.iter().copied()).collect();
        let mut child = satchel(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("reads");
        let address = line.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.trim_end().split_once("/#token="));
        let (port, token) = address.unwrap_or_else(|| panic!("{line:?} is not an address"));
        Self { port: port.parse().expect("a port"), token: token.to_owned(), child }
    }

    /// Its process.
    #[cfg(target_os = "linux")]
    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Keeps a secret of the account.
    pub(crate) fn put_secret(&self, name: &str, value: &str) {
        self.put(&format!("/api/v1/secrets/{name}"), &format!("{{\"value\": \"{value}\"}}"));
    }

    pub(crate) fn put(&self, path: &str, body: &str) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connects");
        write!(
            stream,
            "PUT {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            self.token,
            body.len()
        )
        .expect("sends");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("reads");
        assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    }

    /// What the server tells by itself, line by line.
    fn events(&self) -> impl Iterator<Item = String> + use<> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connects");
        let (port, token) = (self.port, &self.token);
        write!(
            stream,
            "GET /api/v1/events?client=test HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
        )
        .expect("sends");
        BufReader::new(stream).lines().map(|line| line.expect("reads"))
    }

    pub(crate) fn get(&self, path: &str, token: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connects");
        let port = self.port;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        )
        .expect("sends");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("reads");
        answer
    }

    /// Sends SIGTERM and gives back the exit code and everything logged.
    #[cfg(unix)]
    fn stop(mut self) -> (Option<i32>, String) {
        let kill = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().expect("runs");
        assert!(kill.success());
        let status = self.child.wait().expect("ends");
        let mut log = String::new();
        self.child.stderr.as_mut().expect("piped").read_to_string(&mut log).expect("reads");
        (status.code(), log)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.kill().is_ok() {
            self.child.wait().expect("ends");
        }
    }
}

#[test]
fn help_and_version() {
    let help = run(&["--help"]);
    assert!(help.status.success());
    for word in ["serve", "token", "--listen", "--public-url", "--tls-cert", "--app-dir", "SATCHEL_DATA"] {
        assert!(text(&help.stdout).contains(word), "{word}");
    }
    assert_eq!(text(&run(&["--version"]).stdout), format!("satchel {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(run(&["--no-such-flag"]).status.code(), Some(2));
}

#[test]
fn the_environment_stands_in_for_flags() {
    let folder = Folder::new();
    let output = satchel(&["token"]).env("SATCHEL_DATA", folder.path()).output().expect("runs");
    assert_eq!(text(&output.stdout).trim_end(), folder.token());

    let base = folder.temporary.path().join("xdg");
    if cfg!(target_os = "linux") {
        assert!(satchel(&["token"]).env("XDG_DATA_HOME", &base).output().expect("runs").status.success());
        assert!(base.join("satchel/access-token").is_file());
    }
}

/// F16
#[cfg(unix)]
#[test]
fn a_running_server_refuses_a_replaced_token_at_once() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    assert_eq!(folder.token(), server.token, "`satchel token` prints the token in force");
    assert!(server.get("/api/v1/policy", &server.token).starts_with("HTTP/1.1 200 OK"));

    let output = run(&["token", "--new", "--data", &folder.argument()]);
    let new = text(&output.stdout).trim_end().to_owned();
    let refused = server.get("/api/v1/policy", &server.token);
    assert!(refused.starts_with("HTTP/1.1 401 ") && refused.contains("was replaced"), "{refused}");
    assert!(server.get("/api/v1/policy", &new).starts_with("HTTP/1.1 200 OK"));
    assert_eq!(server.stop().0, Some(0));
}

/// I8
#[cfg(unix)]
#[test]
fn the_log_is_structured_and_holds_no_secret() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--log", "trace"]);
    server.get("/api/v1/policy?secret=in-the-query", &server.token);
    let token = server.token.clone();
    let (code, log) = server.stop();
    assert_eq!(code, Some(0));
    for expected in ["started version=", "method=GET path=\"/api/v1/policy\" status=200 ms=", "stopped requests=1"] {
        assert!(log.contains(expected), "{expected:?} is not in {log}");
    }
    assert!(!log.contains(&token) && !log.contains("in-the-query"), "{log}");
}

#[cfg(unix)]
#[test]
fn the_token_file_is_for_its_owner_only_and_the_database_does_not_hold_the_token() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let token = folder.token();
    let file = folder.path().join("access-token");
    assert_eq!(fs::metadata(&file).expect("is there").permissions().mode() & 0o777, 0o600);
    let database = fs::read(folder.path().join("satchel.db")).expect("reads");
    assert!(!database.windows(token.len()).any(|window| window == token.as_bytes()));
}

/// I8: a server without the key of its vault says so, and leaves everything as it is.
#[test]
fn a_lost_key_of_the_vault_is_said_and_can_be_given_up() {
    let folder = Folder::new();
    Server::start(&folder, &[]).put_secret("MY_KEY", "sk-1");
    let (key, data) = (folder.path().join("vault-key"), folder.argument());
    let kept = fs::read(&key).expect("reads");
    let start = ["--port", "0", "--data", &data];
    fs::write(&key, "half a ke").expect("writes");
    check_failure(&start, 1, &["is not a key for the vault", "put the right key back"]);
    fs::write(&key, kept).expect("writes");
    let listed = {
        let server = Server::start(&folder, &[]);
        server.get("/api/v1/secrets", &server.token)
    };
    assert!(listed.contains("\"has_value\":true"), "{listed}");

    fs::remove_file(&key).expect("removes");
    check_failure(&start, 1, &["the key that opens them is missing", "vault-key", "satchel forget-secrets"]);
    let output = run(&["forget-secrets", "--data", &data]);
    assert_eq!(text(&output.stdout), "removed 1 secret\n", "{}", text(&output.stderr));
    let server = Server::start(&folder, &[]);
    check_failure(&["forget-secrets", "--data", &data], 1, &["another satchel server is using the data folder"]);
    assert!(server.get("/api/v1/secrets", &server.token).ends_with("{\"secrets\":[]}"));
}

/// C39: the operator approves beside a running server, which starts the command, and ends it when it stops itself.
#[cfg(unix)]
#[test]
fn a_command_is_approved_beside_a_running_server() {
    let folder = Folder::new();
    let (data, started) = (folder.argument(), folder.temporary.path().join("started"));
    let server = Server::start(&folder, &["--log", "trace"]);
    let definition = serde_json::json!({"command": env!("CARGO_BIN_EXE_mcp-stand-in"), "args": ["--touch", started]});
    server.put("/api/v1/mcp/servers/a~b", &definition.to_string());
    let listed = run(&["mcp", "list", "--data", &data]);
    let (fingerprint, rest) = text(&listed.stdout).split_at(64);
    assert!(rest.starts_with("  not approved  (a~b)\n  command   "), "{rest}");
    assert!(!started.exists(), "nothing is started that nobody has approved");

    let mut events = server.events();
    let approved = run(&["mcp", "approve", fingerprint, "--data", &data]);
    assert!(approved.status.success(), "{}", text(&approved.stderr));
    assert!(events.any(|line| line.contains("\"status\":\"connected\"")));
    assert!(started.exists());

    let revoked = run(&["mcp", "revoke", fingerprint, "--data", &data]);
    assert!(revoked.status.success(), "{}", text(&revoked.stderr));
    assert!(events.any(|line| line.contains("waiting for the operator's approval")));
    check_failure(&["mcp", "revoke", fingerprint, "--data", &data], 2, &["nothing with this fingerprint was approved"]);
    check_failure(&["mcp", "approve", "npx", "--data", &data], 2, &["a fingerprint has 64 characters"]);

    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "a stream of events does not hold the server up: {log}");
    assert!(!log.contains("cut off") && !log.contains("did not end in time"), "{log}");
}

#[test]
fn two_servers_do_not_share_a_data_folder() {
    let folder = Folder::new();
    let _first = Server::start(&folder, &[]);
    let expected = ["another satchel server is using the data folder", "--data"];
    check_failure(&["serve", "--port", "0", "--data", &folder.argument()], 1, &expected);
}

#[test]
fn a_taken_port_is_said() {
    let folder = Folder::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("binds");
    let port = taken.local_addr().expect("an address").port().to_string();
    let arguments = ["--port", &port, "--data", &folder.argument(), "--log", "off"];
    check_failure(&arguments, 1, &[&format!("port {port} on 127.0.0.1 is taken"), "--port"]);
}

#[test]
fn a_data_folder_that_cannot_be_written_is_said() {
    let temporary = tempfile::tempdir().expect("a folder");
    let file = temporary.path().join("file");
    fs::write(&file, "").expect("writes");
    let inside = file.join("data").display().to_string();
    check_failure(&["--port", "0", "--data", &inside], 1, &["cannot write to the data folder", &inside, "--data"]);
}

#[test]
fn a_mistake_in_the_configuration_is_said() {
    let folder = Folder::new();
    let data = folder.argument();
    fs::create_dir_all(folder.path()).expect("makes");
    fs::write(folder.path().join("satchel.toml"), "[limits]\nrequest_byte = 5\n").expect("writes");
    check_failure(&["--data", &data], 2, &["satchel.toml line 2: unknown field `request_byte`"]);
    check_failure(&["--data", &data, "--listen", "0.0.0.0"], 2, &["--public-url"]);
    fs::remove_file(folder.path().join("satchel.toml")).expect("removes");
    check_failure(&["--data", &data, "--app-dir", &data], 2, &["there is no built app in", "cargo xtask build"]);
    check_failure(&["--data", &data, "--mcp-config", "/no.json"], 2, &["cannot read the file of MCP servers /no.json"]);
    check_failure(&["--data", &data, "--tls-cert", "no.pem", "--tls-key", "no.pem"], 2, &["cannot read a certificate"]);
}

#[test]
fn a_newer_database_is_said_and_left_alone() {
    let folder = Folder::new();
    folder.token();
    let database = folder.path().join("satchel.db");
    set_user_version(&database, 1000);
    let before = fs::read(&database).expect("reads");
    let expected = ["the database has version 1000", "start the newer satchel"];
    check_failure(&["--port", "0", "--data", &folder.argument()], 1, &expected);
    check_failure(&["token", "--data", &folder.argument()], 1, &expected);
    assert_eq!(fs::read(&database).expect("reads"), before);
}

/// The version is a big-endian number at byte 60 of an SQLite file.
fn set_user_version(database: &Path, version: u32) {
    let mut bytes = fs::read(database).expect("reads");
    bytes[60..64].copy_from_slice(&version.to_be_bytes());
    fs::write(database, bytes).expect("writes");
}

/// R323
#[cfg(unix)]
#[test]
fn a_plain_public_address_is_warned_about() {
    let folder = Folder::new();
    let data = folder.argument();
    let mut child = satchel(&["--port", "0", "--data", &data, "--public-url", "http://satchel.lan"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("reads");
    assert!(line.starts_with("http://satchel.lan/#token="), "{line}");
    let (code, log) = Server { child, port: 0, token: String::new() }.stop();
    assert_eq!(code, Some(0));
    assert!(log.contains("WARN") && log.contains("only over HTTPS"), "{log}");
}
