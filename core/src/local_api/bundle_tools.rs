//! The tools of a bundle, by slug and version: made, read, switched, deleted and called (R243–R247).
//!
//! A tool of one slug may be there in several versions (R024). A version that is there is never changed: putting it again is a conflict,
//! and what should be different is another version. Every change of a bundle is another package, so that what a chat has used stays known
//! by its name, and two devices never mix their halves.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::call::Call;
use super::execute;
use super::refusal::{Code, Refusal};
use super::repackage::{Edited, change, entries};
use super::replaced::Replaced;
use super::response::Response;
use super::route::Answer;
use super::tool_bundles::{PatchBody, bundle};
use super::tools::Counted;
use crate::catalog::{EffectiveTool, InstalledToolset, Slug, ToolId, ToolName, VersionLabel, set_tool_enabled};
use crate::http_tool::{HttpLimits, HttpTool, argument_names};
use crate::ids::{ChatId, ToolCallId, Uid};
use crate::record::{
    Approval, ErrorKind, Record as _, RowKey, RowRef, Table, Tool, ToolKind, ToolMetrics, ToolOverride,
};
use crate::schema::{Schema, SchemaLimits};
use crate::store::{Commit, Store};
use crate::time::Timestamp;
use crate::tool_run::{Permission, RunRequest};

/// How many tools a bundle may have (R098).
const MOST_TOOLS: usize = 1_000;

/// Body of `PUT`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PutBody {
    #[serde(rename = "type")]
    kind: String,
    /// The version that this one is an edit of. What the body leaves out is as it is there, and who uses that one uses this one from then on.
    #[serde(default)]
    replaces: Option<String>,
    #[serde(default)]
    display_name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    tags: Option<Vec<String>>,
    #[serde(default)]
    arg_schema: Option<Value>,
    #[serde(default)]
    output_schema: Option<Value>,
    #[serde(default, alias = "http")]
    http_impl: Option<Value>,
    #[serde(default)]
    go_impl: Option<Value>,
    #[serde(default)]
    is_enabled: Option<bool>,
    #[serde(default)]
    requires_confirmation: Option<bool>,
    #[serde(default)]
    timeout_seconds: Option<u32>,
    // What other programs of this format say besides.
    #[serde(default)]
    auto_exec_reco: Option<bool>,
    #[serde(default)]
    user_callable: Option<bool>,
    #[serde(default)]
    llm_callable: Option<bool>,
    #[serde(default, rename = "schemaVersion")]
    _schema_version: Option<String>,
}

/// A tool.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolBody {
    schema_version: &'static str,
    id: Uid,
    #[serde(rename = "toolID")]
    tool_id: ToolId,
    #[serde(rename = "bundleID")]
    bundle_id: Uid,
    slug: String,
    version: String,
    display_name: String,
    description: String,
    tags: Vec<String>,
    #[serde(rename = "type")]
    kind: ToolKind,
    arg_schema: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    http_impl: Option<Value>,
    requires_confirmation: bool,
    is_enabled: bool,
    is_built_in: bool,
    available: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable_reason: Option<String>,
    call_count: u64,
    last_called_at: Option<Timestamp>,
    created_at: Timestamp,
    modified_at: Timestamp,
}

impl ToolBody {
    fn of(installed: &InstalledToolset, tool: &EffectiveTool<'_>, counted: &Counted) -> Self {
        let declared = tool.declared.clone();
        let (call_count, last_called_at) = counted.calls(&declared.tool_id);
        Self {
            schema_version: "2025-07-01",
            id: declared.uid,
            tool_id: declared.tool_id,
            bundle_id: installed.toolset.uid.clone(),
            slug: declared.slug,
            version: declared.version,
            display_name: tool.name.to_owned(),
            description: tool.description.to_owned(),
            tags: declared.tags,
            kind: declared.kind,
            arg_schema: declared.input_schema,
            output_schema: declared.output_schema,
            http_impl: declared.http,
            requires_confirmation: tool.requires_confirmation,
            is_enabled: tool.enabled,
            is_built_in: installed.toolset.is_built_in,
            available: tool.unavailable.is_none(),
            unavailable_reason: tool.unavailable.as_ref().map(ToString::to_string),
            call_count,
            last_called_at,
            created_at: declared.created_at,
            modified_at: declared.modified_at,
        }
    }
}

