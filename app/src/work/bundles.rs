//! Bundles and their tools by the tools interface: made, changed and deleted from the page of tools (R227).

use satchel_core::local_api::reading::{BundleRead, BundlesRead, MadeToolRead};
use serde_json::{Value, json};

use super::local_api::{self, LocalApiError};
use super::store::AppStore;
use crate::browser::tab_news::{self, Topic};
use crate::browser::{random, url};

/// The bundles that tools can be put into, as many as a form can list.
pub(crate) async fn list(store: &AppStore) -> Result<Vec<BundleRead>, LocalApiError> {
    let read: BundlesRead = local_api::get(store, "/local/tools/bundles", "pageSize=256").await?.json()?;
    Ok(read.bundles.into_iter().filter(|bundle| !bundle.is_built_in).collect())
}

/// Makes a bundle.
pub(crate) async fn make(store: &AppStore, name: &str, slug: &str) -> Result<BundleRead, LocalApiError> {
    let path = format!("/local/tools/bundles/{}", random::uuid_v7());
    let body = json!({"slug": slug, "displayName": name, "isEnabled": true, "description": ""});
    let made = local_api::call(store, "PUT", &path, &body.to_string()).await?.json();
    tab_news::tell(Topic::Toolsets);
    made
}

/// Makes a tool, or another version of one; its whole id.
pub(crate) async fn make_tool(
    store: &AppStore,
    bundle: &str,
    slug: &str,
    version: &str,
    tool: &Value,
) -> Result<String, LocalApiError> {
    let made: MadeToolRead =
        local_api::call(store, "PUT", &path(bundle, slug, version), &tool.to_string()).await?.json()?;
    tab_news::tell(Topic::Toolsets);
    Ok(made.tool_id)
}

/// Switches a version off, where another has come in its place.
pub(crate) async fn switch_off(store: &AppStore, bundle: &str, slug: &str, version: &str) -> Result<(), LocalApiError> {
    local_api::call(store, "PATCH", &path(bundle, slug, version), "{\"isEnabled\":false}").await?;
    tab_news::tell(Topic::Toolsets);
    Ok(())
}

/// Deletes a version for good.
pub(crate) async fn delete_tool(
    store: &AppStore,
    bundle: &str,
    slug: &str,
    version: &str,
) -> Result<(), LocalApiError> {
    local_api::call(store, "DELETE", &path(bundle, slug, version), "").await?;
    tab_news::tell(Topic::Toolsets);
    Ok(())
}

fn path(bundle: &str, slug: &str, version: &str) -> String {
    let [bundle, slug, version] = [bundle, slug, version].map(url::segment);
    format!("/local/tools/bundles/{bundle}/tools/{slug}/version/{version}")
}
