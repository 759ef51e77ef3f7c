//! The plan that is stored with a call: which renderer, what it is told, and which files it showed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::assets::{ToolsetFiles, pin_named};
use super::config::{ConfigError, FrameTarget, RenderConfig, Source};
use super::expression::{ExpressionScope, TooLarge, interpolate};
use super::path::below;
use super::{Declared, RenderLimits};
use crate::digest::BlobId;
use crate::record::RendererKind;

/// What `tool_calls.render_plan` holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RenderPlan {
    /// The renderer.
    pub renderer: PlanRenderer,
    /// What it is told, with every expression resolved and every path relative.
    pub config: Value,
    /// The files it shows, by path: for `html` those of the toolset, the page with all that it names, and for the others those of
    /// the workspace after the call.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pinned: BTreeMap<String, BlobId>,
    /// Why the result is not shown as it was declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The renderers of plans: those that can be declared, and the two that are always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanRenderer {
    /// Source code.
    Code,
    /// Markdown or plain text.
    Document,
    /// A page of the toolset.
    Html,
    /// A page at an address.
    Frame,
    /// The result as it is.
    Json,
    /// Why the call failed.
    Error,
}

/// What a plan is made from.
#[derive(Clone, Copy)]
pub struct PlanInput<'a> {
    /// What the tool declares, if it declares anything.
    pub declared: Option<&'a Declared>,
    /// What it was called with.
    pub args: &'a Value,
    /// How the call ended.
    pub outcome: Outcome<'a>,
    /// The chat.
    pub chat_id: &'a str,
    /// Where the tool saw its files.
    pub workspace: &'a str,
    /// Where it saw its toolset.
    pub toolset: &'a str,
    /// Looks up a file of the toolset's package.
    pub toolset_files: ToolsetFiles<'a>,
    /// Looks up a file of the workspace as the call left it.
    pub workspace_file: &'a dyn Fn(&str) -> Option<BlobId>,
    /// How large the plan may become.
    pub limits: RenderLimits,
}

/// How a call ended.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    /// With this result.
    Returned(&'a Value),
    /// With this error.
    Failed(&'a str),
}

/// Why a result is shown as plain JSON although something else was declared.
#[derive(Debug, thiserror::Error)]
enum Fallback {
    #[error("{} could not be resolved", list(.0))]
    Unresolved(Vec<String>),
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("{0:?} is not a path inside the workspace")]
    OutsideWorkspace(String),
    #[error("{0:?} is not a path inside the toolset")]
    OutsideToolset(String),
    #[error("the file {0:?} is not in the workspace after this call")]
    NotInWorkspace(String),
    #[error("the file {0:?} is not in the toolset")]
    NotInToolset(String),
}

impl RenderPlan {
    /// The plan of a call that has ended. It always gives one: what cannot be shown as declared becomes plain JSON with a
    /// note (R208), and a failed call shows its error (R219).
    #[must_use]
    pub fn of_call(input: &PlanInput<'_>) -> Self {
        let plan = |renderer, config, note| Self { renderer, config, pinned: BTreeMap::new(), note };
        match (input.outcome, input.declared) {
            (Outcome::Failed(message), _) => plan(PlanRenderer::Error, json!({"message": message}), None),
            (Outcome::Returned(_), None) => plan(PlanRenderer::Json, json!({}), None),
            (Outcome::Returned(returned), Some(declared)) => declared_plan(declared, returned, input)
                .unwrap_or_else(|fallback| plan(PlanRenderer::Json, json!({}), Some(fallback.to_string()))),
        }
    }
}

impl PlanRenderer {
    /// The renderer that can also be declared, if it is one.
    #[must_use]
    pub const fn declarable(self) -> Option<RendererKind> {
        match self {
            Self::Code => Some(RendererKind::Code),
            Self::Document => Some(RendererKind::Document),
            Self::Html => Some(RendererKind::Html),
            Self::Frame => Some(RendererKind::Frame),
            Self::Json | Self::Error => None,
        }
    }
}

impl From<RendererKind> for PlanRenderer {
    fn from(kind: RendererKind) -> Self {
        match kind {
            RendererKind::Code => Self::Code,
            RendererKind::Document => Self::Document,
            RendererKind::Html => Self::Html,
            RendererKind::Frame => Self::Frame,
        }
    }
}

