//! Satchel's server: it serves the app, guards its API, keeps its accounts and their secrets, and reaches models for them.
//!
//! A request meets the modules in this order: [`server`] accepts the connection, [`guard`] refuses what may not come in,
//! [`routes`] shows every URL and sends the rest on to [`policy`], [`vault`], [`llm`], [`fetch`], [`mcp`], [`sync`], [`events`], [`app_files`] or [`packages_folder`]. Behind them stand
//! the [`database`], the [`access_token`] and [`outbound`], the one way out; in front of all of it, [`cli`] and [`config`] say how the
//! operator wants it.
//!
//! What it is not: nothing here knows the app's code. The two share `satchel_core::protocol` and the description of a build.

pub mod cli;
pub mod config;
pub mod data_folder;
pub mod log;
pub mod start;

pub mod guard;
pub mod routes;
pub mod server;
pub mod state;

pub mod app_files;
pub mod fetch;
pub mod http_tools;
mod json_body;
pub mod packages_folder;
pub mod page_model;
pub mod policy;
pub mod refusal;

pub mod events;
pub mod llm;
pub mod mcp;
pub mod outbound;
pub mod sync;
pub mod vault;

pub mod access_token;
pub mod database;
mod private_file;

pub use routes::app;
pub use state::AppState;