/// Which tool the address names.
pub(super) struct Named {
    slug: Slug,
    version: VersionLabel,
}

impl Named {
    fn of<S: Store>(call: &Call<'_, S>) -> Result<Self, Refusal> {
        Self::parse(call.parameters.get("slug"), call.parameters.get("version"))
    }

    pub(super) fn parse(slug: &str, version: &str) -> Result<Self, Refusal> {
        let slug = Slug::parse(slug).map_err(|error| Refusal::new(Code::BadRequest, error).about("toolSlug"))?;
        let version =
            VersionLabel::parse(version).map_err(|error| Refusal::new(Code::BadRequest, error).about("version"))?;
        Ok(Self { slug, version })
    }

    fn is(&self, tool: &Tool) -> bool {
        tool.slug == self.slug.as_str() && tool.version == self.version.as_str()
    }

    fn find<'i>(&self, installed: &'i InstalledToolset) -> Result<&'i Tool, Refusal> {
        let missing = || {
            let (slug, version) = (&self.slug, &self.version);
            Refusal::not_found(format!("the bundle {} has no tool {slug} of version {version}", installed.toolset.id))
        };
        installed.tools.iter().find(|tool| self.is(tool)).ok_or_else(missing)
    }
}

/// `GET …/tools/{slug}/version/{version}`
pub(super) async fn get<S: Store>(call: Call<'_, S>) -> Answer {
    let named = Named::of(&call)?;
    answer_with(&call, &named, 200).await
}