fn declared_plan(declared: &Declared, returned: &Value, input: &PlanInput<'_>) -> Result<RenderPlan, Fallback> {
    let PlanInput { args, chat_id, workspace, toolset, .. } = *input;
    let scope = ExpressionScope { args, returned, chat_id, workspace, toolset };
    let interpolated = interpolate(&declared.config, &scope, input.limits)?;
    if !interpolated.unresolved.is_empty() {
        return Err(Fallback::Unresolved(interpolated.unresolved));
    }
    let mut config = interpolated.value;
    let pin = match RenderConfig::read(declared.renderer, &config)? {
        RenderConfig::Code { source: Source::File(path), .. }
        | RenderConfig::Document { source: Source::File(path), .. } => Some(("file", workspace_file(input, &path)?)),
        RenderConfig::Code { source: Source::Content(_), .. }
        | RenderConfig::Document { source: Source::Content(_), .. }
        | RenderConfig::Frame(FrameTarget::Address(_)) => None,
        RenderConfig::Html { artifact, .. } => Some(("artifact", toolset_file(input, &artifact)?)),
        RenderConfig::Frame(FrameTarget::Workspace(path)) => Some(("url", workspace_file(input, &path)?)),
    };
    let mut pinned = BTreeMap::new();
    if let Some((field, (path, sha256))) = pin {
        config[field] = if field == "url" { format!("workspace:{path}").into() } else { path.as_str().into() };
        pinned.insert(path, sha256);
    }
    if declared.renderer == RendererKind::Html {
        pin_named(&mut pinned, input.toolset_files, input.limits);
    }
    Ok(RenderPlan { renderer: declared.renderer.into(), config, pinned, note: None })
}

fn workspace_file(input: &PlanInput<'_>, written: &str) -> Result<(String, BlobId), Fallback> {
    let path = below(input.workspace, written).ok_or_else(|| Fallback::OutsideWorkspace(shown(written)))?;
    let sha256 = (input.workspace_file)(&path).ok_or_else(|| Fallback::NotInWorkspace(shown(&path)))?;
    Ok((path, sha256))
}

fn toolset_file(input: &PlanInput<'_>, written: &str) -> Result<(String, BlobId), Fallback> {
    let path = below(input.toolset, written).ok_or_else(|| Fallback::OutsideToolset(shown(written)))?;
    let sha256 = (input.toolset_files.id)(&path).ok_or_else(|| Fallback::NotInToolset(shown(&path)))?;
    Ok((path, sha256))
}

/// Paths may come from a model: a note shows no more of one than a person reads.
fn shown(path: &str) -> String {
    path.chars().take(200).collect()
}

