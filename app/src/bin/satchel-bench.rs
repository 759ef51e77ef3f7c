//! What `cargo xtask bench` measures.

fn main() {
    satchel_app::run_bench();
}
