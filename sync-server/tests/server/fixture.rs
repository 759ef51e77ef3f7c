//! A server in-process, with a small built app in a folder of its own.

use std::collections::HashMap;
use std::fs;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use satchel_core::protocol::{Problem, ProblemCode};
use satchel_server::access_token::{self, AccessToken};
use satchel_server::app_files::AppFiles;
use satchel_server::config::FileConfig;
use satchel_server::data_folder::DataFolder;
use satchel_server::database::Database;
use satchel_server::events::Events;
use satchel_server::guard::Names;
use satchel_server::llm::OperatorProviders;
use satchel_server::mcp::{Mcp, McpParts, OperatorServers, PassedOn};
use satchel_server::outbound::{Outbound, Resolver, Rules};
use satchel_server::packages_folder::PackagesFolder;
use satchel_server::page_model::PageModelFile;
use satchel_server::state::Parts;
use satchel_server::vault::Vault;
use satchel_server::{AppState, app};
use tempfile::TempDir;
use tower::ServiceExt as _;

/// The host a fixture goes by.
pub(crate) const HOST: &str = "127.0.0.1:8787";
/// The origin a fixture goes by.
pub(crate) const ORIGIN: &str = "http://127.0.0.1:8787";

/// The policy of the app's page, as its build says.
pub(crate) const APP_POLICY: &str = "default-src 'none'; script-src 'self' 'sha256-abc='; frame-ancestors 'none'";
/// The policy of the cage.
pub(crate) const CAGE_POLICY: &str = "sandbox allow-scripts; default-src 'none'; worker-src data:";
/// The policy of the frame for artifacts.
pub(crate) const FRAME_POLICY: &str = "sandbox allow-scripts; default-src 'none'; frame-src 'none'";

/// Files of the built app: path, content, content type, immutable.
pub(crate) const FILES: [(&str, &str, &str, bool); 6] = [
    ("/404.html", "<!doctype html><title>Satchel</title>", "text/html; charset=utf-8", false),
    ("/app-0123456789abcdef.js", "console.log('the app');", "text/javascript; charset=utf-8", true),
    ("/cage.html", "<!doctype html><title>cage</title>", "text/html; charset=utf-8", false),
    ("/frame.html", "<!doctype html><title>frame</title>", "text/html; charset=utf-8", false),
    ("/icons/icon.png", "not really a picture", "image/png", false),
    ("/index.html", "<!doctype html><title>Satchel</title>", "text/html; charset=utf-8", false),
];

/// A server in-process and the folder it lives in.
pub(crate) struct Fixture {
    pub(crate) state: AppState,
    pub(crate) router: Router,
    pub(crate) token: AccessToken,
    pub(crate) folder: DataFolder,
    _temporary: TempDir,
}

/// How a server is set up beside its app. What is left out is empty.
#[derive(Default)]
pub(crate) struct Setup {
    /// The text of `satchel.toml`.
    pub(crate) config: String,
    /// What names lead to; no other name leads anywhere.
    pub(crate) names: Vec<(&'static str, &'static str)>,
    /// The environment of the operator's keys.
    pub(crate) environment: Vec<(&'static str, &'static str)>,
    /// The model that pages may fetch.
    pub(crate) page_model: Option<PageModelFile>,
    /// The operator's file of MCP servers.
    pub(crate) mcp_file: String,
    /// The certificate authorities that are trusted.
    pub(crate) roots: Vec<CertificateDer<'static>>,
}

