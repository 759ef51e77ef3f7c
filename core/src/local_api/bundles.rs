//! A bundle is shown before it is installed: what it contains, what it would mean for what is there, and the one commit.
//!
//! The addresses of the API use this, and so does the app's own import, which goes past them for two reasons: it holds the opened
//! bundle between the two steps, so that exactly what was shown is installed, and only it can say that the user agreed to the
//! servers it was shown (R057).

use serde::Serialize;

use super::World;
use super::refusal::Refusal;
use super::response::Response;
use crate::approval;
use crate::bundle::{Bundle, BundleError, Contents, Decision, InstallPlan, Origin, Outcome};
use crate::catalog::{InstalledToolset, ToolsetId};
use crate::ids::Uid;
use crate::record::{PackageId, SourceType};
use crate::store::{Commit, Store};

/// Answer of `POST /local/toolsets/preview`.
#[derive(Debug, Serialize)]
struct PreviewBody {
    #[serde(flatten)]
    outcome: Outcome,
    contents: Contents,
    warnings: Vec<String>,
}

/// Answer of `POST /local/toolsets/import`.
#[derive(Debug, Serialize)]
struct ImportedBody {
    toolset_id: ToolsetId,
    version: String,
    package: PackageId,
    warnings: Vec<String>,
}

/// Shows what installing a bundle would do, and gives the bundle back unless it is refused. Nothing is written.
pub async fn preview(store: &impl Store, bundle: Bundle) -> (Response, Option<Bundle>) {
    // Where it came from is not part of what is shown.
    let origin = Origin { source_type: SourceType::Zip, source_ref: None };
    match plan(store, bundle, origin).await {
        Ok(plan) => {
            let (outcome, warnings) = (plan.outcome().clone(), plan.warnings().to_vec());
            let body = PreviewBody { outcome, contents: plan.contents(), warnings };
            (Response::json(200, &body), Some(plan.into_bundle()))
        }
        Err(refusal) => (refusal.into_response(), None),
    }
}

/// Installs a bundle, all of it or nothing.
pub async fn install(
    store: &impl Store,
    world: &World<'_>,
    bundle: Bundle,
    origin: Origin,
    decision: Decision,
) -> Response {
    try_install(store, world, bundle, origin, decision).await.unwrap_or_else(Refusal::into_response)
}

/// The answer to something that is no bundle.
#[must_use]
pub fn refuse(error: BundleError) -> Response {
    Refusal::from(error).into_response()
}

async fn try_install(
    store: &impl Store,
    world: &World<'_>,
    bundle: Bundle,
    origin: Origin,
    decision: Decision,
) -> Result<Response, Refusal> {
    let plan = plan(store, bundle, origin).await?;
    let Contents { id, version, package, .. } = plan.contents();
    let body = ImportedBody { toolset_id: id, version, package, warnings: plan.warnings().to_vec() };
    // What was there just so was not made by this request.
    let status = if plan.outcome() == &Outcome::Same { 200 } else { 201 };
    let uid = || Uid::parse((world.fresh_id)()).expect("a fresh id is a UUID");
    let forgotten = match plan.outcome() {
        Outcome::Same => Commit::default(),
        // The tools of another package are others: nothing that was said of those before holds for them (C14).
        Outcome::New | Outcome::Upgrade { .. } | Outcome::Downgrade { .. } | Outcome::Conflict => {
            approval::withdraw_of_package(store, &body.toolset_id).await?
        }
    };
    let commit = plan.into_commit(world.now, decision, uid)?.then(forgotten);
    store.apply(commit, world.now).await?;
    Ok(Response::json(status, &body))
}

async fn plan(store: &impl Store, bundle: Bundle, origin: Origin) -> Result<InstallPlan, Refusal> {
    let there = InstalledToolset::find(store, bundle.manifest().id.as_str()).await?;
    Ok(InstallPlan::new(bundle, origin, there.map(InstalledToolset::into_installed))?)
}
