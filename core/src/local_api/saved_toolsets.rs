//! `/local/saved-toolsets`: everything that can be done with saved toolsets (R132–R158). The answers are hypertool's (FORMATS).
//!
//! `chat_id` says for which chat something is equipped; without it, for the next one.

use serde::Deserialize;
use serde_json::{Value, json};

use super::call::Call;
use super::refusal::{Code, Refusal};
use super::response::Response;
use super::route::Answer;
use crate::ids::ChatId;
use crate::record::{Chat, Note, RowKey, ToolReference};
use crate::saved::{FileShape, Kept, Mode, NewToolset, SavedError, active_answer, available_answer, toolset_info};
use crate::store::{self, Store};

/// A reference as hypertool writes it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ReferenceBody {
    namespaced_name: Option<String>,
    ref_id: Option<String>,
}

/// Body of `POST /local/saved-toolsets`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BuildBody {
    name: String,
    description: Option<String>,
    version: Option<String>,
    #[serde(default)]
    tools: Vec<ReferenceBody>,
    #[serde(rename = "autoEquip", default)]
    auto_equip: bool,
    chat_id: Option<ChatId>,
}

/// Body of `PUT /local/saved-toolsets/{name}`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EditBody {
    description: Option<String>,
    version: Option<String>,
    #[serde(default)]
    tools: Vec<ReferenceBody>,
}

