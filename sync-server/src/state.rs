//! What every request may reach: the names the server goes by, its limits, and its parts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::app_files::AppFiles;
use crate::config::Limits;
use crate::database::Database;
use crate::events::Events;
use crate::guard::Names;
use crate::http_tools::HttpTools;
use crate::llm::OperatorProviders;
use crate::mcp::Mcp;
use crate::mcp::hub::{Hub, HubParts};
use crate::outbound::Outbound;
use crate::packages_folder::PackagesFolder;
use crate::page_model::PageModelFile;
use crate::vault::Vault;

/// The server's parts; clones share them.
#[derive(Clone, Debug)]
pub struct AppState {
    shared: Arc<Shared>,
}

/// What a server is put together from.
#[derive(Debug)]
pub struct Parts {
    /// The names the server goes by.
    pub names: Names,
    /// How much is let in.
    pub limits: Limits,
    /// The app's files.
    pub files: AppFiles,
    /// The folder of Python packages.
    pub packages: PackagesFolder,
    /// The model that pages may fetch.
    pub page_model: Option<PageModelFile>,
    /// The database.
    pub database: Database,
    /// The accounts' secrets.
    pub vault: Vault,
    /// The way out.
    pub outbound: Outbound,
    /// The operator's sources of models.
    pub providers: OperatorProviders,
    /// Ids of the toolsets that the operator does not allow.
    pub disabled_toolsets: Vec<String>,
    /// What is told to the accounts' pages.
    pub events: Events,
    /// The MCP servers.
    pub mcp: Mcp,
}

#[derive(Debug)]
struct Shared {
    parts: Parts,
    http_tools: HttpTools,
    hub: Hub,
    handled: AtomicU64,
}

impl AppState {
    /// Puts the parts together.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let http_tools = HttpTools::new(parts.names.clone(), parts.vault.clone(), parts.outbound.clone());
        let hub = Hub::new(HubParts {
            database: parts.database.clone(),
            mcp: parts.mcp.clone(),
            http_tools: http_tools.clone(),
            disabled_toolsets: parts.disabled_toolsets.clone(),
            events: parts.events.clone(),
        });
        Self { shared: Arc::new(Shared { parts, http_tools, hub, handled: AtomicU64::new(0) }) }
    }

    /// The names the server goes by.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.shared.parts.names
    }

    /// How much is let in.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.shared.parts.limits
    }

    /// The app's files.
    #[must_use]
    pub fn files(&self) -> &AppFiles {
        &self.shared.parts.files
    }

    /// The folder of Python packages.
    #[must_use]
    pub fn packages(&self) -> &PackagesFolder {
        &self.shared.parts.packages
    }

    /// The model that pages may fetch.
    #[must_use]
    pub fn page_model(&self) -> Option<&PageModelFile> {
        self.shared.parts.page_model.as_ref()
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.shared.parts.database
    }

    /// The accounts' secrets.
    #[must_use]
    pub fn vault(&self) -> &Vault {
        &self.shared.parts.vault
    }

    /// The way out.
    #[must_use]
    pub fn outbound(&self) -> &Outbound {
        &self.shared.parts.outbound
    }

    /// The operator's sources of models.
    #[must_use]
    pub fn operator_providers(&self) -> &OperatorProviders {
        &self.shared.parts.providers
    }

    /// Ids of the toolsets that the operator does not allow.
    #[must_use]
    pub fn disabled_toolsets(&self) -> &[String] {
        &self.shared.parts.disabled_toolsets
    }

    /// What is told to the accounts' pages.
    #[must_use]
    pub fn events(&self) -> &Events {
        &self.shared.parts.events
    }

    /// What carries out calls of HTTP tools.
    #[must_use]
    pub fn http_tools(&self) -> &HttpTools {
        &self.shared.http_tools
    }

    /// What other programs are offered.
    #[must_use]
    pub fn hub(&self) -> &Hub {
        &self.shared.hub
    }

    /// The MCP servers.
    #[must_use]
    pub fn mcp(&self) -> &Mcp {
        &self.shared.parts.mcp
    }

    /// How many requests have come past the guard to a handler.
    #[must_use]
    pub fn handled(&self) -> u64 {
        self.shared.handled.load(Ordering::Relaxed)
    }

    /// Counts a request that came past the guard.
    pub(crate) fn count_handled(&self) {
        self.shared.handled.fetch_add(1, Ordering::Relaxed);
    }
}