/// Looks nothing up: every name leads where the test says.
#[derive(Debug)]
pub(crate) struct StandInResolver(HashMap<String, Vec<IpAddr>>);

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Fixture {
    /// A server with the app of [`write_app`].
    pub(crate) async fn start() -> Self {
        Self::set_up(Setup::default()).await
    }

    /// A server with the app of [`write_app`] and a set-up of the test's choice.
    pub(crate) async fn set_up(setup: Setup) -> Self {
        let temporary = tempfile::tempdir().expect("a folder");
        let dist = temporary.path().join("dist");
        write_app(&dist);
        let files = AppFiles::from_folder(&dist).expect("loads");
        Self::put_together(temporary, files, PackagesFolder::default(), setup).await
    }

    /// A server with an app of the test's choice.
    pub(crate) async fn with_files(temporary: TempDir, files: AppFiles) -> Self {
        Self::with_packages(temporary, files, PackagesFolder::default()).await
    }

    /// A server with an app and a folder of Python packages.
    pub(crate) async fn with_packages(temporary: TempDir, files: AppFiles, packages: PackagesFolder) -> Self {
        Self::put_together(temporary, files, packages, Setup::default()).await
    }

    async fn put_together(temporary: TempDir, files: AppFiles, packages: PackagesFolder, setup: Setup) -> Self {
        let file = FileConfig::parse(&setup.config).expect("a sound configuration");
        let folder = DataFolder::open(&temporary.path().join("data")).expect("opens");
        let database = Database::open(&folder.database_path()).expect("opens");
        let token = access_token::current(&folder, &database).await.expect("a token");
        let vault = Vault::open(&folder, &database, None).await.expect("opens");
        let resolver = Arc::new(StandInResolver::new(&setup.names));
        let mut roots = RootCertStore::empty();
        for root in setup.roots {
            roots.add(root).expect("a root");
        }
        let environment: HashMap<_, _> = setup.environment.into_iter().collect();
        let environment = |name: &str| environment.get(name).map(ToString::to_string);
        let outbound = Outbound::with(Rules::new(file.outbound.private_hosts), &file.limits, resolver, roots);
        let events = Events::default();
        let operator = match setup.mcp_file.as_str() {
            "" => OperatorServers::default(),
            text => OperatorServers::parse(text).expect("a sound file of MCP servers"),
        };
        let mcp = Mcp::new(McpParts {
            database: database.clone(),
            vault: vault.clone(),
            outbound: outbound.clone(),
            events: events.clone(),
            operator,
            passed_on: PassedOn::new(&file.mcp.environment, environment),
            origin: ORIGIN.to_owned(),
            limits: file.limits,
        });
        let mcp = mcp.await.expect("MCP");
        mcp.start().await.expect("MCP starts");
        let state = AppState::new(Parts {
            names: Names::loopback(ORIGIN.parse().expect("an origin")),
            limits: file.limits,
            files,
            packages,
            page_model: setup.page_model,
            database,
            vault,
            outbound,
            providers: OperatorProviders::new(&file.providers, environment),
            disabled_toolsets: file.policy.disabled_toolsets,
            events,
            mcp,
        });
        Self { router: app(state.clone()), state, token, folder, _temporary: temporary }
    }

    /// Makes a second account, as an operator will; its token.
    pub(crate) fn second_account(&self) -> AccessToken {
        let token = AccessToken::random().expect("randomness");
        let connection = rusqlite::Connection::open(self.folder.database_path()).expect("opens");
        connection
            .execute("INSERT INTO accounts VALUES ('0198c5a4-7c1e-7000-8000-000000000002', 'you', 1)", [])
            .expect("writes");
        connection
            .execute(
                "INSERT INTO access_tokens VALUES (?1, '0198c5a4-7c1e-7000-8000-000000000002', 1, NULL)",
                [token.hash().as_bytes()],
            )
            .expect("writes");
        token
    }

    /// A request by the first account with a body in JSON; `null` stands for none.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: serde_json::Value) -> Answer {
        self.ask_as(&self.token, method, path, body).await
    }

    /// A request by the account of a token.
    pub(crate) async fn ask_as(
        &self,
        token: &AccessToken,
        method: &str,
        path: &str,
        body: serde_json::Value,
    ) -> Answer {
        let bearer = format!("Bearer {}", token.reveal());
        let request = request(method, path, &[("authorization", &bearer)]);
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        self.answer(request.map(|_| body)).await
    }

    pub(crate) async fn answer(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.expect("a router always answers");
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.expect("reads");
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// A GET to the right host, with headers of the test's choice.
    pub(crate) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.answer(request("GET", path, headers)).await
    }

    /// The `Authorization` that opens the API.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.token.reveal())
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{} {}", self.status, self.text()))
    }

    pub(crate) fn problem(&self) -> ProblemCode {
        serde_json::from_slice::<Problem>(&self.body).expect("a problem").error.code
    }
}

impl StandInResolver {
    pub(crate) fn new(names: &[(&str, &str)]) -> Self {
        let mut found: HashMap<String, Vec<IpAddr>> = HashMap::new();
        for (name, address) in names {
            found.entry((*name).to_owned()).or_default().push(address.parse().expect("an IP address"));
        }
        Self(found)
    }
}

impl Resolver for StandInResolver {
    fn resolve(&self, name: String) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        let found = self.0.get(&name).cloned();
        Box::pin(async move { found.ok_or_else(|| io::Error::other("the test knows no such name")) })
    }
}

/// A request to the right host.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut builder = Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| *name == "host") {
        builder = builder.header("host", HOST);
    }
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    builder.body(Body::empty()).expect("a request")
}

/// What `satchel-build.json` says about [`FILES`]; the hash of a file is its path.
pub(crate) fn description() -> String {
    let file = |(path, content, content_type, immutable): &(&str, &str, &str, bool)| {
        serde_json::json!({
            "path": path, "sha256": format!("hash of {path}"), "bytes": content.len(),
            "br_bytes": is_compressed(path).then(|| compress(content).len()),
            "content_type": content_type, "immutable": immutable, "part": "shell",
        })
    };
    serde_json::json!({
        "build": "0123456789abcdef",
        "files": FILES.iter().map(file).collect::<Vec<_>>(),
        "headers": {
            "app": {"content-security-policy": APP_POLICY},
            "cage": {"content-security-policy": CAGE_POLICY},
            "frame": {"content-security-policy": FRAME_POLICY},
            "any": {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer"},
        },
    })
    .to_string()
}

/// Writes a small built app.
pub(crate) fn write_app(dist: &Path) {
    for (path, content, _, _) in FILES {
        let place = dist.join(path.trim_start_matches('/'));
        fs::create_dir_all(place.parent().expect("a folder")).expect("makes");
        fs::write(&place, content).expect("writes");
        if is_compressed(path) {
            fs::write(format!("{}.br", place.display()), compress(content)).expect("writes");
        }
    }
    fs::write(dist.join("satchel-build.json"), description()).expect("writes");
}

/// Whether the build keeps a compressed copy.
pub(crate) fn is_compressed(path: &str) -> bool {
    !path.ends_with(".png")
}

/// Brotli, as the build does it.
pub(crate) fn compress(content: &str) -> Vec<u8> {
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut content.as_bytes(), &mut compressed, &brotli::enc::BrotliEncoderParams::default())
        .expect("compresses");
    compressed
}
