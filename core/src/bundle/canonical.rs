//! One spelling for equal values, and the name of a package made from it.

use serde_json::Value;

use super::MANIFEST_FILE;
use crate::digest::BlobId;
use crate::record::PackageId;

/// The name of a package: over its manifest in canonical form, and over path and hash of every file but the manifest, so that
/// neither comments, nor the order of keys, nor where and when it was installed are part of it.
pub(crate) fn package_id<'a>(manifest: &Value, files: impl Iterator<Item = (&'a str, BlobId)>) -> PackageId {
    let mut files: Vec<(&str, String)> =
        files.filter(|(path, _)| *path != MANIFEST_FILE).map(|(path, id)| (path, id.to_string())).collect();
    files.sort();
    let mut description = String::from("satchel package 1\n");
    write(manifest, &mut description);
    description.push('\n');
    write(&files.into_iter().map(|(path, id)| vec![path.to_owned(), id]).collect(), &mut description);
    PackageId::of(description.as_bytes())
}

/// Compact JSON with the keys of every object sorted: equal values are equal texts.
#[must_use]
pub fn canonical_json(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, into: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => into.push_str(&value.to_string()),
        Value::Array(items) => {
            into.push('[');
            for (at, item) in items.iter().enumerate() {
                into.push_str(if at == 0 { "" } else { "," });
                write(item, into);
            }
            into.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            into.push('{');
            for (at, (key, value)) in members.into_iter().enumerate() {
                into.push_str(if at == 0 { "" } else { "," });
                into.push_str(&Value::String(key.clone()).to_string());
                into.push(':');
                write(value, into);
            }
            into.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_keys_and_the_manifest_file_do_not_count_and_all_else_does() {
        let id = |manifest: Value, files: &[(&'static str, &[u8])]| {
            package_id(&manifest, files.iter().map(|(path, bytes)| (*path, BlobId::of(bytes))))
        };
        let one = id(json!({"a": 1, "b": [{"c": 2, "d": "é\n"}]}), &[("x", b"1"), ("toolset.yaml", b"a")]);
        assert_eq!(one, id(json!({"b": [{"d": "é\n", "c": 2}], "a": 1}), &[("toolset.yaml", b"b"), ("x", b"1")]));
        assert_ne!(one, id(json!({"a": 1, "b": [{"c": 2, "d": "é\n"}]}), &[("x", b"2")]));
        assert_ne!(one, id(json!({"a": 1, "b": [{"c": 2, "d": "é\n"}]}), &[("y", b"1")]));
        assert_ne!(one, id(json!({"a": 1, "b": [{"c": 2, "d": "é"}]}), &[("x", b"1")]));
        insta::assert_snapshot!(one, @"8a48d43ad741344932de2f37bdedfad8fa6e38fe460318bbea5e1de093be035a");
    }
}
