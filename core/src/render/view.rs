//! What the app draws for a call, read from the plan that was stored with it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::address::{FrameAddress, Page};
use super::config::{FrameTarget, RenderConfig, Source};
use super::language::{language_named, language_of};
use super::plan::{PlanRenderer, RenderPlan};
use crate::digest::BlobId;
use crate::record::{CallStatus, ToolCall};

/// One way to show a call.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
    /// Source code.
    Code {
        /// The code.
        source: SourceView,
        /// Its language, found by the file's name where none was given.
        language: String,
        /// Whether it can be edited.
        editable: bool,
    },
    /// Markdown or plain text.
    Document {
        /// The text.
        source: SourceView,
        /// Whether it is Markdown; else it is plain text.
        is_markdown: bool,
        /// Whether it can be edited.
        editable: bool,
    },
    /// A page of the toolset; [`inject_data`](super::inject_data) gives it its data.
    Html {
        /// The page, as it was at the call.
        artifact: FileView,
        /// The files of the toolset that it may name, itself among them.
        files: BTreeMap<String, BlobId>,
        /// What it is given.
        data: Value,
    },
    /// A frame.
    Frame(FrameView),
    /// The result as it is.
    Json {
        /// The result; none where the call has none yet.
        result: Option<Value>,
        /// Why it is not shown as it was declared.
        note: Option<String>,
    },
    /// The result as it is, too large for the call's row or no JSON (R308).
    ResultFile {
        /// Where it is.
        file: FileView,
        /// What it is.
        media_type: String,
        /// Why it is not shown as it was declared.
        note: Option<String>,
    },
    /// Why the call failed.
    Error {
        /// The reason.
        message: String,
        /// Where in its code it failed.
        traceback: Option<String>,
    },
}

/// A text to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceView {
    /// A file of the workspace.
    File(FileView),
    /// The text itself.
    Content(String),
}

/// What is in a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameView {
    /// A page at an address that this page may show.
    Address(FrameAddress),
    /// A page of the workspace, to be made into one document with the files of the call's manifest.
    Workspace(FileView),
}

/// A file as it was after the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileView {
    /// Where it is.
    pub path: String,
    /// Its bytes.
    pub sha256: BlobId,
}

impl View {
    /// The view of a call on this page. A failed call shows its error whatever its plan says (R219); a plan that is missing, of
    /// another version or broken shows the result as JSON (R218).
    #[must_use]
    pub fn of_call(call: &ToolCall, page: &Page) -> Self {
        let json = |note| match &call.spilled {
            None => Self::Json { result: call.result.clone(), note },
            Some(spilled) => {
                let file = FileView { path: spilled.path.clone(), sha256: spilled.sha256 };
                Self::ResultFile { file, media_type: spilled.media_type.clone(), note }
            }
        };
        match (call.status, &call.render_plan) {
            (CallStatus::Error, _) => Self::Error {
                message: call.error.clone().unwrap_or_else(|| "the call failed and gave no reason".into()),
                traceback: call.traceback.clone(),
            },
            (CallStatus::Pending | CallStatus::Running, _) | (CallStatus::Success, None) => json(None),
            (CallStatus::Success, Some(plan)) => match serde_json::from_value::<RenderPlan>(plan.clone()) {
                Ok(plan) => planned(&plan, page).unwrap_or_else(json),
                Err(_other_version) => json(Some("this version does not know how this result was to be shown".into())),
            },
        }
    }
}

