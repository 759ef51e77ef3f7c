//! `/local/tools/bundles`: toolsets as the bundles of the tools interface, which are made, renamed, switched and deleted here (R239–R242).
//!
//! A bundle is a toolset under its other name (C01). What is made here is an ordinary toolset with a package of its own, so that it is
//! exported, imported, synced and uninstalled like any other. Deleting asks for an empty one (C50) and can be undone for two days.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::bundle_tools::{self, Named};
use super::call::Call;
use super::paging::Page;
use super::refusal::{Code, Refusal};
use super::response::Response;
use super::route::Answer;
use crate::bundle::{Bundle, Decision, InstallPlan, Origin};
use crate::catalog::{self, InstalledToolset, Slug, ToolsetId, ToolsetList};
use crate::ids::Uid;
use crate::record::{SourceType, Toolset};
use crate::store::{Commit, Store, StoreError};
use crate::time::Timestamp;

/// How often a change is tried that another tab is in the way of.
pub(super) const TRIES: usize = 8;

/// Body of `PUT`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PutBody {
    slug: String,
    #[serde(default)]
    display_name: Option<String>,
    #[serde(default = "yes")]
    is_enabled: bool,
    #[serde(default)]
    description: String,
    /// The tools that a new bundle begins with: either all of it is made or nothing, so that a mistake in a tool leaves no empty bundle.
    #[serde(default)]
    tools: Vec<Map<String, Value>>,
}

fn yes() -> bool {
    true
}

/// Body of `PATCH`, and of that of a tool.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PatchBody {
    pub(super) is_enabled: bool,
}

/// A bundle.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BundleBody {
    #[serde(rename = "bundleID")]
    bundle_id: Uid,
    #[serde(rename = "toolsetID")]
    toolset_id: ToolsetId,
    slug: String,
    display_name: String,
    description: String,
    is_enabled: bool,
    is_built_in: bool,
    tool_count: usize,
    created_at: Timestamp,
    modified_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    soft_deleted_at: Option<Timestamp>,
}

