//! Wheels and sources for tests.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::source::{FetchFailure, PackageSource};
use crate::bundle::archive;
use crate::digest::BlobId;

/// A pure wheel with one module.
pub(super) fn wheel(name: &str, version: &str, requires: &[&str]) -> Vec<u8> {
    let requires: String = requires.iter().map(|required| format!("Requires-Dist: {required}\n")).collect();
    let metadata =
        format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}\nRequires-Dist: not a header\n");
    archive::write(&BTreeMap::from([
        (format!("{name}-{version}.dist-info/METADATA"), metadata.into_bytes()),
        (format!("{name}/__init__.py"), format!("version = {version:?}\n").into_bytes()),
    ]))
}

/// A scripted source: files by their addresses.
#[derive(Default)]
pub(super) struct Shelf {
    pub(super) files: RefCell<BTreeMap<String, Vec<u8>>>,
    pub(super) failure: RefCell<Option<FetchFailure>>,
    /// What was asked for, in order.
    pub(super) asked: RefCell<Vec<String>>,
}

/// The index that [`Shelf::put`] fills.
pub(super) const INDEX: &str = "https://index.example/simple/";

impl Shelf {
    /// Puts a pure wheel on the index.
    pub(super) fn put(&self, name: &str, version: &str, requires: &[&str]) {
        self.put_as(name, &format!("{name}-{version}-py3-none-any.whl"), &wheel(name, version, requires), None);
    }

    /// Puts a file on the index, with its hash or another.
    pub(super) fn put_as(&self, name: &str, file_name: &str, bytes: &[u8], hash: Option<&str>) {
        let mut files = self.files.borrow_mut();
        let page = files.entry(format!("{INDEX}{name}/")).or_insert_with(|| br#"{"files": []}"#.to_vec());
        let mut read: serde_json::Value = serde_json::from_slice(page).expect("is JSON");
        let hash = hash.map_or_else(|| BlobId::of(bytes).to_string(), str::to_owned);
        let file = serde_json::json!({"filename": file_name, "url": format!("../../files/{file_name}"), "hashes": {"sha256": hash}});
        read["files"].as_array_mut().expect("is a list").push(file);
        *page = serde_json::to_vec(&read).expect("is JSON");
        files.insert(format!("https://index.example/files/{file_name}"), bytes.to_vec());
    }
}

impl PackageSource for Shelf {
    async fn fetch(&self, href: &str, _accept: &str, limit: u64) -> Result<Vec<u8>, FetchFailure> {
        self.asked.borrow_mut().push(href.to_owned());
        if let Some(failure) = *self.failure.borrow() {
            return Err(failure);
        }
        let bytes = self.files.borrow().get(href).cloned().ok_or(FetchFailure::Absent)?;
        if bytes.len() as u64 > limit { Err(FetchFailure::TooLarge) } else { Ok(bytes) }
    }
}

/// Runs a future that never waits.
pub(super) fn at_once<T>(future: impl Future<Output = T>) -> T {
    match std::pin::pin!(future).poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => unreachable!("nothing here waits"),
    }
}
