//! The example toolsets as core reads them. That they run is shown by `tests/cage/examples.spec.ts`.

use std::fs;
use std::path::Path;

use satchel_core::bundle::{Bundle, BundleLimits};
use satchel_core::render::Plain;
use satchel_tests::root;
use serde_json::json;

fn examples() -> Vec<(String, Bundle)> {
    let folder = root().join("examples");
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).expect("there are examples") {
        let path = entry.expect("the folder can be listed").path();
        let mut files = Vec::new();
        collect(&path, &path, &mut files);
        let bundle = Bundle::open_folder(files, &BundleLimits::default()).expect("an example is a bundle");
        found.push((path.file_name().expect("it has a name").to_string_lossy().into_owned(), bundle));
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

fn collect(top: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("the folder can be listed").path();
        if path.is_dir() {
            collect(top, &path, files);
        } else {
            let inside = path.strip_prefix(top).expect("it was found below");
            let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
            files.push((parts.join("/"), fs::read(&path).expect("the file can be read")));
        }
    }
}

#[test]
fn each_is_named_as_its_folder_and_gives_no_reason_to_warn() {
    let examples = examples();
    let names: Vec<&str> = examples.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["data-desk", "web-builder"]);
    for (name, bundle) in &examples {
        assert_eq!(bundle.manifest().id.as_str(), name);
        // A cache that Python left in the working copy is left out, and said; nothing else is worth a word.
        let warnings: Vec<_> = bundle.warnings().iter().filter(|words| !words.contains("leftover")).collect();
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
    }
}

/// What one click installs asks for nothing: no host, no secret, no server, no package that would have to be fetched.
#[test]
fn each_works_without_a_network_and_needs_nothing_granted() {
    for (name, bundle) in examples() {
        let manifest = bundle.manifest();
        assert!(manifest.hosts.is_empty() && manifest.secrets.is_empty() && manifest.servers.is_empty(), "{name}");
        assert!(manifest.python_packages.is_empty(), "{name}");
    }
}

#[test]
fn each_can_be_tried_with_arguments_that_fit() {
    for (name, bundle) in examples() {
        let trial = bundle.trial().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(trial.is_some(), "{name} has nothing to try");
    }
}

/// A form is made from the schema, so that every field has to say what it is for.
#[test]
fn every_tool_and_every_argument_is_described() {
    for (name, bundle) in examples() {
        for tool in &bundle.manifest().tools {
            assert!(!tool.description.is_empty(), "{name}:{}", tool.id);
            let schema = tool.input_schema.as_ref().expect("the examples declare their schemas");
            for (field, about) in schema["properties"].as_object().expect("a schema has properties") {
                assert!(about["description"].is_string(), "{name}:{} {field}", tool.id);
            }
        }
    }
}

/// What has no renderer is shown by what it gives, as `Plain` finds it: these two on purpose.
#[test]
fn every_result_is_shown_as_what_it_is() {
    let mut plain = Vec::new();
    for (name, bundle) in examples() {
        let without = bundle.manifest().tools.iter().filter(|tool| tool.renderer.is_none());
        plain.extend(without.map(|tool| format!("{name}:{}", tool.id)));
    }
    assert_eq!(plain, ["web-builder:replace_text", "web-builder:run_command"]);
    let patch = json!({"path": "a.css", "difference": "--- a/a.css\n+++ b/a.css\n@@ -1 +1 @@\n-red\n+blue"});
    let args = json!({"path": "a.css", "old": "red", "new": "blue"});
    let shown = Plain::of(&plain[0], &args, patch);
    assert!(matches!(shown, Plain::Patch { path: Some(_), .. }), "{shown:?}");
    let wrote = json!({"stdout": "", "stderr": "no such file\n", "exit_code": 1});
    let shown = Plain::of(&plain[1], &json!({"command": "cat x"}), wrote);
    assert!(matches!(&shown, Plain::Terminal(text) if text.exit_code == Some(1)), "{shown:?}");
}
