//! Satchel in the browser.
//!
//! Two programs are made of this crate, each a WebAssembly of its own: the page, which draws, and the core worker, which does
//! what would hold the page up. The page therefore carries no code for archives, YAML or checks; the worker none for
//! drawing.
//!
//! Inside, `ui` draws `state`, `work` does the effects, and only `browser` touches the browser.

#[cfg(feature = "bench")]
mod bench;
mod boot;
mod browser;
mod core_worker;
mod work;

mod app;
mod state;
mod ui;

pub use ui::pages;

/// Starts the page, which brings the pages beside the chat as it is told.
pub fn run_page(pages: pages::Pages) {
    app::mount(pages);
}

/// Starts what is measured.
#[cfg(feature = "bench")]
pub fn run_bench() {
    bench::run();
}

/// Starts the core worker.
pub fn run_core_worker() {
    core_worker::run();
}
