//! Which build of the app this is, and which files belong to it.

use js_sys::Promise;
use satchel_core::digest::BlobId;
use serde::Deserialize;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;

use super::raw_bytes::RawBytes;
use super::{digest, js_error, page};

/// The part of `satchel-build.json` that the page needs.
#[derive(Deserialize)]
struct Description {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    path: String,
    sha256: BlobId,
}

/// A file of this build that is not loaded yet.
#[derive(Clone, Debug)]
pub(crate) struct BuildFile {
    /// Where it is, from the root.
    pub(crate) path: String,
    /// What its bytes must hash to.
    pub(crate) digest: BlobId,
}

impl BuildFile {
    /// Its bare name.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Its bytes, found to be those of this build.
    pub(crate) async fn raw_bytes(&self) -> Result<RawBytes, BuildError> {
        let bytes = raw_bytes_at(&self.path).await?;
        if digest::of_raw(&bytes).await != self.digest {
            return Err(BuildError::Damaged { path: self.path.clone() });
        }
        Ok(bytes)
    }
}

/// Why a file of the build could not be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    #[error(
        "{path} could not be loaded ({reason}); connect to the network once, so that it can be kept on this device"
    )]
    Unreachable { path: String, reason: String },
    #[error("{path} is damaged or from another version; reload the page")]
    Damaged { path: String },
}

/// The name of this build; empty when the app was not put together by `cargo xtask build`.
pub(crate) fn id() -> String {
    named("satchel-build").unwrap_or_default()
}

/// The address of a file with a fixed name, of this very build: the service worker keeps several.
pub(crate) fn versioned(path: &str) -> String {
    of_build(path, &id())
}

fn of_build(path: &str, build: &str) -> String {
    format!("{path}?v={build}")
}

/// The address of the core worker's script, which has its contents' hash in it; none when the app was not put together by
/// `cargo xtask build`.
pub(super) fn core_worker() -> Option<String> {
    named("satchel-core-worker")
}

/// What the build wrote into one of the page's tags.
fn named(tag: &str) -> Option<String> {
    let meta = page::document().query_selector(&format!("meta[name={tag}]")).ok().flatten()?;
    meta.get_attribute("content").filter(|content| !content.is_empty())
}

/// The files of a build below some folders.
pub(crate) async fn files_below(build: &str, folders: &[&str]) -> Result<Vec<BuildFile>, BuildError> {
    let path = of_build("/satchel-build.json", build);
    let text = raw_bytes_at(&path).await?.to_vec();
    let description: Description =
        serde_json::from_slice(&text).map_err(|_not_a_description| BuildError::Damaged { path })?;
    let is_below = |file: &File| folders.iter().any(|folder| file.path.starts_with(folder));
    let below = description.files.into_iter().filter(is_below);
    Ok(below.map(|file| BuildFile { path: file.path, digest: file.sha256 }).collect())
}

/// The bytes at an address of the app's own origin.
pub(crate) async fn raw_bytes_at(path: &str) -> Result<RawBytes, BuildError> {
    let failed = |reason: String| BuildError::Unreachable { path: path.into(), reason };
    let thrown = |thrown: wasm_bindgen::JsValue| failed(js_error::describe(&thrown));
    let response = JsFuture::from(fetch(path)).await.map_err(thrown)?;
    let response: web_sys::Response = response.dyn_into().expect("fetch answers with a response");
    if !response.ok() {
        return Err(failed(format!("status {}", response.status())));
    }
    let buffer = JsFuture::from(response.array_buffer().map_err(thrown)?).await.map_err(thrown)?;
    Ok(RawBytes::of_buffer(&buffer))
}

#[wasm_bindgen]
extern "C" {
    /// The global one, in the page as in a worker.
    fn fetch(address: &str) -> Promise;
}
