//! A device for the tests of upkeep, filled by the local API.

use std::cell::Cell;

use crate::at_once::at_once;
use crate::catalog::Surroundings;
use crate::ids::DeviceId;
use crate::local_api::{self, LocalApiLimits, Request, World};
use crate::store::MemoryStore;
use crate::time::Timestamp;

pub(super) const MANIFEST: &str = "manifest_version: '1'\nid: sample\nname: Sample\nversion: 1.0.0\ntools:\n  - {id: one, entrypoint: 'tools.one:run'}\n";

pub(super) fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// A device with an empty store.
pub(super) struct Device {
    pub(super) store: MemoryStore,
    ids: Cell<u32>,
}

impl Device {
    pub(super) fn new() -> Self {
        let device = DeviceId::parse("00000000-0000-4000-8000-00000000000d").expect("is a UUID");
        Self { store: MemoryStore::new(device), ids: Cell::new(0) }
    }

    /// Asks the local API for something that it does.
    pub(super) fn ask(&self, method: &str, path: &str, body: &[u8]) -> serde_json::Value {
        let fresh_id = || {
            self.ids.set(self.ids.get() + 1);
            format!("00000000-0000-7000-8000-{:012}", self.ids.get())
        };
        let (surroundings, limits) = (Surroundings::default(), LocalApiLimits::default());
        let world = World {
            now: at(1),
            fresh_id: &fresh_id,
            surroundings: &surroundings,
            limits: &limits,
            tools: None,
            shelf: None,
        };
        let (method, path, body) = (method.into(), path.into(), body.to_vec());
        let request = Request { method, path, query: String::new(), body };
        let response = at_once(local_api::answer(&self.store, &world, request));
        assert!(response.status < 300, "{}", String::from_utf8_lossy(&response.body));
        serde_json::from_slice(&response.body).unwrap_or_default()
    }

    /// A chat with these files; its id.
    pub(super) fn chat_with(&self, files: &[(&str, &str)]) -> String {
        let id = self.ask("POST", "/local/chats", b"{}")["id"].as_str().expect("a chat has an id").to_owned();
        for (path, content) in files {
            self.ask("PUT", &format!("/local/chats/{id}/workspace/files/{path}"), content.as_bytes());
        }
        id
    }
}
