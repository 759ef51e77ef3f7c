//! The Python packages of toolsets: fetched, kept, looked at and let go of.

use std::time::Duration;

use futures_util::future::{Either, select};
use satchel_core::digest::BlobId;
use satchel_core::python::packages::{
    FetchFailure, PackageError, PackageLimits, PackageSource, Packages, SourceAddress, SourceAddressError, Step,
    ToolsetPackages, look, package_sources, remove_kept, set_package_sources, toolset_packages,
};
use satchel_core::record::{PackageId, RowKey, Toolset};
use satchel_core::store::{self as rows, Commit, Store as _, StoreError};
use serde::{Deserialize, Serialize};

use super::{errand, store};
use crate::browser::clock;
use crate::browser::core_worker::scope::Done;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::outgoing::{self, Outgoing, OutgoingError};
use crate::browser::tab_news::{self, Topic};

/// How long one file may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the page asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "errand", rename_all = "snake_case")]
pub(crate) enum Errand {
    /// How things stand.
    Overview {
        /// With one toolset alone.
        toolset: Option<String>,
    },
    /// Take these addresses for sources from now on.
    SetSources {
        /// As they were typed.
        addresses: Vec<String>,
    },
    /// Ask a source whether it is one.
    Look {
        /// Its address; none for the folder next to the app.
        address: Option<String>,
    },
    /// Have the packages of a toolset fetched, so that they are there without a network.
    Fetch {
        /// The toolset.
        toolset: String,
    },
    /// Let go of what is kept.
    Remove {
        /// For this package of a toolset.
        package: PackageId,
    },
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// To [`Errand::Overview`].
    Overview(Overview),
    /// To [`Errand::Look`].
    Looked {
        /// How many packages it names, where it says so.
        packages: Option<usize>,
    },
    /// It is done.
    Done,
}

/// How things stand with packages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Overview {
    /// The addresses that the user has entered.
    pub(crate) sources: Vec<String>,
    /// The toolsets that need packages.
    pub(crate) toolsets: Vec<ToolsetLine>,
}

/// A toolset that needs packages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToolsetLine {
    /// Its id.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// Its package.
    pub(crate) package: PackageId,
    /// What it declares.
    pub(crate) declared: Vec<String>,
    /// The wheels it ships.
    pub(crate) shipped: Vec<String>,
    /// The wheels that are kept for it; none where they are still to be fetched.
    pub(crate) kept: Option<Vec<WheelLine>>,
}

/// A wheel that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WheelLine {
    /// The package.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// Its bytes.
    pub(crate) size: u64,
    /// Where it came from.
    pub(crate) href: String,
}

/// Why an errand came to nothing.
#[derive(Debug, thiserror::Error)]
enum ErrandError {
    #[error(transparent)]
    Address(#[from] SourceAddressError),
    #[error(transparent)]
    Package(#[from] PackageError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("no toolset {0:?} is installed")]
    NoToolset(String),
}

/// Runs an errand.
pub(super) async fn run(errand: &str) -> Done {
    errand::run(errand, async |errand| Ok::<_, ErrandError>((attempt(errand).await?, Vec::new()))).await
}

async fn attempt(errand: Errand) -> Result<Outcome, ErrandError> {
    let store = store::open().await?;
    match errand {
        Errand::Overview { toolset } => overview(&store, toolset.as_deref()).await.map(Outcome::Overview),
        Errand::SetSources { addresses } => {
            let setting = set_package_sources(&addresses)?;
            store.apply(Commit::default().put(&setting), clock::now()).await?;
            Ok(Outcome::Done)
        }
        Errand::Look { address } => {
            let address = match address {
                Some(text) => SourceAddress::parse(&text)?,
                None => SourceAddress::own_folder(),
            };
            let packages = look(&address, &Network, &PackageLimits::default()).await?;
            Ok(Outcome::Looked { packages })
        }
        Errand::Fetch { toolset: id } => {
            let toolset: Option<Toolset> = rows::get(&store, RowKey::one(&id)).await?;
            let toolset = toolset.ok_or(ErrandError::NoToolset(id))?;
            ready(&store, toolset.package, &|_| {}).await?;
            tab_news::tell(Topic::Toolsets);
            Ok(Outcome::Done)
        }
        Errand::Remove { package } => {
            remove_kept(&store, package, clock::now()).await?;
            tab_news::tell(Topic::Toolsets);
            Ok(Outcome::Done)
        }
    }
}

async fn overview(store: &IndexedDbStore, only: Option<&str>) -> Result<Overview, ErrandError> {
    let sources = package_sources(store).await?;
    let sources = sources.iter().map(|address| address.href().to_owned()).collect();
    let installed = rows::list::<Toolset>(store).await?.into_iter().flatten();
    let wanted =
        |toolset: &Toolset| toolset.soft_deleted_at.is_none() && only.is_none_or(|only| toolset.id.as_str() == only);
    let mut toolsets = Vec::new();
    for toolset in installed.filter(wanted) {
        let ToolsetPackages { package, declared, shipped, kept } = toolset_packages(store, &toolset).await?;
        if declared.is_empty() && shipped.is_empty() {
            continue;
        }
        let lines = kept.map(|kept| {
            let line = |wheel: satchel_core::record::PythonWheel| WheelLine {
                name: wheel.name,
                version: wheel.version,
                size: wheel.size,
                href: wheel.href,
            };
            kept.wheels.into_iter().map(line).collect()
        });
        let (id, name) = (toolset.id.to_string(), toolset.name);
        toolsets.push(ToolsetLine { id, name, package, declared, shipped, kept: lines });
    }
    Ok(Overview { sources, toolsets })
}

/// The wheels that a package of a toolset needs beside those it ships.
pub(super) async fn ready(
    store: &IndexedDbStore,
    package: PackageId,
    on_step: &dyn Fn(Step<'_>),
) -> Result<Vec<(String, BlobId)>, PackageError> {
    let packages = Packages { store, source: &Network, limits: PackageLimits::default(), now: &clock::now };
    packages.ready(package, on_step).await
}

/// The browser's network, without credentials and without following anywhere else.
struct Network;

impl PackageSource for Network {
    async fn fetch(&self, href: &str, accept: &str, limit: u64) -> Result<Vec<u8>, FetchFailure> {
        let patience = std::pin::pin!(clock::wait(PATIENCE));
        match select(std::pin::pin!(fetch(href, accept, limit)), patience).await {
            Either::Left((fetched, _)) => fetched,
            Either::Right(_) => Err(FetchFailure::Unreachable),
        }
    }
}

async fn fetch(href: &str, accept: &str, limit: u64) -> Result<Vec<u8>, FetchFailure> {
    let failed = |error| match error {
        OutgoingError::Unreachable => FetchFailure::Unreachable,
        OutgoingError::TooLarge => FetchFailure::TooLarge,
    };
    let headers = [("accept".to_owned(), accept.to_owned())];
    let incoming = outgoing::send(Outgoing { method: "GET", href, headers: &headers, body: None }).await;
    let incoming = incoming.map_err(failed)?;
    match incoming.status() {
        404 | 410 => Err(FetchFailure::Absent),
        _ if incoming.is_ok() => Ok(incoming.body(limit, |_, _| {}).await.map_err(failed)?.to_vec()),
        status => Err(FetchFailure::Status(status)),
    }
}
