//! The core worker.

fn main() {
    satchel_app::run_core_worker();
}
