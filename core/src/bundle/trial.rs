//! What there is to try of a toolset: `try.json` at its top names one call, and the files the call works on.
//!
//! Only the toolsets that come with the app are asked for it. In any other bundle it is a file like the rest.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Bundle;
use crate::catalog::ToolId;
use crate::schema::{Misfits, Schema, SchemaFault, SchemaLimits};

/// The file that says what to try.
pub const TRIAL_FILE: &str = "try.json";

/// A call to begin with.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// What comes of it, in a few words: the title of the chat it is tried in.
    pub title: String,
    /// The tool's whole id.
    pub tool_id: ToolId,
    /// What it is called with.
    pub arguments: Map<String, Value>,
    /// The files it works on: the name in the workspace, and the bytes.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Why a `try.json` promises what the bundle does not have.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// It is not JSON of the right shape.
    #[error("{TRIAL_FILE} cannot be read")]
    Unreadable(#[from] serde_json::Error),
    /// It names a tool that is not there.
    #[error("{TRIAL_FILE} tries {0:?}, which is not a tool of this toolset")]
    NoTool(String),
    /// It names a file that is not there.
    #[error("{TRIAL_FILE} brings {0:?}, which is not a file of this toolset")]
    NoFile(String),
    /// The tool's own schema cannot be read.
    #[error("{TRIAL_FILE} tries a tool whose input_schema cannot be used: {0}")]
    Schema(SchemaFault),
    /// The tool would refuse its arguments.
    #[error("{TRIAL_FILE} has arguments that are not valid: {0}")]
    Arguments(Misfits),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    title: String,
    tool: String,
    arguments: Map<String, Value>,
    #[serde(default)]
    files: Vec<String>,
}

impl Bundle {
    /// What there is to try of it; none where it says nothing.
    pub fn trial(&self) -> Result<Option<Trial>, TrialError> {
        let Some(file) = self.files.get(TRIAL_FILE) else { return Ok(None) };
        let Written { title, tool, arguments, files } = serde_json::from_slice(&file.bytes)?;
        let declared = self.manifest.tools.iter().find(|declared| declared.id.as_str() == tool);
        let declared = declared.ok_or(TrialError::NoTool(tool))?;
        if let Some(schema) = &declared.input_schema {
            let schema = Schema::read(schema, &SchemaLimits::default()).map_err(TrialError::Schema)?;
            schema.check(&Value::Object(arguments.clone())).map_err(TrialError::Arguments)?;
        }
        let bring = |path: String| {
            let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
            let file = self.files.get(&path).ok_or(TrialError::NoFile(path))?;
            Ok((name, file.bytes.clone()))
        };
        Ok(Some(Trial {
            title,
            tool_id: ToolId::Toolset(self.manifest.id.clone(), declared.id.clone()),
            arguments,
            files: files.into_iter().map(bring).collect::<Result<_, TrialError>>()?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{BundleLimits, MANIFEST_FILE};
    use super::*;

    const MANIFEST: &str = r#"
manifest_version: "1"
id: desk
name: Desk
version: "1.0.0"
tools:
  - id: count
    description: Counts lines
    entrypoint: tools.count:count
    input_schema: {type: object, properties: {file: {type: string}}, required: [file], additionalProperties: false}
"#;

    fn trial(written: Option<&Value>) -> Result<Option<Trial>, TrialError> {
        let written = written.map(|written| (TRIAL_FILE.to_owned(), written.to_string().into_bytes()));
        let files = [(MANIFEST_FILE, MANIFEST), ("samples/a.csv", "a\n1\n")];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        let bundle = Bundle::open_folder(files.into_iter().chain(written), &BundleLimits::default());
        bundle.expect("is a bundle").trial()
    }

    #[test]
    fn a_call_with_its_files() {
        let written = json!({
            "title": "Lines", "tool": "count", "arguments": {"file": "a.csv"}, "files": ["samples/a.csv"],
        });
        let trial = trial(Some(&written)).expect("is right").expect("is there");
        assert_eq!((trial.title.as_str(), trial.tool_id.to_string().as_str()), ("Lines", "desk:count"));
        assert_eq!(Value::Object(trial.arguments), json!({"file": "a.csv"}));
        assert_eq!(trial.files, [("a.csv".to_owned(), b"a\n1\n".to_vec())]);
    }

    #[test]
    fn none_where_nothing_is_said() {
        assert_eq!(trial(None).expect("is right"), None);
    }

    #[test]
    fn what_the_bundle_does_not_have_is_refused() {
        let check = |tool: &str, arguments: Value, files: Value, expected: &str| {
            let written = json!({"title": "T", "tool": tool, "arguments": arguments, "files": files});
            assert_eq!(trial(Some(&written)).expect_err(expected).to_string(), expected);
        };
        let good = json!({"file": "a.csv"});
        check("sum", good.clone(), json!([]), "try.json tries \"sum\", which is not a tool of this toolset");
        check(
            "count",
            good.clone(),
            json!(["b.csv"]),
            "try.json brings \"b.csv\", which is not a file of this toolset",
        );
        let error =
            trial(Some(&json!({"title": "T", "tool": "count", "arguments": {"path": 1}}))).expect_err("misfits");
        assert!(error.to_string().starts_with("try.json has arguments that are not valid: "), "{error}");
        let error =
            trial(Some(&json!({"title": "T", "tool": "count", "arguments": good, "more": 1}))).expect_err("more");
        assert_eq!(error.to_string(), "try.json cannot be read");
    }
}
