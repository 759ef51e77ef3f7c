//! Satchel in the browser.
//!
//! Two programs are made of this crate, each a WebAssembly of its own: the page, which draws, and the core worker, which does
//! what would hold the page up. The page therefore carries no code for archives, YAML or checks; the worker none for
//! drawing.
//!
//! Inside, `ui` draws `state`, `work` does the effects, and only `browser` touches the browser.

mod boot;
mod browser;
mod core_worker;
mod work;

mod app;
mod state;
mod ui;

/// Starts the page.
pub fn run_page() {
    app::mount();
}

/// Starts the core worker.
pub fn run_core_worker() {
    core_worker::run();
}
