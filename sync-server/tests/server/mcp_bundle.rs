//! The MCP servers of a toolset: from a bundle, over the rows of a device, to the server that is told of them (F17, R057).

use std::cell::Cell;

use axum::http::StatusCode;
use satchel_core::bundle::{Bundle, BundleLimits, Decision, InstallPlan, Origin};
use satchel_core::catalog::{InstalledToolset, Surroundings, ToolsetList};
use satchel_core::ids::{DeviceId, Uid};
use satchel_core::mcp::{OwnPublications, Publication, definitions_wanted};
use satchel_core::protocol::{McpDefinition, McpServerState};
use satchel_core::record::{SourceType, ToolsetMcpServer};
use satchel_core::store::{Commit, MemoryStore, Store as _};
use satchel_core::time::Timestamp;
use serde_json::{Value, json};

use crate::fixture::{Fixture, Setup};
use crate::mcp::Canary;
use crate::mcp_page::Page;
use crate::mcp_web::Web;
use crate::sockets::soon;

const PROGRAM: &str = "stranger~program";
const WEB: &str = "stranger~web";
const WAITING: &str = "waiting for the operator's approval";
const NOW: Timestamp = Timestamp::from_millis(1);

/// A device that has an app and a Satchel server.
struct Device {
    store: MemoryStore,
    uids: Cell<u32>,
}

impl Device {
    fn new() -> Self {
        let id = DeviceId::parse("0198c5a4-7c1e-7000-8000-00000000000a").expect("is a UUID");
        Self { store: MemoryStore::new(id), uids: Cell::new(0) }
    }

    /// Installs a bundle as somebody does who has read what it says; the lines that are shown for its servers.
    async fn install(&self, manifest: &str) -> Vec<String> {
        let bundle = Bundle::open(manifest.as_bytes(), &BundleLimits::default()).expect("is a bundle");
        let installed = InstalledToolset::find(&self.store, bundle.manifest().id.as_str()).await.expect("reads");
        let origin = Origin { source_type: SourceType::Zip, source_ref: None };
        let plan = InstallPlan::new(bundle, origin, installed.map(InstalledToolset::into_installed)).expect("may be");
        let shown = plan.contents().servers.into_iter().map(|server| server.line).collect();
        let decision = Decision { enabled: true, connect: true, replace: false };
        let uid = || {
            self.uids.set(self.uids.get() + 1);
            Uid::parse(format!("0198c5a4-7c1e-7000-8000-{:012}", self.uids.get())).expect("is a UUID")
        };
        self.apply(plan.into_commit(NOW, decision, uid).expect("is new or newer")).await;
        shown
    }

    async fn apply(&self, commit: Commit) {
        self.store.apply(commit, NOW).await.expect("the commit fits");
    }

    /// Tells the server what the app tells it.
    async fn publish(&self, page: &Page<'_>) {
        let list = page.ask("GET", "/api/v1/mcp/servers", Value::Null).await.json();
        let there: Vec<McpServerState> = serde_json::from_value(list["servers"].clone()).expect("states");
        let toolsets = ToolsetList::load(&self.store).await.expect("reads").toolsets;
        let wanted = definitions_wanted(&toolsets, &Surroundings::default());
        for (key, definition) in Publication::plan(&wanted, &there, &OwnPublications::default()).put {
            let body = serde_json::to_value(definition).expect("writes");
            let answer = page.ask("PUT", &format!("/api/v1/mcp/servers/{key}"), body).await;
            assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        }
    }
}

/// A stranger's toolset with a command that leaves a mark, and an address.
fn manifest(version: &str, script: &str, url: &str) -> String {
    let servers = json!([{"id": "program", "command": "sh", "args": ["-c", script]}, {"id": "web", "url": url}]);
    format!("manifest_version: \"1\"\nid: stranger\nname: Stranger\nversion: {version}\nmcp_servers: {servers}\n")
}

async fn state_of(page: &Page<'_>, key: &str) -> Value {
    page.ask("GET", &format!("/api/v1/mcp/servers/{key}"), Value::Null).await.json()
}