/// The view of a plan, or the note that goes with plain JSON.
fn planned(plan: &RenderPlan, page: &Page) -> Result<View, Option<String>> {
    let Some(kind) = plan.renderer.declarable() else {
        return Err(match plan.renderer {
            PlanRenderer::Error => plan.config["message"].as_str().map(str::to_owned),
            _json => plan.note.clone(),
        });
    };
    let file = |path: String| match plan.pinned.get(&path) {
        Some(sha256) => Ok(FileView { sha256: *sha256, path }),
        None => Err(Some(format!("the plan does not say which {path:?} it showed"))),
    };
    let source = |source| match source {
        Source::File(path) => file(path).map(SourceView::File),
        Source::Content(text) => Ok(SourceView::Content(text)),
    };
    match RenderConfig::read(kind, &plan.config).map_err(|error| Some(error.to_string()))? {
        RenderConfig::Code { source: written, language, editable } => {
            let language = match (language, &written) {
                (Some(word), _) => language_named(&word),
                (None, Source::File(path)) => language_of(path),
                (None, Source::Content(_)) => "text",
            };
            Ok(View::Code { language: language.to_owned(), source: source(written)?, editable })
        }
        RenderConfig::Document { source: written, editable } => {
            // A text that is no file is Markdown: that is what documents are written in.
            let is_markdown = match &written {
                Source::File(path) => language_of(path) == "markdown",
                Source::Content(_) => true,
            };
            Ok(View::Document { source: source(written)?, is_markdown, editable })
        }
        RenderConfig::Html { artifact, data } => {
            Ok(View::Html { artifact: file(artifact)?, files: plan.pinned.clone(), data })
        }
        RenderConfig::Frame(FrameTarget::Workspace(path)) => Ok(View::Frame(FrameView::Workspace(file(path)?))),
        RenderConfig::Frame(FrameTarget::Address(address)) => {
            address.check_for(page).map_err(|refused| Some(refused.to_string()))?;
            Ok(View::Frame(FrameView::Address(address)))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ids::{ChatId, ToolCallId};
    use crate::time::Timestamp;

    const ID: &str = "0198c5a4-7c1e-7000-8000-00000000000a";

    fn call(status: CallStatus, render_plan: Option<Value>) -> ToolCall {
        ToolCall {
            id: ToolCallId::parse(ID).expect("is a UUID"),
            call_id: None,
            chat_id: ChatId::parse(ID).expect("is a UUID"),
            message_id: None,
            tool_id: "mine:show".into(),
            package: None,
            args: json!({}),
            result: (status == CallStatus::Success).then(|| json!({"rows": 1})),
            render_plan,
            status,
            error: (status == CallStatus::Error).then(|| "division by zero".into()),
            error_kind: None,
            started_at: Timestamp::from_millis(0),
            finished_at: None,
            pre_manifest_id: None,
            post_manifest_id: None,
            traceback: None,
            output: None,
            displays: Vec::new(),
            notes: Vec::new(),
            spilled: None,
            result_files: Vec::new(),
        }
    }

    fn view(plan: Value) -> View {
        let page = Page { address: FrameAddress::parse("https://satchel.example").expect("is an address") };
        View::of_call(&call(CallStatus::Success, Some(plan)), &page)
    }

    /// R308: the user still sees the whole result.
    #[test]
    fn a_result_that_was_too_large_is_shown_from_its_file() {
        let spilled = crate::record::Spilled {
            path: ".satchel/results/x.json".into(),
            sha256: BlobId::of(b"{}"),
            size: 2,
            media_type: "application/json".into(),
            preview: "{".into(),
        };
        let page = Page { address: FrameAddress::parse("https://satchel.example").expect("is an address") };
        let call = ToolCall { result: None, spilled: Some(spilled), ..call(CallStatus::Success, None) };
        let file = FileView { path: ".satchel/results/x.json".into(), sha256: BlobId::of(b"{}") };
        assert_eq!(
            View::of_call(&call, &page),
            View::ResultFile { file, media_type: "application/json".into(), note: None }
        );
    }

    fn check_json(found: &View, note: Option<&str>) {
        assert_eq!(found, &View::Json { result: Some(json!({"rows": 1})), note: note.map(str::to_owned) });
    }

    /// R218: each renderer by its plan. R213: the language by the file's name unless it is given.
    #[test]
    fn plans_are_dispatched() {
        let sha256 = BlobId::of(b"x");
        let file = |path: &str| FileView { path: path.into(), sha256 };
        let code = |language: &str, source| View::Code { source, language: language.into(), editable: false };
        assert_eq!(
            view(
                json!({"renderer": "code", "config": {"file": "a.rs", "language": "auto"}, "pinned": {"a.rs": sha256}})
            ),
            code("rust", SourceView::File(file("a.rs")))
        );
        assert_eq!(
            view(json!({"renderer": "code", "config": {"content": "ls", "language": "bash"}})),
            code("shell", SourceView::Content("ls".into()))
        );
        assert_eq!(
            view(
                json!({"renderer": "document", "config": {"file": "a.md", "editable": true}, "pinned": {"a.md": sha256}})
            ),
            View::Document { source: SourceView::File(file("a.md")), is_markdown: true, editable: true }
        );
        assert_eq!(
            view(
                json!({"renderer": "html", "config": {"artifact": "a.html", "data": 1}, "pinned": {"a.html": sha256}})
            ),
            View::Html { artifact: file("a.html"), files: [("a.html".into(), sha256)].into(), data: json!(1) }
        );
        assert_eq!(
            view(json!({"renderer": "frame", "config": {"port": 8000}})),
            View::Frame(FrameView::Address(FrameAddress::of_port(8000)))
        );
        assert_eq!(
            view(json!({"renderer": "frame", "config": {"url": "workspace:a.html"}, "pinned": {"a.html": sha256}})),
            View::Frame(FrameView::Workspace(file("a.html")))
        );
    }

    /// R218, C55
    #[test]
    fn everything_else_is_json() {
        check_json(&view(json!({"renderer": "json", "config": {}})), None);
        check_json(&view(json!({"renderer": "json", "config": {}, "note": "why"})), Some("why"));
        let unknown = Some("this version does not know how this result was to be shown");
        check_json(&view(json!({"renderer": "hologram", "config": {}})), unknown);
        check_json(&view(json!(7)), unknown);
        check_json(
            &view(json!({"renderer": "code", "config": 7})),
            Some("the configuration of the code renderer must be an object"),
        );
        check_json(
            &view(json!({"renderer": "code", "config": {"file": "a.rs"}})),
            Some(r#"the plan does not say which "a.rs" it showed"#),
        );
        check_json(
            &view(json!({"renderer": "frame", "config": {"url": "http://example.com"}})),
            Some(
                "this page is https, and a browser then shows no http page but one of this machine; use https, or open Satchel at a localhost address, to see http://example.com",
            ),
        );
        let page = Page { address: FrameAddress::of_port(1) };
        check_json(&View::of_call(&call(CallStatus::Success, None), &page), None);
        let running = View::of_call(&call(CallStatus::Running, None), &page);
        assert_eq!(running, View::Json { result: None, note: None });
    }

    /// R219
    #[test]
    fn a_failed_call_shows_its_error() {
        let page = Page { address: FrameAddress::of_port(1) };
        for plan in [None, Some(json!({"renderer": "code", "config": {"content": "x"}}))] {
            let failed = View::of_call(&call(CallStatus::Error, plan), &page);
            assert_eq!(failed, View::Error { message: "division by zero".into(), traceback: None });
        }
    }
}
