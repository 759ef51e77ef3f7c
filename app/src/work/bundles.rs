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

/// Makes a bundle with its first tool, both or neither; the tool's whole id.
pub(crate) async fn make(
    store: &AppStore,
    name: &str,
    bundle_slug: &str,
    slug: &str,
    version: &str,
    tool: Value,
) -> Result<String, LocalApiError> {
    let bundle = random::uuid_v7();
    let mut tool = tool;
    (tool["slug"], tool["version"]) = (slug.into(), version.into());
    let body = json!({"slug": bundle_slug, "displayName": name, "tools": [tool]});
    local_api::call(store, "PUT", &format!("/local/tools/bundles/{bundle}"), &body.to_string()).await?;
    tab_news::tell(Topic::Toolsets);
    let made: MadeToolRead = local_api::get(store, &path(&bundle, slug, version), "").await?.json()?;
    Ok(made.tool_id)
}

/// Makes a tool, or another version of one that comes in the place of `replaces`; its whole id.
pub(crate) async fn make_tool(
    store: &AppStore,
    bundle: &str,
    slug: &str,
    version: &str,
    tool: Value,
    replaces: Option<&str>,
) -> Result<String, LocalApiError> {
    let mut tool = tool;
    if let Some(replaces) = replaces {
        tool["replaces"] = replaces.into();
    }
    let made: MadeToolRead =
        local_api::call(store, "PUT", &path(bundle, slug, version), &tool.to_string()).await?.json()?;
    // Chats may have chosen the one before.
    tab_news::tell(Topic::Toolsets);
    tab_news::tell(Topic::Chats);
    Ok(made.tool_id)
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
