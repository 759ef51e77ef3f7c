//! The rules of docs/architecture.md that no compiler checks: who may depend on whom, who alone uses a package, and that
//! what the documents name is there.

mod decisions;
mod dependencies;
mod documents;
mod errors;
mod files;
mod requirements;
mod sole_users;

/// Fails with all complaints at once, so that one run shows everything.
fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}