#[derive(Debug, Serialize)]
struct ListBody {
    bundles: Vec<BundleBody>,
    #[serde(rename = "nextPageToken", skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

impl BundleBody {
    fn of(installed: &InstalledToolset) -> Self {
        let tool_count = installed.all_tools().count();
        let toolset = installed.toolset.clone();
        Self {
            bundle_id: toolset.uid,
            toolset_id: toolset.id,
            slug: toolset.slug,
            display_name: toolset.name,
            description: toolset.description,
            is_enabled: toolset.enabled,
            is_built_in: toolset.is_built_in,
            tool_count,
            created_at: toolset.created_at,
            modified_at: toolset.modified_at,
            soft_deleted_at: toolset.soft_deleted_at,
        }
    }
}

/// `GET /local/tools/bundles`
pub(super) async fn list<S: Store>(call: Call<'_, S>) -> Answer {
    let limits = call.world.limits;
    let page = Page::read(&call.query, ["pageSize", "recommendedPageSize"], limits.page_size, limits.largest_page)?;
    let wanted = call.query.list("bundleIDs");
    let include_disabled = call.query.flag("includeDisabled")?;
    let is_wanted = |toolset: &Toolset| {
        let named = wanted.iter().any(|name| *name == toolset.uid.as_str() || *name == toolset.id.as_str());
        (wanted.is_empty() || named) && (include_disabled || toolset.enabled)
    };
    let mut toolsets = ToolsetList::load(call.store).await?.toolsets;
    toolsets.retain(|installed| is_wanted(&installed.toolset));
    let name = |installed: &InstalledToolset| installed.toolset.id.to_string();
    toolsets.sort_by_key(name);
    let (toolsets, next_page_token) = page.of(toolsets, name);
    let bundles = toolsets.iter().map(BundleBody::of).collect();
    Ok(Response::json(200, &ListBody { bundles, next_page_token }))
}

/// `GET /local/tools/bundles/{bundle}`
pub(super) async fn get<S: Store>(call: Call<'_, S>) -> Answer {
    Ok(Response::json(200, &BundleBody::of(&bundle(&call).await?)))
}

/// `PUT /local/tools/bundles/{bundle}`: makes a bundle of this UUID, or changes what is said about it. Its tools stay.
pub(super) async fn put<S: Store>(call: Call<'_, S>) -> Answer {
    let form = r#"{"slug": "weather", "displayName": "Weather", "isEnabled": true, "description": ""}"#;
    let body: PutBody = call.json(form)?;
    let slug = Slug::parse(body.slug.clone()).map_err(|error| Refusal::new(Code::BadRequest, error).about("slug"))?;
    let name = body.display_name.clone().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| slug.to_string());
    let mut tries = 0;
    loop {
        tries += 1;
        let found = InstalledToolset::find(call.store, call.parameters.get("bundle")).await?;
        let (commit, status) = match &found {
            Some(found) => (changed(&call, found, &slug, &name, &body)?, 200),
            None => (created(&call, &slug, &name, &body).await?, 201),
        };
        match call.store.apply(commit, call.world.now).await {
            Ok(_) => {
                let made = InstalledToolset::find(call.store, call.parameters.get("bundle")).await?;
                let made = made.ok_or_else(|| Refusal::not_found("the bundle was removed in the meantime"))?;
                return Ok(Response::json(status, &BundleBody::of(&made)));
            }
            // Another tab was there first: what is right now is found out again.
            Err(StoreError::Changed(_)) if tries < TRIES => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// What is said about a bundle that is there. One that was deleted is brought back by it.
fn changed<S: Store>(
    call: &Call<'_, S>,
    found: &InstalledToolset,
    slug: &Slug,
    name: &str,
    body: &PutBody,
) -> Result<Commit, Refusal> {
    let before = &found.toolset;
    refuse_built_in(before)?;
    let after = Toolset {
        slug: slug.to_string(),
        name: name.to_owned(),
        description: body.description.clone(),
        enabled: body.is_enabled,
        soft_deleted_at: None,
        ..before.clone()
    };
    // A switch is no structure (C29).
    let same = Toolset { enabled: before.enabled, soft_deleted_at: before.soft_deleted_at, ..after.clone() } == *before;
    if !body.tools.is_empty() {
        let message = format!("the bundle {} is there; put its tools one by one", before.id);
        return Err(Refusal::new(Code::Conflict, message).about("tools"));
    }
    let modified_at = if same { before.modified_at } else { call.world.now };
    let expected = Commit::default().expect(crate::record::RowRef::of(before), found.stamp.clone());
    Ok(expected.change(before, &Toolset { modified_at, ..after }))
}

async fn created<S: Store>(call: &Call<'_, S>, slug: &Slug, name: &str, body: &PutBody) -> Result<Commit, Refusal> {
    let uid = version_7(call.parameters.get("bundle"))?;
    let mut id = ToolsetId::parse(slug.as_str()).ok();
    if let Some(wished) = &id
        && InstalledToolset::find(call.store, wished.as_str()).await?.is_some()
    {
        id = None;
    }
    // Where the slug cannot be an id, or is another toolset's, the second name is a good first one.
    let id = id.map_or_else(|| format!("bundle-{uid}"), String::from);
    let manifest = json!({
        "manifest_version": "1",
        "id": id,
        "slug": slug.as_str(),
        "name": name,
        "version": "1.0.0",
        "description": body.description,
        "tools": bundle_tools::first_entries(first_tools(&body.tools)?)?,
    });
    let bundle = Bundle::of_manifest(&manifest, &call.world.limits.bundle).map_err(Refusal::from);
    let bundle = bundle.map_err(bundle_tools::of_body)?;
    let origin = Origin { source_type: SourceType::Created, source_ref: None };
    let plan = InstallPlan::new(bundle, origin, None)?;
    let decision = Decision { enabled: body.is_enabled, connect: false, replace: false };
    Ok(plan.into_commit(call.world.now, decision, || uid.clone())?)
}

/// The tools that a new bundle begins with: each as it is put by itself, with its `slug` and `version` in it.
fn first_tools(tools: &[Map<String, Value>]) -> Result<Vec<(Named, bundle_tools::PutBody)>, Refusal> {
    let read = |(at, tool): (usize, &Map<String, Value>)| {
        let mut body = tool.clone();
        let mut take = |key: &str| match body.remove(key) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let named = Named::parse(&take("slug"), &take("version"))?;
        let refused = |error| Refusal::new(Code::BadRequest, error).about(format!("tools[{at}]"));
        Ok((named, serde_json::from_value(Value::Object(body)).map_err(refused)?))
    };
    tools.iter().enumerate().map(read).collect()
}

/// `PATCH /local/tools/bundles/{bundle}`: the switch, also of what is built in.
pub(super) async fn patch<S: Store>(call: Call<'_, S>) -> Answer {
    let PatchBody { is_enabled } = call.json(r#"{"isEnabled": true}"#)?;
    let installed = bundle(&call).await?;
    call.apply(catalog::set_enabled(&installed.toolset, is_enabled)).await?;
    Ok(Response::json(200, &BundleBody::of(&bundle(&call).await?)))
}

/// `DELETE /local/tools/bundles/{bundle}`: only an empty one goes, and can be brought back for two days (R252, C50).
pub(super) async fn delete<S: Store>(call: Call<'_, S>) -> Answer {
    let mut tries = 0;
    loop {
        tries += 1;
        let installed = bundle(&call).await?;
        refuse_built_in(&installed.toolset)?;
        let count = installed.all_tools().count() + installed.servers.len();
        if count > 0 {
            let message = format!("{} still has tools or servers ({count}); delete them first", installed.toolset.id);
            return Err(Refusal::new(Code::Conflict, message));
        }
        let row = crate::record::RowRef::of(&installed.toolset);
        // A tool that comes in at the same moment is not lost with it.
        let commit = catalog::soft_delete(&installed.toolset, call.world.now)?.expect(row, installed.stamp.clone());
        match call.store.apply(commit, call.world.now).await {
            Ok(_) => return Ok(Response::no_content()),
            Err(StoreError::Changed(_)) if tries < TRIES => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The bundle that the address names, by either of its names, unless it was deleted.
pub(super) async fn bundle<S: Store>(call: &Call<'_, S>) -> Result<InstalledToolset, Refusal> {
    let name = call.parameters.get("bundle");
    let found = InstalledToolset::find(call.store, name).await?;
    let shown = || name.chars().take(80).collect::<String>();
    found
        .filter(|found| found.toolset.soft_deleted_at.is_none())
        .ok_or_else(|| Refusal::not_found(format!("there is no bundle {:?}", shown())))
}

/// Refuses to change what is compiled in (C52).
pub(super) fn refuse_built_in(toolset: &Toolset) -> Result<(), Refusal> {
    if toolset.is_built_in {
        let message = format!("{} is built in; only its switches can be changed", toolset.id);
        return Err(Refusal::new(Code::BuiltIn, message));
    }
    Ok(())
}

/// A UUID of version 7 (R020).
fn version_7(text: &str) -> Result<Uid, Refusal> {
    let refused = || {
        let shown: String = text.chars().take(80).collect();
        let message = format!("{shown:?} is not a UUID of version 7 in lower case, which a new bundle needs");
        Refusal::new(Code::BadRequest, message).about("bundleID")
    };
    let uid = Uid::parse(text).map_err(|_| refused())?;
    let variant = matches!(text.as_bytes().get(19), Some(b'8' | b'9' | b'a' | b'b'));
    if text.as_bytes().get(14) == Some(&b'7') && variant { Ok(uid) } else { Err(refused()) }
}