/// What names a toolset, a chat, or both.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EquipBody {
    name: Option<String>,
    chat_id: Option<ChatId>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SwitchBody {
    enabled: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NotesBody {
    tool_ref: ReferenceBody,
    notes: Vec<Note>,
}

impl From<SavedError> for Refusal {
    fn from(error: SavedError) -> Self {
        let (code, about) = match &error {
            SavedError::NotFound(_) => (Code::NotFound, "name"),
            SavedError::Exists(_) => (Code::Conflict, "name"),
            SavedError::Name(_) => (Code::BadRequest, "name"),
            SavedError::NothingEquipped => (Code::Conflict, "name"),
            SavedError::NoTools
            | SavedError::TooMany(_)
            | SavedError::Unknown(_)
            | SavedError::Spelling(_)
            | SavedError::NotInIt(_)
            | SavedError::NoReference(_) => (Code::BadRequest, "tools"),
            SavedError::TooLong { .. }
            | SavedError::Unconfirmed(_)
            | SavedError::Arguments(_)
            | SavedError::File(_) => (Code::BadRequest, "body"),
        };
        Self::new(code, error).about(about)
    }
}

/// `GET /local/saved-toolsets`
pub(super) async fn list<S: Store>(call: Call<'_, S>) -> Answer {
    let kept = of_query(&call).await?;
    let infos: Vec<Value> =
        kept.shelf.toolsets.values().map(|toolset| toolset_info(toolset, &kept.shelf, &kept.discovery)).collect();
    Ok(Response::json(200, &json!({"success": true, "toolsets": infos, "equipped": kept.shelf.equipped})))
}

/// `POST /local/saved-toolsets`
pub(super) async fn build<S: Store>(call: Call<'_, S>) -> Answer {
    let BuildBody { name, description, version, tools, auto_equip, chat_id } =
        call.json(r#"{"name": "review", "tools": [{"namespacedName": "git.status"}]}"#)?;
    let mut kept = load(&call, chat_id).await?;
    let new = NewToolset { name: name.clone(), description, version, tools: references(tools)? };
    kept.shelf.build(new, &kept.discovery, call.world.now)?;
    let warnings = match auto_equip {
        true => kept.shelf.equip(&name, &kept.discovery)?.warnings,
        false => Vec::new(),
    };
    save(&call, &kept).await?;
    let info = toolset_info(kept.shelf.get(&name)?, &kept.shelf, &kept.discovery);
    let meta = json!({"success": true, "toolsetName": name, "autoEquipped": auto_equip});
    Ok(Response::json(201, &json!({"meta": meta, "toolset": info, "warnings": warnings})))
}

/// `GET /local/saved-toolsets/available`
pub(super) async fn available<S: Store>(call: Call<'_, S>) -> Answer {
    Ok(Response::json(200, &available_answer(&of_query(&call).await?.discovery)))
}

/// `GET /local/saved-toolsets/active`
pub(super) async fn active<S: Store>(call: Call<'_, S>) -> Answer {
    let kept = of_query(&call).await?;
    Ok(Response::json(200, &active_answer(&kept.shelf, &kept.discovery)))
}

/// `GET /local/saved-toolsets/export[?name=…][&shape=config]`
pub(super) async fn export<S: Store>(call: Call<'_, S>) -> Answer {
    let kept = of_query(&call).await?;
    let shape = match call.query.text("shape") {
        None | Some("toolsets") => FileShape::Toolsets,
        Some("config") => FileShape::Config,
        Some(_) => {
            let message = "shape is \"toolsets\" or \"config\"";
            return Err(Refusal::new(Code::BadRequest, message).about("shape"));
        }
    };
    let name = call.query.text("name");
    let text = kept.shelf.export(name, shape)?;
    Ok(Response::download(Some(&format!("{}.json", name.unwrap_or("toolsets"))), text.into_bytes()))
}

/// `POST /local/saved-toolsets/import[?replace=true]`
pub(super) async fn import<S: Store>(call: Call<'_, S>) -> Answer {
    call.check_body(call.world.limits.json_bytes.max(4 << 20))?;
    let mut kept = load(&call, None).await?;
    let text = String::from_utf8_lossy(&call.body);
    let replace = call.query.flag("replace")?;
    let imported = kept.shelf.import(&text, replace, call.world.now)?;
    save(&call, &kept).await?;
    let names: Vec<&str> = imported.toolsets.iter().map(|toolset| toolset.name.as_str()).collect();
    Ok(Response::json(201, &json!({"imported": names, "remarks": imported.remarks})))
}

/// `POST /local/saved-toolsets/generate`: one of all that can be used (R157).
pub(super) async fn generate<S: Store>(call: Call<'_, S>) -> Answer {
    let EquipBody { name, chat_id: _ } = call.json(r#"{"name": "default"}"#)?;
    let name = name.unwrap_or_else(|| "default".to_owned());
    let mut kept = load(&call, None).await?;
    kept.shelf.generate(&name, &kept.discovery, call.world.now)?;
    save(&call, &kept).await?;
    Ok(Response::json(201, &toolset_info(kept.shelf.get(&name)?, &kept.shelf, &kept.discovery)))
}

/// `POST /local/saved-toolsets/equip`
pub(super) async fn equip<S: Store>(call: Call<'_, S>) -> Answer {
    let EquipBody { name, chat_id } = call.json(r#"{"name": "review"}"#)?;
    let name = name.ok_or_else(|| Refusal::new(Code::BadRequest, "say which one: {\"name\": …}").about("name"))?;
    let mut kept = load(&call, chat_id).await?;
    let resolution = kept.shelf.equip(&name, &kept.discovery)?;
    save(&call, &kept).await?;
    let info = toolset_info(kept.shelf.get(&name)?, &kept.shelf, &kept.discovery);
    let body = json!({
        "success": true, "equipped": name, "toolset": info,
        "warnings": resolution.warnings, "errors": resolution.errors,
    });
    Ok(Response::json(200, &body))
}

/// `POST /local/saved-toolsets/unequip`
pub(super) async fn unequip<S: Store>(call: Call<'_, S>) -> Answer {
    let EquipBody { name: _, chat_id } = call.json(r#"{"chat_id": "…"}"#)?;
    let mut kept = load(&call, chat_id).await?;
    let name = kept.shelf.unequip().ok_or(SavedError::NothingEquipped)?;
    save(&call, &kept).await?;
    Ok(Response::json(200, &json!({"success": true, "unequipped": name})))
}

/// `GET /local/saved-toolsets/{name}`
pub(super) async fn details<S: Store>(call: Call<'_, S>) -> Answer {
    let kept = of_query(&call).await?;
    let toolset = kept.shelf.get(call.parameters.get("name"))?;
    Ok(Response::json(200, &toolset_info(toolset, &kept.shelf, &kept.discovery)))
}

/// `PUT /local/saved-toolsets/{name}`
pub(super) async fn edit<S: Store>(call: Call<'_, S>) -> Answer {
    let EditBody { description, version, tools } = call.json(r#"{"tools": [{"namespacedName": "git.status"}]}"#)?;
    let new =
        NewToolset { name: call.parameters.get("name").to_owned(), description, version, tools: references(tools)? };
    changed(&call, |kept| kept.shelf.edit(new, &kept.discovery, call.world.now).map(drop)).await
}

/// `POST /local/saved-toolsets/{name}/allow-stale-refs`
pub(super) async fn allow_stale_refs<S: Store>(call: Call<'_, S>) -> Answer {
    let SwitchBody { enabled } = call.json(r#"{"enabled": true}"#)?;
    changed(&call, |kept| kept.shelf.allow_stale_refs(call.parameters.get("name"), enabled)).await
}

/// `POST /local/saved-toolsets/{name}/renew`: takes its tools for what they are now.
pub(super) async fn renew<S: Store>(call: Call<'_, S>) -> Answer {
    changed(&call, |kept| kept.shelf.renew(call.parameters.get("name"), &kept.discovery, call.world.now).map(drop))
        .await
}

/// `POST /local/saved-toolsets/{name}/notes`
pub(super) async fn annotate<S: Store>(call: Call<'_, S>) -> Answer {
    let NotesBody { tool_ref, notes } = call.json(r#"{"toolRef": {"namespacedName": "git.status"}, "notes": []}"#)?;
    let tool = reference(tool_ref)?;
    changed(&call, |kept| kept.shelf.annotate_in(call.parameters.get("name"), &tool, notes, call.world.now).map(drop))
        .await
}

/// `DELETE /local/saved-toolsets/{name}`
pub(super) async fn remove<S: Store>(call: Call<'_, S>) -> Answer {
    let mut kept = of_query(&call).await?;
    kept.shelf.delete(call.parameters.get("name"))?;
    save(&call, &kept).await?;
    Ok(Response::no_content())
}

/// `POST /local/chats/{id}/configuration-mode`: the user's switch (R142).
pub(super) async fn configure<S: Store>(call: Call<'_, S>) -> Answer {
    let SwitchBody { enabled } = call.json(r#"{"enabled": true}"#)?;
    let mut kept = load(&call, Some(call.chat_id()?)).await?;
    kept.shelf.mode = if enabled { Mode::Configuring } else { Mode::Working };
    save(&call, &kept).await?;
    Ok(Response::json(200, &json!({"enabled": enabled})))
}

/// Changes one toolset and tells how it is then.
async fn changed<S: Store>(call: &Call<'_, S>, change: impl FnOnce(&mut Kept) -> Result<(), SavedError>) -> Answer {
    let mut kept = of_query(call).await?;
    change(&mut kept)?;
    save(call, &kept).await?;
    let toolset = kept.shelf.get(call.parameters.get("name"))?;
    Ok(Response::json(200, &toolset_info(toolset, &kept.shelf, &kept.discovery)))
}

/// The shelf as it is for the chat that the query names.
async fn of_query<S: Store>(call: &Call<'_, S>) -> Result<Kept, Refusal> {
    let chat = call.query.text("chat_id").map(|id| ChatId::parse(id.to_owned())).transpose();
    let chat = chat.map_err(|error| Refusal::new(Code::BadRequest, error).about("chat_id"))?;
    load(call, chat).await
}

async fn load<S: Store>(call: &Call<'_, S>, chat: Option<ChatId>) -> Result<Kept, Refusal> {
    let chat = match chat {
        None => None,
        Some(id) => {
            let found = store::get::<Chat>(call.store, RowKey::one(id.as_str())).await?;
            Some(found.ok_or_else(|| Refusal::not_found(format!("there is no chat {id}")))?)
        }
    };
    Ok(Kept::load(call.store, call.world.surroundings, chat).await?)
}

async fn save<S: Store>(call: &Call<'_, S>, kept: &Kept) -> Result<(), Refusal> {
    let commit = kept.commit(call.store).await?;
    call.apply(commit).await.map(drop)
}

fn references(bodies: Vec<ReferenceBody>) -> Result<Vec<ToolReference>, SavedError> {
    bodies.into_iter().map(reference).collect()
}

fn reference(body: ReferenceBody) -> Result<ToolReference, SavedError> {
    Ok(ToolReference::new(body.namespaced_name, body.ref_id)?)
}