/// `PUT …/tools/{slug}/version/{version}`: makes a tool. Of two that make the same one at the same time, one does (R258).
pub(super) async fn put<S: Store>(call: Call<'_, S>) -> Answer {
    let named = Named::of(&call)?;
    let body: PutBody = call.json(r#"{"type": "http", "argSchema": {"type": "object"}, "httpImpl": {…}}"#)?;
    change(&call, |installed| added(installed, &named, &body)).await.map_err(of_body)?;
    answer_with(&call, &named, 201).await
}

/// The bundle with a tool more.
fn added(installed: &InstalledToolset, named: &Named, body: &PutBody) -> Result<Edited, Refusal> {
    let mut tools = entries(installed);
    let before = match &body.replaces {
        None => None,
        Some(version) => Some(Named::parse(named.slug.as_str(), version)?.find(installed)?.clone()),
    };
    let has_id = |entry: &&Value, id: &str| entry.get("id").and_then(Value::as_str) == Some(id);
    let written = before.as_ref().and_then(|tool| tools.iter().find(|entry| has_id(entry, tool.tool_id.name())));
    let entry = entry_of(body.clone(), written.and_then(Value::as_object))?;
    if !installed.toolset.enabled {
        return Err(switched_off(installed));
    }
    if installed.tools.iter().any(|tool| named.is(tool)) {
        let (slug, version, id) = (&named.slug, &named.version, &installed.toolset.id);
        let message = format!("{id} already has a tool {slug} of version {version}; give yours another version");
        return Err(Refusal::new(Code::Conflict, message).about("version"));
    }
    if installed.tools.len() >= MOST_TOOLS {
        let message = format!("the bundle already has {MOST_TOOLS} tools, the most it may have");
        return Err(Refusal::new(Code::TooLarge, message));
    }
    let id = free_id(installed.tools.iter().map(|tool| tool.tool_id.name()), named);
    tools.push(with_names(&id, named, entry));
    let replaced = before.map(|before| Replaced { before, after: id });
    Ok(Edited { tools, also: Commit::default(), replaced })
}

/// The entries of tools that a new bundle begins with, each with its names in it (R239).
pub(super) fn first_entries(tools: Vec<(Named, PutBody)>) -> Result<Vec<Value>, Refusal> {
    let mut entries: Vec<Value> = Vec::new();
    for (named, body) in tools {
        let ids: Vec<String> = entries.iter().filter_map(|entry| Some(entry.get("id")?.as_str()?.to_owned())).collect();
        let id = free_id(ids.iter().map(String::as_str), &named);
        entries.push(with_names(&id, &named, entry_of(body, None)?));
    }
    Ok(entries)
}

fn with_names(id: &str, named: &Named, entry: Map<String, Value>) -> Value {
    let head = [("id", id.to_owned()), ("slug", named.slug.to_string()), ("version", named.version.to_string())];
    let members = head.map(|(key, value)| (key.to_owned(), Value::String(value)));
    Value::Object(members.into_iter().chain(entry).collect())
}

/// What was put together is a bundle only to us; to whoever asks it is the body that is wrong.
pub(super) fn of_body(refusal: Refusal) -> Refusal {
    match refusal.code {
        Code::BundleRefused => Refusal { code: Code::BadRequest, ..refusal },
        _ => refusal,
    }
}

/// `PATCH …/tools/{slug}/version/{version}`: the switch and nothing else (R244), also of what is built in.
pub(super) async fn patch<S: Store>(call: Call<'_, S>) -> Answer {
    let named = Named::of(&call)?;
    let PatchBody { is_enabled } = call.json(r#"{"isEnabled": true}"#)?;
    let installed = bundle(&call).await?;
    let tool = named.find(&installed)?;
    if !installed.toolset.enabled {
        return Err(switched_off(&installed));
    }
    call.apply(set_tool_enabled(&installed, &tool.tool_id.selection_name(), is_enabled)).await?;
    answer_with(&call, &named, 200).await
}

/// `DELETE …/tools/{slug}/version/{version}`: for good (R245), with what was switched, counted and allowed of it.
pub(super) async fn delete<S: Store>(call: Call<'_, S>) -> Answer {
    let named = Named::of(&call)?;
    let installed = bundle(&call).await?;
    let gone = named.find(&installed)?.clone();
    let mut commit = Commit::default();
    let id = gone.tool_id.to_string();
    for (key, _) in call.store.rows_where(Table::Approvals, "tool_id", &id).await? {
        commit = commit.delete(RowRef::to::<Approval>(key));
    }
    let user = ToolOverride::unset(installed.toolset.id.clone(), gone.tool_id.selection_name());
    commit = commit.delete(RowRef::to::<ToolOverride>(user.key())).delete(RowRef::to::<ToolMetrics>(RowKey::one(&id)));
    change(&call, |installed| {
        let tool = named.find(installed)?;
        let mut tools = entries(installed);
        tools.retain(|entry| entry.get("id").and_then(Value::as_str) != Some(tool.tool_id.name()));
        Ok(Edited { tools, also: commit.clone(), replaced: None })
    })
    .await?;
    Ok(Response::no_content())
}

/// Body of `POST …/invoke`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InvokeBody {
    #[serde(default)]
    args: Value,
    #[serde(default)]
    chat_id: Option<ChatId>,
    /// That this one call may be made, also if the tool asks.
    #[serde(default)]
    approved: bool,
}

/// `POST …/tools/{slug}/version/{version}/invoke` (R247)
pub(super) async fn invoke<S: Store>(call: Call<'_, S>) -> Answer {
    let named = Named::of(&call)?;
    let InvokeBody { args, chat_id, approved } = call.json(r#"{"args": {}}"#)?;
    let installed = bundle(&call).await?;
    let tool = named.find(&installed)?;
    let request = RunRequest {
        id: call.fresh(ToolCallId::parse),
        call_id: None,
        toolset: installed.toolset.id.to_string(),
        tool: tool.tool_id.selection_name(),
        arguments: args,
        chat: chat_id,
        message: None,
        spoken: None,
        permission: if approved { Permission::Once } else { Permission::Unasked },
    };
    let finished = execute::carry_out(&call, request, false).await?;
    match (finished.call.error, finished.call.error_kind) {
        (Some(message), Some(ErrorKind::InvalidArgs)) => {
            let path = finished.misfits.map(|misfits| misfits.path().to_owned());
            Err(Refusal { path, ..Refusal::new(Code::InvalidArgs, message) })
        }
        (Some(message), _) => Ok(Response::json(200, &json!({"ok": false, "error": message}))),
        (None, _) => Ok(Response::json(200, &json!({"ok": true, "value": finished.result}))),
    }
}

/// What a body says, as an entry of a manifest without its names. What it leaves out is as in the entry `before`, which it replaces: its
/// switch is not, since that is moved when another version comes.
fn entry_of(body: PutBody, before: Option<&Map<String, Value>>) -> Result<Map<String, Value>, Refusal> {
    let refused = |path: &str, message: &str| Err(Refusal::new(Code::BadRequest, message).about(path));
    for (name, said) in [("userCallable", body.user_callable), ("llmCallable", body.llm_callable)] {
        if said == Some(false) {
            return refused(name, &format!("{name} cannot be false here; switch the tool off, or choose in each chat"));
        }
    }
    let mut entry = before.cloned().unwrap_or_default();
    for own in ["id", "slug", "version", "enabled"] {
        entry.remove(own);
    }
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            entry.insert(key.to_owned(), value);
        }
    };
    let schemas = [("argSchema", &body.arg_schema), ("outputSchema", &body.output_schema)];
    for (path, schema) in schemas.into_iter().filter_map(|(path, schema)| Some((path, schema.as_ref()?))) {
        if let Err(fault) = Schema::read(schema, &SchemaLimits::default()) {
            return refused(path, &format!("the schema cannot be used: {fault}"));
        }
    }
    let kind = body.arg_schema.as_ref().and_then(|schema| schema.get("type"));
    if kind.is_some_and(|kind| kind != "object") {
        return refused("argSchema", "the schema of the arguments must be that of an object");
    }
    let unsaid = |key: &str| before.and_then(|before| before.get(key)).cloned();
    let usual = |value: Value| before.is_none().then_some(value);
    put("name", body.display_name.filter(|name| !name.trim().is_empty()).map(Value::String));
    put("description", body.description.map(Value::String).or_else(|| usual("".into())));
    let schema = body.arg_schema.or_else(|| unsaid("input_schema"));
    match (body.kind.as_str(), body.http_impl.or_else(|| unsaid("http")), body.go_impl.or_else(|| unsaid("builtin"))) {
        ("http", Some(http), None) => {
            let arguments = argument_names(schema.as_ref());
            if let Err(fault) = HttpTool::read(&http, &arguments, &HttpLimits::default()) {
                return refused(&format!("httpImpl.{}", fault.path), &fault.kind.to_string());
            }
            put("type", Some("http".into()));
            put("http", Some(http));
        }
        ("go" | "builtin", None, Some(go)) => {
            put("type", Some("builtin".into()));
            put("builtin", Some(go));
        }
        ("http", ..) => return refused("httpImpl", "a tool of type http needs \"httpImpl\" and no other"),
        ("go" | "builtin", ..) => return refused("goImpl", "a tool of type go needs \"goImpl\" with \"func\""),
        _ => return refused("type", "the type of a tool is \"http\" or \"go\"; Python comes with a bundle"),
    }
    put("input_schema", schema);
    put("output_schema", body.output_schema);
    let asks = body.requires_confirmation.or(body.auto_exec_reco.map(|reco| !reco));
    put("requires_confirmation", asks.map(Value::Bool).or_else(|| usual(false.into())));
    put("enabled", body.is_enabled.map(Value::Bool));
    put("timeout_seconds", body.timeout_seconds.map(Value::from));
    put("tags", body.tags.map(Value::from).or_else(|| usual(json!([]))));
    Ok(entry)
}

