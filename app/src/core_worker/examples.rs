//! The toolsets that come with the app: which there are, installing one, and beginning a chat in which one can be tried.
//!
//! They are bundles like any other, read from the build's own files and checked against its digests. That is why they need not be shown
//! before they are installed; what they may do is decided as for every toolset, and nothing is granted with them.

use satchel_core::bundle::{
    Bundle, BundleError, BundleLimits, Decision, InstallPlan, Origin, Outcome as Meaning, Trial, TrialError,
};
use satchel_core::catalog::{InstalledToolset, Selection, ToolId};
use satchel_core::digest::BlobId;
use satchel_core::local_api::{self, RefusalBody, Request, Response, World, bundles};
use satchel_core::record::SourceType;
use satchel_core::store::StoreError;
use serde::{Deserialize, Serialize};

use super::jobs::in_world;
use super::{errand, store};
use crate::browser::build::{self, BuildError, BuildFile};
use crate::browser::core_worker::scope::{self, Done};
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::tab_news::{self, Topic};

/// Where they are, below the root of the app.
const FOLDER: &str = "/vendor/examples-";

/// What the page asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Errand {
    /// Which there are.
    List,
    /// Install one, or bring it up to date.
    Install {
        /// The toolset.
        id: String,
    },
    /// Begin a chat in which one can be tried, and install it first where it is not there.
    Begin {
        /// The toolset.
        id: String,
        /// The tools that were last chosen for a chat, as they are kept for the next one.
        last: Option<String>,
    },
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// To [`Errand::List`].
    Listed(Vec<Example>),
    /// To [`Errand::Install`]: it is there, in this version.
    Installed {
        /// The version.
        version: String,
    },
    /// To [`Errand::Begin`].
    Begun(Begun),
}

/// A toolset that comes with the app.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Example {
    /// Its id.
    pub(crate) id: String,
    /// Its display name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// What it is for.
    pub(crate) description: String,
    /// How many tools it has.
    pub(crate) tools: usize,
    /// The bytes of its files.
    pub(crate) size: u64,
    /// What there is to try of it, in a few words.
    pub(crate) trial: Option<String>,
    /// What is there under its id.
    pub(crate) presence: Presence,
    /// Where its bundle is, from the root of the app.
    pub(crate) path: String,
    /// What the bundle's bytes hash to.
    pub(crate) sha256: BlobId,
}

/// What is installed of an example.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Presence {
    /// Nothing.
    Absent,
    /// This very one.
    Same,
    /// An older one.
    Older {
        /// Its version.
        version: String,
    },
    /// Something else of the same or a later version, which is the user's to replace.
    Other,
}

/// A chat in which a toolset can be tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Begun {
    /// The chat, with the files in its workspace.
    pub(crate) chat: String,
    /// The tool's whole id.
    pub(crate) tool_id: String,
    /// What to call it with, as JSON.
    pub(crate) arguments: String,
}

/// Why an errand came to nothing.
#[derive(Debug, thiserror::Error)]
enum ErrandError {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("the toolset at {path} cannot be used: {fault}; reload the page")]
    Bundle { path: String, fault: BundleError },
    #[error(transparent)]
    Trial(#[from] TrialError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("this build of the app has no toolset {0:?}; reload the page")]
    NoExample(String),
    #[error("{0} has nothing to try")]
    NoTrial(String),
    #[error("{0}")]
    Refused(String),
}

/// Runs an errand.
pub(super) async fn run(errand: &str) -> Done {
    errand::run(errand, async |errand| Ok::<_, ErrandError>((attempt(errand).await?, Vec::new()))).await
}

async fn attempt(errand: Errand) -> Result<Outcome, ErrandError> {
    let store = store::open().await?;
    match errand {
        Errand::List => {
            let mut examples = Vec::new();
            for (file, bundle) in bundled().await? {
                examples.push(described(&store, file, bundle).await?);
            }
            Ok(Outcome::Listed(examples))
        }
        Errand::Install { id } => {
            let (_, bundle) = find(&id).await?;
            let version = bundle.manifest().version.to_string();
            install(&store, bundle).await?;
            Ok(Outcome::Installed { version })
        }
        Errand::Begin { id, last } => {
            let (_, bundle) = find(&id).await?;
            let trial = bundle.trial()?.ok_or(ErrandError::NoTrial(id))?;
            // What the user put in its place is theirs, and is tried as it is.
            if presence(&store, &bundle).await? != Presence::Other {
                install(&store, bundle).await?;
            }
            begin(&store, trial, last.as_deref()).await.map(Outcome::Begun)
        }
    }
}