/// Waits until one server is doing so; the reason it gives.
async fn until(page: &mut Page<'_>, key: &str, status: &str) -> Value {
    loop {
        let told = page.until_status(status).await;
        if told["key"] == key {
            return told["reason"].clone();
        }
    }
}

/// Sees that the command waits, and that calling it or asking for it again does not start it.
async fn waits(page: &mut Page<'_>, canary: &Canary) {
    // Once when it was published, and once when the task that would start it has decided.
    for _ in 0..2 {
        assert_eq!(until(page, PROGRAM, "error").await, WAITING);
    }
    let call = json!({"client": "page", "call_id": "c", "tool": "any", "arguments": {}});
    let called = page.ask("POST", &format!("/api/v1/mcp/servers/{PROGRAM}/calls"), call).await;
    assert_eq!(called.status, StatusCode::BAD_GATEWAY, "{}", called.text());
    let again = page.ask("POST", &format!("/api/v1/mcp/servers/{PROGRAM}/reconnect"), Value::Null).await;
    assert_eq!(again.status, StatusCode::ACCEPTED);
    assert_eq!(state_of(page, PROGRAM).await["reason"], WAITING);
    assert!(!canary.sang(), "a command of a bundle was started that nobody has approved");
}

/// F17, R057, C39: after the installation addresses are connected; a command is started by the operator's word, exactly as approved.
#[tokio::test]
async fn addresses_of_a_bundle_are_connected_and_its_commands_wait_for_the_operator() {
    let (_, running) = Web::start(true).await;
    let config = format!("[outbound]\nprivate_hosts = [\"{}\"]\n", running.address);
    let fixture = Fixture::set_up(Setup { config, ..Setup::default() }).await;
    let mut page = Page::open(&fixture, "page").await;
    let canary = Canary::new();
    let script = format!("echo started > {}", canary.path());
    let url = format!("http://{}/mcp", running.address);

    let device = Device::new();
    let shown = device.install(&manifest("1.0.0", &script, &url)).await;
    assert_eq!(shown, [format!("sh -c \"{script}\""), url.clone()], "each command and each address is named");
    device.publish(&page).await;
    waits(&mut page, &canary).await;
    soon("the address to be connected", async {
        while state_of(&page, WEB).await["status"] != "connected" {
            tokio::task::yield_now().await;
        }
    })
    .await;

    // The operator approves this very line.
    let definition: McpDefinition =
        serde_json::from_value(state_of(&page, PROGRAM).await["definition"].clone()).expect("a definition");
    fixture.state.database().approve_mcp(&definition).await.expect("approves");
    while until(&mut page, PROGRAM, "error").await == WAITING {}
    assert!(canary.sang(), "the canary sings when there is reason to");

    // A later version says something else, and waits again.
    let other = format!("{script}; echo more");
    device.install(&manifest("1.0.1", &other, &url)).await;
    device.publish(&page).await;
    waits(&mut page, &canary).await;
}

/// F17: a row that came to the device without any installation, as from another device, starts nothing either.
#[tokio::test]
async fn a_row_alone_starts_no_command() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    let canary = Canary::new();
    let device = Device::new();
    device.install(&manifest("1.0.0", "true", "https://mcp.example.com/")).await;
    let row = ToolsetMcpServer {
        toolset_id: serde_json::from_value(json!("stranger")).expect("a name"),
        server_id: serde_json::from_value(json!("program")).expect("a name"),
        config: json!({"command": "sh", "args": ["-c", format!("echo started > {}", canary.path())]}),
        enabled: true,
        auto_enabled: true,
        requires_confirmation: false,
    };
    device.apply(Commit::default().put(&row)).await;
    device.publish(&page).await;
    waits(&mut page, &canary).await;
}

/// R057, R262: an address of a bundle that is private is reached only where the operator allows it.
#[tokio::test]
async fn a_private_address_of_a_bundle_is_not_reached() {
    let (web, running) = Web::start(true).await;
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    let device = Device::new();
    device.install(&manifest("1.0.0", "true", &format!("http://{}/mcp", running.address))).await;
    device.publish(&page).await;
    let reason = until(&mut page, WEB, "error").await;
    assert!(reason.as_str().is_some_and(|reason| reason.contains("private_hosts")), "{reason}");
    assert_eq!(web.asked(), 0, "nothing was sent");
}
