//! The page.

fn main() {
    satchel_app::run_page();
}
