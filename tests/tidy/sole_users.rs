//! Packages that one place alone may use, so that what they do is decided once.

use satchel_tests::files_below;

use crate::assert_none;

/// (how code names the package, the folder of crates it is a rule for, who may use it)
const RULES: [(&str, &str, &str); 16] = [
    ("sha2::", "core/src", "core/src/digest.rs"),
    ("hmac::", "core/src", "core/src/digest.rs"),
    ("chacha20poly1305::", "core/src", "core/src/sync/seal.rs"),
    ("qrcodegen::", "core/src", "core/src/sync/code.rs"),
    ("zip::", "core/src", "core/src/bundle/archive"),
    ("pulldown_cmark::", "core/src", "core/src/render/markdown"),
    ("regex_lite::", "core/src", "core/src/pattern.rs"),
    ("pep440_rs::", "core/src", "core/src/python/packages/version.rs"),
    ("saphyr_parser::", "core/src", "core/src/bundle/manifest.rs"),
    ("idb::", "app/src", "app/src/browser/indexed_db"),
    ("rusqlite::", "sync-server/src", "sync-server/src/database"),
    ("chacha20poly1305::", "sync-server/src", "sync-server/src/vault/seal.rs"),
    ("hyper_util::client::", "sync-server/src", "sync-server/src/outbound"),
    ("rmcp::", "sync-server/src", "sync-server/src/mcp"),
    ("Command::new", "sync-server/src", "sync-server/src/mcp/child.rs"),
    ("TcpStream::connect", "sync-server/src", "sync-server/src/outbound"),
];

#[test]
fn a_package_has_its_one_user() {
    let mut complaints = Vec::new();
    for (package, folder, user) in RULES {
        for file in files_below(folder, &[".rs"]) {
            let uses = file.text.lines().any(|line| {
                let code = line.split("//").next().unwrap_or_default();
                code.match_indices(package)
                    .any(|(at, _)| !code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_'))
            });
            if uses && !file.path.starts_with(user) {
                complaints.push(format!("{} uses {package}, which only {user} may", file.path));
            }
        }
    }
    assert_none(&complaints);
}

/// I4: nothing becomes HTML in the app's page.
#[test]
fn nothing_becomes_html_in_the_page() {
    let complaints: Vec<String> = (files_below("app/src", &[".rs"]).into_iter())
        .filter(|file| {
            ["inner_html", "set_inner_html", "insert_adjacent_html", "outer_html"]
                .iter()
                .any(|call| file.text.contains(call))
        })
        .map(|file| format!("{} makes HTML of a text", file.path))
        .collect();
    assert_none(&complaints);
}
