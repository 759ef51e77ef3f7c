//! What installing a bundle would do, to be shown first, and the one commit that does it.

use std::collections::BTreeMap;

use semver::Version;
use serde::{Deserialize, Serialize};

use super::manifest::{SecretDeclaration, ServerDeclaration, ToolDeclaration};
use super::{Bundle, BundleFile, kind_of};
use crate::catalog::{ToolId, ToolsetId};
use crate::digest::BlobId;
use crate::ids::Uid;
use crate::record::{
    FileKind, Package, PackageId, PackageStanding, RowRef, SourceType, Tool, ToolKind, ToolRenderConfig, Toolset,
    ToolsetFile, ToolsetMcpServer,
};
use crate::store::{Blob, Commit};
use crate::sync::Stamp;
use crate::time::Timestamp;

/// Where a bundle came from (R058, R061).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// What kind of place.
    pub source_type: SourceType,
    /// The file, folder or address.
    pub source_ref: Option<String>,
}

/// What is installed under the bundle's id, uninstalled within its undo time included.
#[derive(Clone, Debug, PartialEq)]
pub struct Installed {
    /// The toolset.
    pub toolset: Toolset,
    /// The stamp its row had when it was read.
    pub stamp: Option<Stamp>,
    /// The tools of its package.
    pub tools: Vec<Tool>,
    /// Its servers.
    pub servers: Vec<ToolsetMcpServer>,
    /// Its package.
    pub package: Option<Package>,
}

/// What installing would mean for what is there (C51).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// There is none of this id.
    New,
    /// It is there already, just so. Installing it again stores its files once more, which heals them; replacing it also its rows.
    Same,
    /// It is newer; what the user changed is kept.
    Upgrade {
        /// The version that is there.
        from: String,
    },
    /// It is older; only if the user wants that.
    Downgrade {
        /// The version that is there.
        from: String,
    },
    /// It has the same version and other contents; only if the user wants that (R067).
    Conflict,
}

/// What a bundle contains, in full, for people to read before they agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contents {
    /// The toolset's id.
    pub id: ToolsetId,
    /// Its display name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it is for.
    pub description: String,
    /// The name of its contents.
    pub package: PackageId,
    /// All bytes of its files.
    pub size: u64,
    /// Its tools.
    pub tools: Vec<ToolLine>,
    /// Its servers.
    pub servers: Vec<ServerLine>,
    /// The hosts it wants to reach.
    pub hosts: Vec<String>,
    /// The Python packages it needs.
    pub python_packages: Vec<String>,
    /// The secrets and variables it wants.
    pub secrets: Vec<SecretDeclaration>,
    /// Its files.
    pub files: Vec<FileLine>,
}

/// A tool, as it is shown before installing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolLine {
    /// Its whole id.
    pub tool_id: ToolId,
    /// Its display name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// How it runs.
    #[serde(rename = "type")]
    pub kind: ToolKind,
    /// How its result is shown.
    pub renderer: Option<String>,
    /// Whether it asks before it runs.
    pub requires_confirmation: bool,
}

/// A server, as it is shown before installing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerLine {
    /// Its id within the toolset.
    pub server_id: String,
    /// The whole command line or address, nothing left out.
    pub line: String,
    /// Whether it is a command, which only an operator can let run (C39).
    pub is_command: bool,
    /// Whether its tools ask before they run.
    pub requires_confirmation: bool,
}

/// A file, as it is shown before installing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLine {
    /// Where it is.
    pub path: String,
    /// What it is for.
    pub kind: FileKind,
    /// How many bytes.
    pub size: u64,
    /// The name of its bytes.
    pub sha256: BlobId,
}

/// What the user decided when they saw the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether a toolset that is new is switched on.
    pub enabled: bool,
    /// Whether the user saw where its servers are: if not, one that is new or was changed is switched off, so that
    /// nothing is contacted that nobody agreed to (R057).
    pub connect: bool,
    /// Whether other contents of the same or a later version may be replaced, and rows of the very same ones written again.
    pub replace: bool,
}

/// Something else is there under this id, and nobody said to replace it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{id} {installed} is installed with other contents; {version} takes its place only if you choose to replace it"
)]
pub struct ReplaceNeeded {
    /// The toolset.
    pub id: ToolsetId,
    /// The version that is there.
    pub installed: String,
    /// The version of the bundle.
    pub version: String,
}

/// A bundle has the id of a toolset that is compiled in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is built in and cannot be replaced by a bundle")]
pub struct BuiltInToolset(pub ToolsetId);

/// A bundle, what it would change, and everything needed to do so.
#[derive(Clone, Debug)]
pub struct InstallPlan {
    bundle: Bundle,
    origin: Origin,
    installed: Option<Installed>,
    outcome: Outcome,
    /// Whether a user makes it of one MCP server.
    user_mcp: bool,
}

