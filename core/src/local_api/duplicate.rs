//! `/local/toolsets/{id}/duplicate`: a copy of what is built in, as a toolset of the user's own (C52).
//!
//! It comes in as a bundle does that somebody imports, under the next id that is free. What is not built in has no need of it: it can be
//! changed as it is.

use super::bundles;
use super::call::Call;
use super::refusal::{Code, Refusal};
use super::route::Answer;
use super::toolsets;
use crate::bundle::{Bundle, Decision, Origin};
use crate::catalog::InstalledToolset;
use crate::record::SourceType;
use crate::store::Store;
use crate::{builtin, exa};

/// `POST /local/toolsets/{id}/duplicate`
pub(super) async fn duplicate<S: Store>(call: Call<'_, S>) -> Answer {
    let installed = toolsets::installed(&call).await?;
    if !installed.toolset.is_built_in {
        let message = format!("{} can be changed as it is; only what is built in is duplicated", installed.toolset.id);
        return Err(Refusal::new(Code::Conflict, message));
    }
    let tools = installed.tools_in_effect(call.world.surroundings);
    let off = tools.iter().filter(|tool| !tool.enabled).map(|tool| tool.declared.tool_id.name()).collect();
    let of_exa = installed.manifest.as_ref().map(|manifest| &manifest.json);
    let id = |number: u32| match of_exa {
        None => builtin::copy_id(number),
        Some(_) => exa::copy_id(number),
    };
    let mut number = 1;
    // What was uninstalled can be brought back, and keeps its id until then.
    while InstalledToolset::find(call.store, id(number).as_str()).await?.is_some() {
        number += 1;
    }
    let manifest = match of_exa {
        None => builtin::copy_manifest(&id(number), &off),
        Some(json) => exa::copy_manifest(json, &id(number)),
    };
    let bundle = Bundle::of_manifest(&manifest, &call.world.limits.bundle)?;
    let origin = Origin { source_type: SourceType::Created, source_ref: None };
    let decision = Decision { enabled: true, connect: false, replace: false };
    Ok(bundles::install(call.store, call.world, bundle, origin, decision).await)
}
