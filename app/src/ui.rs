//! What is drawn. Components only: they read contexts of `state`, and hand what the user does back to them.

#![expect(unreachable_pub, reason = "leptos's component macro makes its hidden copy of every component `pub`")]

pub(crate) mod parts;

pub(crate) mod layout;

pub(crate) mod answer;
pub(crate) mod attached;
pub(crate) mod background;
pub(crate) mod chat;
pub(crate) mod chat_export;
pub(crate) mod examples;
pub(crate) mod form;
pub(crate) mod models;
pub(crate) mod not_found;
pub mod pages;
pub(crate) mod palette;
pub(crate) mod problem;
pub(crate) mod renderers;
pub(crate) mod runs;
pub(crate) mod saved_toolsets;
pub(crate) mod search;
pub(crate) mod servers;
pub(crate) mod settings;
pub(crate) mod tool_call;
pub(crate) mod tools;
pub(crate) mod toolsets;
pub(crate) mod whole_export;
pub(crate) mod workspace;
pub(crate) mod wrench;
