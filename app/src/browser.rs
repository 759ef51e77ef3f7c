//! Everything that touches the browser, one of its interfaces per file.
//!
//! Only this folder uses web-sys, js-sys, gloo or idb; the rest of the app calls plain Rust functions that speak core's types.

pub(crate) mod address;
pub(crate) mod artifact_frame;
#[cfg(feature = "bench")]
pub(crate) mod bench_page;
pub(crate) mod build;
pub(crate) mod clipboard;
pub(crate) mod clock;
pub(crate) mod core_worker;
pub(crate) mod device_name;
pub(crate) mod digest;
pub(crate) mod editor;
pub(crate) mod files;
pub(crate) mod found_place;
pub(crate) mod indexed_db;
pub(crate) mod js_error;
pub(crate) mod last_selection;
pub(crate) mod local_relay;
pub(crate) mod outgoing;
pub(crate) mod outside;
pub(crate) mod page;
pub(crate) mod page_model;
pub(crate) mod picture;
pub(crate) mod python_cage;
pub(crate) mod random;
pub(crate) mod raw_bytes;
pub(crate) mod secrets;
pub(crate) mod server;
pub(crate) mod service_worker;
pub(crate) mod spawn;
pub(crate) mod storage;
pub(crate) mod style_sheet;
pub(crate) mod tab_news;
pub(crate) mod tab_roles;
pub(crate) mod url;
pub(crate) mod viewport;