impl InstallPlan {
    /// Compares a bundle with what is there.
    pub fn new(bundle: Bundle, origin: Origin, installed: Option<Installed>) -> Result<Self, BuiltInToolset> {
        let outcome = match &installed {
            None => Outcome::New,
            Some(there) if there.toolset.is_built_in => return Err(BuiltInToolset(there.toolset.id.clone())),
            Some(there) if there.toolset.soft_deleted_at.is_some() => Outcome::New,
            Some(there) if there.toolset.package == bundle.package => Outcome::Same,
            Some(there) => compare(&bundle.manifest.version, &there.toolset.version),
        };
        Ok(Self { bundle, origin, installed, outcome, user_mcp: false })
    }

    /// What it means for what is there.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// What is accepted and still worth a look.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        self.bundle.warnings()
    }

    /// The bundle, where it was only looked at.
    #[must_use]
    pub fn into_bundle(self) -> Bundle {
        self.bundle
    }

    /// What it contains.
    #[must_use]
    pub fn contents(&self) -> Contents {
        let Bundle { manifest, files, package, .. } = &self.bundle;
        let tool = |tool: &ToolDeclaration| ToolLine {
            tool_id: ToolId::Toolset(manifest.id.clone(), tool.id.clone()),
            name: tool.name.clone(),
            description: tool.description.clone(),
            kind: tool.kind,
            renderer: tool.renderer.as_ref().map(|renderer| renderer.kind.name().to_owned()),
            requires_confirmation: tool.requires_confirmation,
        };
        let server = |server: &ServerDeclaration| ServerLine {
            server_id: server.id.to_string(),
            line: server.line(),
            is_command: matches!(server.reach, super::manifest::Reach::Command { .. }),
            requires_confirmation: server.requires_confirmation,
        };
        let file = |(path, file): (&String, &BundleFile)| FileLine {
            path: path.clone(),
            kind: kind_of(path),
            size: file.bytes.len() as u64,
            sha256: file.id,
        };
        Contents {
            id: manifest.id.clone(),
            name: manifest.name.clone(),
            version: manifest.version.to_string(),
            description: manifest.description.clone(),
            package: *package,
            size: self.bundle.size(),
            tools: manifest.tools.iter().map(tool).collect(),
            servers: manifest.servers.iter().map(server).collect(),
            hosts: manifest.hosts.clone(),
            python_packages: manifest.python_packages.clone(),
            secrets: manifest.secrets.clone(),
            files: files.iter().map(file).collect(),
        }
    }

    /// The same for a toolset that a user makes of one server (R119).
    #[must_use]
    pub fn for_one_server(self) -> Self {
        Self { user_mcp: true, ..self }
    }

    /// The one commit that installs it (R059), or why it may not be. It relies on the toolset being as it was looked at.
    pub fn into_commit(
        self,
        now: Timestamp,
        decision: Decision,
        mut uids: impl FnMut() -> Uid,
    ) -> Result<Commit, ReplaceNeeded> {
        let Self { bundle, origin, installed, outcome, user_mcp } = self;
        match outcome {
            // Nothing changes by name, but a stored file may be damaged: storing it again heals it.
            Outcome::Same if !decision.replace => {
                let blobs = bundle.files.into_values().map(|file| Blob::named(file.id, file.bytes)).collect();
                return Ok(Commit { blobs, ..Commit::default() });
            }
            Outcome::Downgrade { .. } | Outcome::Conflict if !decision.replace => {
                return Err(ReplaceNeeded {
                    id: bundle.manifest.id.clone(),
                    installed: installed.map(|there| there.toolset.version).unwrap_or_default(),
                    version: bundle.manifest.version.to_string(),
                });
            }
            Outcome::New | Outcome::Same | Outcome::Upgrade { .. } | Outcome::Downgrade { .. } | Outcome::Conflict => {}
        }
        let Bundle { manifest, files, package, .. } = bundle;
        let before = installed.as_ref().map(|there| &there.toolset);
        let is_new = outcome == Outcome::New;
        let toolset = Toolset {
            id: manifest.id.clone(),
            uid: before.map_or_else(&mut uids, |before| before.uid.clone()),
            slug: manifest.slug.clone().into(),
            name: manifest.name.clone(),
            version: manifest.version.to_string(),
            description: manifest.description.clone(),
            enabled: before.filter(|_| !is_new).map_or(decision.enabled, |before| before.enabled),
            user_mcp,
            is_built_in: false,
            source_type: origin.source_type,
            source_ref: origin.source_ref,
            manifest_version: manifest.manifest_version.clone(),
            package,
            installed_at: before.filter(|_| !is_new).map_or(now, |before| before.installed_at),
            created_at: before.map_or(now, |before| before.created_at),
            modified_at: now,
            soft_deleted_at: None,
        };
        // Where it is the same, its own row is left as it is: nothing about the toolset changes, only what is stored of it.
        let (toolset, is_same) = match before.filter(|_| outcome == Outcome::Same) {
            Some(before) => (before.clone(), true),
            None => (toolset, false),
        };
        let mut commit = Commit::default();
        commit = match (before, installed.as_ref().and_then(|there| there.stamp.clone())) {
            (Some(before), stamp) => {
                let commit = commit.expect(RowRef::of(before), stamp);
                if is_same { commit } else { commit.change(before, &toolset) }
            }
            (None, _) => commit.expect(RowRef::of(&toolset), None).put(&toolset),
        };
        commit = commit.put(&Package {
            package,
            toolset_id: manifest.id.clone(),
            version: manifest.version.to_string(),
            manifest: manifest.json.clone(),
            standing: Some(PackageStanding::Current),
        });
        // Said in the same commit: one that stands as this one does and is not active was made apart from it, on another device.
        let replaced = installed.as_ref().and_then(|there| there.package.as_ref());
        if let Some(replaced) = replaced.filter(|replaced| replaced.package != package) {
            let standing = Some(PackageStanding::Replaced);
            commit = commit.change(replaced, &Package { standing, ..replaced.clone() });
        }
        let known = installed.as_ref().map_or(&[][..], |there| &there.tools);
        let known: BTreeMap<&ToolId, &Tool> = known.iter().map(|tool| (&tool.tool_id, tool)).collect();
        for tool in &manifest.tools {
            let was_changed = if is_same { toolset.modified_at } else { now };
            commit = put_tool(commit, &toolset, tool, &known, was_changed, &mut uids);
        }
        let known = installed.as_ref().map_or(&[][..], |there| &there.servers);
        for server in &manifest.servers {
            commit = put_server(commit, &toolset.id, server, known, decision);
        }
        for gone in known.iter().filter(|known| manifest.servers.iter().all(|server| server.id != known.server_id)) {
            commit = commit.delete(RowRef::of(gone));
        }
        for (path, BundleFile { bytes, id }) in files {
            commit = commit.put(&ToolsetFile {
                package,
                toolset_id: manifest.id.clone(),
                kind: kind_of(&path),
                path,
                sha256: id,
                size: bytes.len() as u64,
                stored_path: format!("cas:{id}"),
            });
            commit = commit.blob(Blob::named(id, bytes));
        }
        Ok(commit)
    }
}

