//! What calls gave, drawn: one component a renderer, and [`Rendered`], which chooses among them by what core says.
//!
//! Everything here is drawn from what is stored with a call. Nothing runs anything, and nothing that came from a tool becomes HTML in the
//! page (I4): it is text, a document of the code view, a picture, or a document in a closed frame.

mod artifact;
mod code;
mod code_block;
mod code_text;
mod difference;
mod displays;
mod document;
mod error;
mod frame;
mod growing;
mod html;
mod json;
mod key_value;
mod live;
mod markdown;
mod near;
mod patch;
mod picture;
mod plain;
mod result_file;
mod source;
mod surface;
mod table;
mod table_rows;
mod terminal;

use std::sync::Arc;

use leptos::context::Provider;
use leptos::prelude::*;
use satchel_core::record::ToolCall;
use satchel_core::render::{FrameAddress, Page, Plain, View};
use satchel_core::workspace::LinesRead;

use self::code::CodeView;
pub(crate) use self::displays::{DisplayView, KeptDisplays};
use self::document::DocumentView;
pub(crate) use self::error::ErrorView;
use self::frame::FrameRenderer;
pub(crate) use self::growing::GrowingMarkdown;
use self::html::HtmlView;
pub(crate) use self::json::JsonView;
pub(crate) use self::markdown::Markdown;
pub(crate) use self::near::WhenNear;
use self::plain::PlainView;
use self::result_file::ResultFile;
use self::surface::OfChat;
pub(crate) use self::terminal::{KeptOutput, LiveOutput};
use crate::browser::page;

/// The view of a call on this page.
pub(crate) fn view_of(call: &ToolCall) -> View {
    let address = FrameAddress::parse(&page::origin()).unwrap_or_else(|_| FrameAddress::of_port(80));
    View::of_call(call, &Page { address })
}

/// Whether what a call gave is something to look at, and not only to read when the details are wanted.
pub(crate) fn is_shown_at_once(view: &View, call: &ToolCall) -> bool {
    match view {
        View::Code { .. } | View::Document { .. } | View::Html { .. } | View::Frame(_) | View::ResultFile { .. } => {
            true
        }
        View::Error { .. } => false,
        View::Json { note: Some(_), .. } | View::Json { result: None, .. } => false,
        View::Json { result: Some(result), .. } => Plain::is_to_be_seen(&call.tool_id, &call.args, result),
    }
}

/// What a call gave, as its plan says.
#[component]
pub(crate) fn Rendered(
    /// The call, ended.
    call: Arc<ToolCall>,
) -> impl IntoView {
    let chat = OfChat(call.chat_id.clone());
    view! { <Provider value=chat>{drawn(call)}</Provider> }
}

fn drawn(call: Arc<ToolCall>) -> AnyView {
    match view_of(&call) {
        View::Code { source, language, editable } => {
            let told = call.result.as_ref().and_then(|result| LinesRead::of_call(&call.tool_id, result));
            // An editor has the whole file.
            let lines = told.filter(|_| !editable);
            view! { <CodeView source language editable lines /> }.into_any()
        }
        View::Document { source, is_markdown, editable } => {
            view! { <DocumentView source is_markdown editable /> }.into_any()
        }
        View::Html { artifact, files, data } => view! { <HtmlView artifact files data /> }.into_any(),
        View::Frame(frame) => view! { <FrameRenderer frame call /> }.into_any(),
        View::Json { result, note } => {
            let (tool, args) = (call.tool_id.clone(), call.args.clone());
            view! { <PlainView tool args result=result.unwrap_or_default() note /> }.into_any()
        }
        View::ResultFile { file, media_type, note } => view! { <ResultFile call file media_type note /> }.into_any(),
        View::Error { message, traceback } => view! { <ErrorView message traceback /> }.into_any(),
    }
}
