//! What the tests of built-in tools share: a workspace written in a line, and what a tool makes of it.

use serde_json::Value;

use super::{BuiltinLimits, Done, Failure, View, find, run};
use crate::at_once::at_once;
use crate::ids::DeviceId;
use crate::schema::{Schema, SchemaLimits};
use crate::store::{Blob, Commit, MemoryStore, Store as _};
use crate::time::Timestamp;
use crate::workspace::{FileEntry, Files, Trees, WorkspaceLimits, WorkspacePath, build, edit, flatten};

/// Calls a tool on these files, as a call does: with arguments that fit its schema.
fn call(
    limits: &BuiltinLimits,
    files: &[(&str, &str)],
    tool: &str,
    arguments: Value,
) -> (Files, Result<Done, Failure>) {
    let tool = find(tool).expect("is a tool");
    let store = MemoryStore::new(DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID"));
    let mut before = Files::new();
    for (path, content) in files {
        let blob = Blob::new(content.as_bytes().to_vec());
        before.insert(
            WorkspacePath::parse(*path).expect("is a path"),
            FileEntry { sha256: blob.id(), size: content.len() as u64 },
        );
        at_once(store.apply(Commit::default().blob(blob), Timestamp::from_millis(1))).expect("is stored");
    }
    let (input, schema_limits) = ((tool.input_schema)(), SchemaLimits::default());
    let schema = Schema::read(&input, &schema_limits).expect("is a schema");
    let arguments = schema.fit(arguments).expect("the arguments fit");
    let now = || Timestamp::from_millis(1);
    let done = at_once(run(tool, arguments, View::new(&store, &before, limits, &now)));
    if let Ok(done) = &done {
        let output = (tool.output_schema)();
        Schema::read(&output, &schema_limits).expect("is a schema").check(&done.result).expect("the result fits");
        assert!(tool.writes || done.changes.is_empty(), "{} says that it does not write", tool.name);
    }
    (before, done)
}

/// Checks the result of a call.
pub(super) fn check(files: &[(&str, &str)], tool: &str, arguments: Value, expected: Value) {
    check_with(&BuiltinLimits::default(), files, tool, arguments, expected);
}

/// The same within other limits.
pub(super) fn check_with(
    limits: &BuiltinLimits,
    files: &[(&str, &str)],
    tool: &str,
    arguments: Value,
    expected: Value,
) {
    let result = call(limits, files, tool, arguments.clone()).1.map(|done| done.result);
    assert_eq!(result.map_err(|failure| failure.to_string()), Ok(expected), "{tool} {arguments}");
}

/// Checks the files after a call, sorted by path.
pub(super) fn changes(files: &[(&str, &str)], tool: &str, arguments: Value, expected: &[(&str, &str)]) {
    let (before, done) = call(&BuiltinLimits::default(), files, tool, arguments);
    let done = done.expect("is done");
    let limits = WorkspaceLimits::default();
    let built = build(&before, &limits).expect("are files");
    let mut trees = Trees::default();
    built.trees.iter().for_each(|blob| trees.insert(blob.id(), Some(blob.bytes())));
    let snapshot = edit(&trees, built.root, &done.changes, &limits).expect("the changes fit");
    snapshot.trees.iter().for_each(|blob| trees.insert(blob.id(), Some(blob.bytes())));
    let known = files.iter().map(|(_, content)| Blob::new(content.as_bytes().to_vec())).chain(done.contents);
    let contents: std::collections::BTreeMap<_, _> = known.map(|blob| (blob.id(), blob.into_bytes())).collect();
    let after = flatten(&trees, snapshot.root).expect("all trees are there");
    let text = |file: FileEntry| String::from_utf8_lossy(&contents[&file.sha256]).into_owned();
    let after: Vec<(String, String)> = after.into_iter().map(|(path, file)| (path.to_string(), text(file))).collect();
    let mut expected: Vec<(String, String)> =
        expected.iter().map(|(path, content)| ((*path).to_owned(), (*content).to_owned())).collect();
    expected.sort();
    assert_eq!(after, expected);
}

/// Checks why a call is not carried out.
pub(super) fn refuses(files: &[(&str, &str)], tool: &str, arguments: Value, message: &str) {
    let done = call(&BuiltinLimits::default(), files, tool, arguments).1.map(|done| done.result);
    assert_eq!(done.map_err(|failure| failure.to_string()), Err(message.to_owned()));
}