/// An id for a tool that is new: its slug, where that can be one and is free, else with its version.
fn free_id<'a>(taken: impl Iterator<Item = &'a str>, named: &Named) -> String {
    let taken: BTreeSet<&str> = taken.collect();
    let is_free = |id: &String| ToolName::parse(id.as_str()).is_ok() && !taken.contains(id.as_str());
    let plain = |text: &str| text.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '-' }).collect();
    let version: String = plain(named.version.as_str());
    let wished = [named.slug.to_string(), format!("{}-{version}", named.slug)];
    let numbered = (1..).map(|number| format!("tool-{number}"));
    wished.into_iter().chain(numbered).find(is_free).expect("numbers do not end")
}

fn switched_off(installed: &InstalledToolset) -> Refusal {
    let message = format!("{} is switched off; switch it on first, then change its tools", installed.toolset.id);
    Refusal::new(Code::Unavailable, message)
}

async fn answer_with<S: Store>(call: &Call<'_, S>, named: &Named, status: u16) -> Answer {
    let installed = bundle(call).await?;
    let id = &named.find(&installed)?.tool_id;
    let tools = installed.tools_in_effect(call.world.surroundings);
    let tool = tools.iter().find(|tool| tool.declared.tool_id == *id).expect("what is stored is in effect");
    let counted = Counted::of(call.store, id).await?;
    Ok(Response::json(status, &ToolBody::of(&installed, tool, &counted)))
}
