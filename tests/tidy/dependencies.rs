//! `app → core ← sync-server`, and inside the app `ui → state → work → browser`.

use satchel_tests::{files_below, read};

use crate::assert_none;

/// I1, and the direction between crates. A hash of the server's is one of core's, so that there is one way to name content.
#[test]
fn crates_depend_in_one_direction() {
    let forbidden: [(&str, &[&str]); 4] = [
        (
            "core",
            &[
                "satchel-app",
                "satchel-server",
                "web-sys",
                "js-sys",
                "wasm-bindgen",
                "gloo",
                "leptos",
                "idb",
                "tokio",
                "rusqlite",
                "axum",
                "reqwest",
                "getrandom",
                "rand",
            ],
        ),
        ("app", &["satchel-server", "tokio", "rusqlite", "axum"]),
        ("sync-server", &["satchel-app", "leptos", "web-sys", "js-sys", "wasm-bindgen", "idb", "sha2"]),
        ("xtask", &["satchel-app", "satchel-server", "satchel-core"]),
    ];
    let mut complaints = Vec::new();
    for (krate, names) in forbidden {
        let manifest = read(&format!("{krate}/Cargo.toml")).expect("the crate has a manifest");
        for dependency in dependencies(&manifest.text) {
            if names.iter().any(|name| dependency == *name || dependency.starts_with(&format!("{name}-"))) {
                complaints.push(format!("{krate} must not depend on {dependency}"));
            }
        }
    }
    assert_none(&complaints);
}

/// Only `browser` touches the browser, and no layer uses one above it.
#[test]
fn layers_of_the_app_depend_downwards() {
    const BROWSER_PACKAGES: [&str; 6] =
        ["web_sys", "js_sys", "gloo", "idb::", "wasm_bindgen::", "wasm_bindgen_futures"];
    let rules: [(&str, &[&str]); 5] = [
        ("app/src/browser", &["leptos", "crate::ui", "crate::state", "crate::work", "crate::app"]),
        ("app/src/work", &["leptos", "crate::ui", "crate::state", "crate::app"]),
        // The other side of the page, with no page: it may do what `work` does, and show nothing.
        ("app/src/core_worker", &["leptos", "crate::ui", "crate::state", "crate::app"]),
        ("app/src/state", &["crate::ui", "crate::app"]),
        ("app/src/ui", &["crate::app"]),
    ];
    let mut complaints = Vec::new();
    for file in files_below("app/src", &[".rs"]) {
        let code = code(&file.text);
        if !file.path.starts_with("app/src/browser") {
            complaints.extend(
                (BROWSER_PACKAGES.iter().filter(|package| code.contains(**package)))
                    .map(|package| format!("{} uses {package}, which belongs to app/src/browser", file.path)),
            );
        }
        for (layer, forbidden) in rules {
            if file.path.starts_with(layer) {
                complaints.extend(
                    (forbidden.iter().filter(|name| code.contains(**name)))
                        .map(|name| format!("{} uses {name}, which is above it", file.path)),
                );
            }
        }
    }
    assert_none(&complaints);
}

/// The names in every dependency table of a manifest but the one for tests.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if let Some(table) = line.strip_prefix('[') {
            inside = table.contains("dependencies]") && !table.starts_with("dev-");
        } else if inside && let Some((name, _)) = line.split_once('=') {
            found.push(name.trim().split('.').next().unwrap_or_default().to_owned());
        }
    }
    found
}

/// The text without its comments, which may well speak of other layers.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn dependency_tables_are_read() {
    let manifest = "[package]\nname = \"x\"\n[dependencies]\nserde.workspace = true\nidb = \"1\"\n[dev-dependencies]\ninsta = \"1\"\n";
    assert_eq!(dependencies(manifest), ["serde", "idb"]);
}