/// Build metadata does not count: it says nothing about which is newer.
fn compare(version: &Version, installed: &str) -> Outcome {
    let from = installed.to_owned();
    match Version::parse(installed).map(|installed| version.cmp_precedence(&installed)) {
        Ok(std::cmp::Ordering::Greater) => Outcome::Upgrade { from },
        Ok(std::cmp::Ordering::Less) => Outcome::Downgrade { from },
        Ok(std::cmp::Ordering::Equal) | Err(_) => Outcome::Conflict,
    }
}

/// A tool that was there under its id keeps its second name over versions.
fn put_tool(
    commit: Commit,
    toolset: &Toolset,
    tool: &ToolDeclaration,
    known: &BTreeMap<&ToolId, &Tool>,
    now: Timestamp,
    uids: &mut impl FnMut() -> Uid,
) -> Commit {
    let tool_id = ToolId::Toolset(toolset.id.clone(), tool.id.clone());
    let before = known.get(&tool_id);
    let row = Tool {
        package: toolset.package,
        tool_id: tool_id.clone(),
        toolset_id: Some(toolset.id.clone()),
        uid: before.map_or_else(uids, |before| before.uid.clone()),
        slug: tool.slug.clone().into(),
        version: tool.version.clone().unwrap_or_else(|| toolset.version.clone()),
        name: tool.name.clone(),
        description: tool.description.clone(),
        category: tool.category.clone(),
        input_schema: tool.input_schema.clone(),
        output_schema: tool.output_schema.clone(),
        requires_confirmation: tool.requires_confirmation,
        enabled: tool.enabled,
        kind: tool.kind,
        entrypoint: tool.entrypoint.clone(),
        http: tool.http.clone(),
        timeout_seconds: tool.timeout_seconds,
        tags: tool.tags.clone(),
        created_at: before.map_or(now, |before| before.created_at),
        modified_at: now,
    };
    // Another package is no change of what is the same in it (R025).
    let unchanged = before
        .filter(|before| Tool { package: before.package, modified_at: before.modified_at, ..row.clone() } == ***before);
    let modified_at = unchanged.map_or(now, |before| before.modified_at);
    let commit = commit.put(&Tool { modified_at, ..row });
    let Some(renderer) = &tool.renderer else { return commit };
    commit.put(&ToolRenderConfig {
        package: toolset.package,
        tool_id,
        renderer: renderer.kind,
        config: renderer.config.clone(),
        priority: 0,
    })
}

/// A server that was there keeps the user's switch.
fn put_server(
    commit: Commit,
    toolset: &ToolsetId,
    server: &ServerDeclaration,
    known: &[ToolsetMcpServer],
    decision: Decision,
) -> Commit {
    let before = known.iter().find(|known| known.server_id == server.id);
    let agreed = before.filter(|before| decision.connect || before.config == server.config);
    let after = ToolsetMcpServer {
        toolset_id: toolset.clone(),
        server_id: server.id.clone(),
        config: server.config.clone(),
        enabled: agreed.map_or(decision.connect, |before| before.enabled),
        auto_enabled: agreed.map_or(decision.connect, |before| before.auto_enabled),
        requires_confirmation: server.requires_confirmation,
    };
    match before {
        Some(before) => commit.change(before, &after),
        None => commit.put(&after),
    }
}
