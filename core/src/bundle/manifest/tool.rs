//! What a manifest says about one tool (R048).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::node::At;
use super::renderer::{self, RendererDeclaration};
use super::unknown::{self, TOOL_KEYS};
use super::{Fault, ManifestError, Place, SecretDeclaration, hosts, schema};
use crate::builtin;
use crate::catalog::{Slug, ToolName, VersionLabel, module_files};
use crate::http_tool::{HttpLimits, HttpTool, argument_names};
use crate::record::ToolKind;

/// One item of `tools`.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDeclaration {
    /// Its id within the toolset.
    pub id: ToolName,
    /// Its display name; the id where none is given.
    pub name: String,
    /// What it does; empty where the Python function says it (C34).
    pub description: String,
    /// Its own version, an opaque label.
    pub version: Option<String>,
    /// What the bundle interface calls it, where that is not its id: versions of one tool share it (R024).
    pub slug: Slug,
    /// Its group.
    pub category: Option<String>,
    /// How it runs.
    pub kind: ToolKind,
    /// For Python `module.path:function`, for what is compiled in its name.
    pub entrypoint: Option<String>,
    /// For HTTP: what to call.
    pub http: Option<Value>,
    /// For HTTP: the hosts it may reach.
    pub hosts: Vec<String>,
    /// The JSON schema of its arguments.
    pub input_schema: Option<Value>,
    /// The JSON schema of its result.
    pub output_schema: Option<Value>,
    /// Whether it asks before it runs.
    pub requires_confirmation: bool,
    /// Whether it is on from the start.
    pub enabled: bool,
    /// How its result is shown.
    pub renderer: Option<RendererDeclaration>,
    /// How long it may run.
    pub timeout_seconds: Option<u32>,
    /// Words to find it by.
    pub tags: Vec<String>,
}

impl ToolDeclaration {
    /// The files that may hold its function, for a Python tool.
    #[must_use]
    pub fn module_files(&self) -> Vec<String> {
        let entrypoint = self.entrypoint.as_deref().filter(|_| self.kind == ToolKind::Python);
        entrypoint.map(module_files).unwrap_or_default()
    }
}

/// Reads all tools and checks them beside one another.
pub(super) fn read_all(
    root: &At<'_>,
    secrets: &[SecretDeclaration],
    remarks: &mut Vec<(Place, String)>,
) -> Result<Vec<ToolDeclaration>, ManifestError> {
    let mut tools: Vec<ToolDeclaration> = Vec::new();
    let mut slugs: BTreeMap<(Slug, Option<String>), ToolName> = BTreeMap::new();
    let mut ids: BTreeSet<ToolName> = BTreeSet::new();
    let of_toolset = root.get("version")?.and_then(|version| version.text().ok().map(str::to_owned));
    let secrets: BTreeSet<&str> = secrets.iter().map(|secret| secret.name.as_str()).collect();
    for at in root.items("tools")? {
        let tool = read(&at)?;
        unknown::remark(&at, &TOOL_KEYS, remarks)?;
        if !ids.insert(tool.id.clone()) {
            return Err(at.required("id")?.fail(Fault::DuplicateTool(tool.id.to_string())));
        }
        let version = tool.version.clone().or_else(|| of_toolset.clone());
        if let Some(other) = slugs.insert((tool.slug.clone(), version), tool.id.clone()) {
            return Err(at.required("id")?.fail(Fault::SlugClash(other.to_string(), tool.id.to_string())));
        }
        if let Some(http) = &tool.http {
            let arguments = argument_names(tool.input_schema.as_ref());
            match HttpTool::read(http, &arguments, &HttpLimits::default()) {
                Ok(_) => {}
                Err(fault) if fault.kind.keeps_only_from_running() => {
                    remarks.push((at.place(), format!("the tool cannot be called as it is: {fault}")));
                }
                Err(fault) => return Err(at.required("http")?.fail(Fault::Http(fault))),
            }
        }
        let arguments = schema::arguments(tool.input_schema.as_ref());
        if let Some(shadow) = arguments.iter().find(|name| secrets.contains(**name)) {
            return Err(at.fail(Fault::ShadowsSecret((*shadow).to_owned())));
        }
        if tool.description.is_empty() && tool.kind == ToolKind::Http {
            remarks.push((at.place(), "the tool has no description, so a model cannot know when to use it".into()));
        }
        tools.push(tool);
    }
    Ok(tools)
}