fn list(expressions: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = expressions[..expressions.len().min(SHOWN)].join(", ");
    match expressions.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> BlobId {
        BlobId::of(b"<html>")
    }

    fn script() -> BlobId {
        BlobId::of(b"print()")
    }

    fn plan(renderer: RendererKind, config: Value, outcome: Outcome<'_>) -> RenderPlan {
        RenderPlan::of_call(&PlanInput {
            declared: Some(&Declared { renderer, config }),
            args: &json!({"path": "./src/a.py"}),
            outcome,
            chat_id: "c1",
            workspace: "/workspace",
            toolset: "/toolset",
            toolset_files: ToolsetFiles {
                id: &|path| ["artifacts/results.html", "artifacts/chart.js"].contains(&path).then(page),
                text: &|path| (path == "artifacts/results.html").then(|| "<script src=chart.js></script>".into()),
            },
            workspace_file: &|path| ["src/a.py", "index.html"].contains(&path).then(script),
            limits: RenderLimits { resolved_bytes: 1000, ..RenderLimits::default() },
        })
    }

    fn returned(renderer: RendererKind, config: Value) -> RenderPlan {
        plan(
            renderer,
            config,
            Outcome::Returned(&json!({"out": "/workspace/src/a.py", "port": 8000, "summary": "Processed 100 rows"})),
        )
    }

    /// R209, and the shape of FORMATS.
    #[test]
    fn as_stored() {
        let plan = returned(RendererKind::Html, json!({"artifact": "./artifacts/results.html", "data": "$return"}));
        insta::assert_json_snapshot!(plan, @r#"
        {
          "renderer": "html",
          "config": {
            "artifact": "artifacts/results.html",
            "data": {
              "out": "/workspace/src/a.py",
              "port": 8000,
              "summary": "Processed 100 rows"
            }
          },
          "pinned": {
            "artifacts/chart.js": "b7d082ee12e91b756ea22e8513b8594eebcf5d39fab813da3cb55794dc888ad7",
            "artifacts/results.html": "b7d082ee12e91b756ea22e8513b8594eebcf5d39fab813da3cb55794dc888ad7"
          }
        }
        "#);
    }

    /// R210: files are named by the hash they had after the call.
    #[test]
    fn files_are_pinned_as_the_call_left_them() {
        let check = |renderer, config, expected: Value, path: &str, sha256| {
            let plan = returned(renderer, config);
            assert_eq!((plan.note, plan.config), (None, expected));
            assert_eq!(plan.pinned, BTreeMap::from([(path.to_owned(), sha256)]));
        };
        let code = json!({"file": "$args.path", "language": "auto", "kept": 1});
        check(
            RendererKind::Code,
            code,
            json!({"file": "src/a.py", "language": "auto", "kept": 1}),
            "src/a.py",
            script(),
        );
        check(
            RendererKind::Document,
            json!({"file": "$return.out"}),
            json!({"file": "src/a.py"}),
            "src/a.py",
            script(),
        );
        let preview = json!({"url": "workspace:./index.html"});
        check(RendererKind::Frame, preview, json!({"url": "workspace:index.html"}), "index.html", script());
    }

    /// R210: a page is pinned with the files of the toolset that it names.
    #[test]
    fn a_page_is_pinned_with_what_it_names() {
        let plan = returned(RendererKind::Html, json!({"artifact": "$toolset/artifacts/results.html"}));
        assert_eq!((plan.note, plan.config), (None, json!({"artifact": "artifacts/results.html"})));
        let expected = ["artifacts/chart.js", "artifacts/results.html"].map(|path| (path.to_owned(), page()));
        assert_eq!(plan.pinned, BTreeMap::from(expected));
    }

    #[test]
    fn contents_and_addresses_pin_nothing() {
        for (renderer, config, expected) in [
            (RendererKind::Code, json!({"content": "$return.summary"}), json!({"content": "Processed 100 rows"})),
            (
                RendererKind::Frame,
                json!({"url": "http://localhost:$return.port"}),
                json!({"url": "http://localhost:8000"}),
            ),
            (RendererKind::Frame, json!({"port": "$return.port"}), json!({"port": 8000})),
        ] {
            let expected =
                RenderPlan { renderer: renderer.into(), config: expected, pinned: BTreeMap::new(), note: None };
            assert_eq!(returned(renderer, config), expected);
        }
    }

    /// R208, R218
    #[test]
    fn what_cannot_be_shown_as_declared_is_plain_json_with_a_note() {
        let check = |renderer, config, note: &str| {
            let plan = returned(renderer, config);
            assert_eq!((plan.renderer, plan.note.as_deref()), (PlanRenderer::Json, Some(note)));
            assert_eq!((plan.config, plan.pinned), (json!({}), BTreeMap::new()));
        };
        check(RendererKind::Code, json!({"file": "$args.missing"}), "$args.missing could not be resolved");
        check(
            RendererKind::Code,
            json!({"content": "$a $b $c $d $e $f $return.g"}),
            "$a, $b, $c, $d, $e and 2 more could not be resolved",
        );
        check(RendererKind::Code, json!({"content": "$return"}), r#""content" of the code renderer must be text"#);
        check(
            RendererKind::Code,
            json!({"file": "gone.py"}),
            r#"the file "gone.py" is not in the workspace after this call"#,
        );
        check(RendererKind::Code, json!({"file": "../x"}), r#""../x" is not a path inside the workspace"#);
        check(RendererKind::Html, json!({"artifact": "/etc/x"}), r#""/etc/x" is not a path inside the toolset"#);
        check(RendererKind::Html, json!({"artifact": "x.html"}), r#"the file "x.html" is not in the toolset"#);
        check(
            RendererKind::Document,
            json!({"content": "$return".repeat(40)}),
            "the values its expressions name are larger than 1000 bytes together",
        );
    }

    /// R219
    #[test]
    fn a_failed_call_has_an_error_plan_whatever_its_renderer() {
        let plan = plan(RendererKind::Html, json!({"artifact": "x"}), Outcome::Failed("division by zero"));
        insta::assert_json_snapshot!(plan, @r#"
        {
          "renderer": "error",
          "config": {
            "message": "division by zero"
          }
        }
        "#);
    }
}
