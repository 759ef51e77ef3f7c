//! Satchel in the browser.
//!
//! The same WebAssembly starts twice: in the page, where it draws, and in the core worker, where it does the heavy work.
//!
//! Inside, `ui` draws `state`, `work` does the effects, and only `browser` touches the browser.

mod boot;
mod browser;
mod core_worker;
mod work;

mod app;
mod state;
mod ui;

fn main() {
    if browser::core_worker::is_worker() {
        core_worker::run();
    } else {
        app::mount();
    }
}