/// The bundles of this build.
async fn bundled() -> Result<Vec<(BuildFile, Bundle)>, ErrandError> {
    let mut found = Vec::new();
    for file in build::files_below(&scope::build(), &[FOLDER]).await? {
        let bundle = Bundle::open(&file.raw_bytes().await?.to_vec(), &BundleLimits::default());
        let bundle = bundle.map_err(|fault| ErrandError::Bundle { path: file.path.clone(), fault })?;
        found.push((file, bundle));
    }
    Ok(found)
}

async fn find(id: &str) -> Result<(BuildFile, Bundle), ErrandError> {
    let found = bundled().await?.into_iter().find(|(_, bundle)| bundle.manifest().id.as_str() == id);
    found.ok_or_else(|| ErrandError::NoExample(id.into()))
}

async fn described(store: &IndexedDbStore, file: BuildFile, bundle: Bundle) -> Result<Example, ErrandError> {
    let presence = presence(store, &bundle).await?;
    let manifest = bundle.manifest();
    Ok(Example {
        id: manifest.id.to_string(),
        name: manifest.name.clone(),
        version: manifest.version.to_string(),
        description: manifest.description.clone(),
        tools: manifest.tools.len(),
        size: bundle.size(),
        trial: bundle.trial()?.map(|trial| trial.title),
        presence,
        path: file.path,
        sha256: file.digest,
    })
}

async fn presence(store: &IndexedDbStore, bundle: &Bundle) -> Result<Presence, ErrandError> {
    let there = InstalledToolset::find(store, bundle.manifest().id.as_str()).await?;
    let plan = InstallPlan::new(bundle.clone(), origin(bundle), there.map(InstalledToolset::into_installed));
    let plan = plan.map_err(|error| ErrandError::Refused(error.to_string()))?;
    Ok(match plan.outcome() {
        Meaning::New => Presence::Absent,
        Meaning::Same => Presence::Same,
        Meaning::Upgrade { from } => Presence::Older { version: from.clone() },
        Meaning::Downgrade { .. } | Meaning::Conflict => Presence::Other,
    })
}

/// Installs it by the same commit as any bundle. One that is there just so is stored again, which heals it.
async fn install(store: &IndexedDbStore, bundle: Bundle) -> Result<(), ErrandError> {
    let origin = origin(&bundle);
    let decision = Decision { enabled: true, connect: false, replace: false };
    let install = async |world: &World<'_>| bundles::install(store, world, bundle, origin, decision).await;
    accepted(in_world(store, Vec::new(), install).await)?;
    tab_news::tell(Topic::Toolsets);
    Ok(())
}

fn origin(bundle: &Bundle) -> Origin {
    Origin { source_type: SourceType::Zip, source_ref: Some(format!("{}.zip", bundle.manifest().id)) }
}

/// Makes a chat with the files of a trial, as a script would by the local API. It has the tools that a new chat has (R173), and those that
/// are tried.
async fn begin(store: &IndexedDbStore, trial: Trial, last: Option<&str>) -> Result<Begun, ErrandError> {
    #[derive(Deserialize)]
    struct Made {
        id: String,
    }
    let Trial { title, tool_id, arguments, files } = trial;
    let mut chosen = Selection::of_last(last);
    if let ToolId::Toolset(toolset, _) = &tool_id
        && let Some(tried) = InstalledToolset::find(store, toolset.as_str()).await?
    {
        let keys: Vec<String> = tried.tools.iter().map(|tool| tried.selection_key(&tool.tool_id)).collect();
        chosen = chosen.set_enabled_tools(toolset, keys);
    }
    let new = serde_json::json!({"title": title, "enabledTools": chosen.to_chat()}).to_string().into_bytes();
    let made = ask(store, "POST", "/local/chats".into(), new).await?;
    let Made { id: chat } = serde_json::from_slice(&made).expect("a chat that was made has an id");
    for (name, bytes) in files {
        ask(store, "PUT", format!("/local/chats/{chat}/workspace/files/{name}"), bytes).await?;
    }
    tab_news::tell(Topic::Chats);
    let arguments = serde_json::Value::Object(arguments).to_string();
    Ok(Begun { chat, tool_id: tool_id.to_string(), arguments })
}

async fn ask(store: &IndexedDbStore, method: &str, path: String, body: Vec<u8>) -> Result<Vec<u8>, ErrandError> {
    let request = Request { method: method.into(), path, query: String::new(), body };
    accepted(in_world(store, Vec::new(), async |world| local_api::answer(store, world, request).await).await)
}

fn accepted(response: Response) -> Result<Vec<u8>, ErrandError> {
    if response.status < 300 {
        return Ok(response.body);
    }
    let refusal: Result<RefusalBody, _> = serde_json::from_slice(&response.body);
    Err(ErrandError::Refused(refusal.map_or_else(|_| "it was refused".into(), |refusal| refusal.error.message)))
}
