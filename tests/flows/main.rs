//! Flows across crates and folders, without a browser.

mod examples;
mod languages;
mod simulator;
mod toolsets_document;