fn read(at: &At<'_>) -> Result<ToolDeclaration, ManifestError> {
    let id_at = at.required("id")?;
    let id = ToolName::parse(id_at.text()?).map_err(|error| id_at.fail(error))?;
    let kind = match at.get("type")? {
        None => ToolKind::Python,
        Some(kind) => match kind.text()? {
            "python" => ToolKind::Python,
            "http" => ToolKind::Http,
            // What other programs of this format call their own functions (C30).
            "builtin" | "go" => ToolKind::Builtin,
            other => return Err(kind.fail(Fault::ToolType(other.chars().take(80).collect()))),
        },
    };
    let (mut entrypoint, mut http, mut allowed) = (None, None, Vec::new());
    match kind {
        ToolKind::Python => {
            let found = at.get("entrypoint")?.ok_or_else(|| at.fail(Fault::NoEntrypoint))?;
            entrypoint = Some(read_entrypoint(&found)?);
        }
        ToolKind::Builtin => {
            let found = at.get("builtin")?.or(at.get("goImpl")?).ok_or_else(|| at.fail(Fault::NoFunction))?;
            entrypoint = Some(found.required("func")?.some_text()?.to_owned());
        }
        ToolKind::Http => {
            let found = at.get("http")?.ok_or_else(|| at.fail(Fault::NoRequest))?;
            allowed = read_http(&found)?;
            http = Some(found.json());
        }
        // A server says itself what tools it has; a manifest names the server.
        ToolKind::Mcp => return Err(at.fail(Fault::ToolType("mcp".into()))),
    }
    // One that is compiled in says by itself what the manifest leaves out.
    let compiled_in = entrypoint.as_deref().filter(|_| kind == ToolKind::Builtin).and_then(builtin::find);
    let schema = |key| -> Result<Option<Value>, ManifestError> {
        let Some(found) = at.get(key)? else { return Ok(None) };
        schema::check(&found)?;
        Ok(Some(found.json()))
    };
    let timeout_seconds = match at.optional_number("timeout_seconds")? {
        None => None,
        Some((seconds @ 1..=600, _)) => u32::try_from(seconds).ok(),
        Some((_, found)) => return Err(found.fail(Fault::Timeout)),
    };
    Ok(ToolDeclaration {
        name: at.optional_text("name")?.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| id.to_string()),
        description: at
            .optional_text("description")?
            .or_else(|| compiled_in.map(|tool| tool.description.to_owned()))
            .unwrap_or_default(),
        version: at.get("version")?.map(|version| read_version(&version)).transpose()?,
        slug: read_slug(at, id.as_str())?,
        category: at.optional_text("category")?,
        input_schema: schema("input_schema")?.or_else(|| compiled_in.map(|tool| (tool.input_schema)())),
        // A result may be of any type, so that its schema is only kept.
        output_schema: at.get("output_schema")?.map(|found| found.json()),
        requires_confirmation: at.optional_bool("requires_confirmation")?.unwrap_or(false),
        enabled: at.optional_bool("enabled")?.unwrap_or(true),
        renderer: at.get("renderer")?.map(|found| renderer::read(&found)).transpose()?,
        tags: at.texts("tags")?,
        hosts: allowed,
        id,
        kind,
        entrypoint,
        http,
        timeout_seconds,
    })
}

fn read_entrypoint(at: &At<'_>) -> Result<String, ManifestError> {
    let text = at.text()?;
    let name = |name: &str| {
        !name.starts_with(|first: char| first.is_ascii_digit())
            && !name.is_empty()
            && name.chars().all(|char| char == '_' || char.is_alphanumeric())
    };
    let good = text.split_once(':').is_some_and(|(module, function)| module.split('.').all(name) && name(function));
    if good { Ok(text.to_owned()) } else { Err(at.fail(Fault::Entrypoint(text.chars().take(120).collect()))) }
}

/// Checks that a request can be made at all, and gives the hosts it may go to.
fn read_http(at: &At<'_>) -> Result<Vec<String>, ManifestError> {
    let steps = at.items("steps")?;
    let mut requests: Vec<At<'_>> = at.get("request")?.into_iter().collect();
    for step in steps {
        requests.push(step.required("request")?);
    }
    if requests.is_empty() {
        return Err(at.fail(Fault::NoRequest));
    }
    for request in requests {
        request.required("urlTemplate")?.some_text()?;
        request.text_map("query")?;
        request.text_map("headers")?;
        if let Some(auth) = request.get("auth")? {
            auth.required("type")?.some_text()?;
        }
    }
    at.required("allowedHosts")?;
    hosts(at, "allowedHosts")
}

/// What the bundle interface calls something: what it says, else its id.
pub(super) fn read_slug(at: &At<'_>, id: &str) -> Result<Slug, ManifestError> {
    let Some(found) = at.get("slug")? else { return Ok(Slug::of_id(id)) };
    Slug::parse(found.scalar()?).map_err(|error| found.fail(Fault::ToolVersion(error)))
}

/// A tool's own version, an opaque label (R022).
fn read_version(at: &At<'_>) -> Result<String, ManifestError> {
    VersionLabel::parse(at.scalar()?).map(String::from).map_err(|error| at.fail(Fault::ToolVersion(error)))
}
