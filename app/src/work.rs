//! What the app does: each file one effect, told in core's types.

pub(crate) mod answering;
pub(crate) mod brought;
pub(crate) mod cage_check;
pub(crate) mod calls;
pub(crate) mod chats;
pub(crate) mod drafts;
pub(crate) mod errand;
pub(crate) mod examples;
pub(crate) mod forking;
pub(crate) mod local_api;
pub(crate) mod models;
pub(crate) mod packages;
pub(crate) mod page_models;
pub(crate) mod positions;
pub(crate) mod runs;
pub(crate) mod secrets;
pub(crate) mod selection;
pub(crate) mod server;
pub(crate) mod settings;
pub(crate) mod storage;
pub(crate) mod store;
pub(crate) mod tools;
pub(crate) mod toolsets;
pub(crate) mod update;
pub(crate) mod upkeep;
pub(crate) mod workspace;
