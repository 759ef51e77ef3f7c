//! A page at an address, or one of the workspace (C55).
//!
//! A page at an address is asked for only when the user says so: its address may have been made by the tool, and merely asking for it tells
//! its host what is in there. A page of the workspace goes into the same closed frame as an artifact, and tells nobody anything.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::record::ToolCall;
use satchel_core::render::{FileView, FrameAddress, FrameView, picture_page, self_contained};
use satchel_core::workspace::WorkspacePath;

use super::artifact::Artifact;
use super::source::NotRead;
use super::surface::{Copied, Surface};
use crate::state::Storage;
use crate::work::calls;

/// The frame.
#[component]
pub(super) fn FrameRenderer(
    /// What is in it.
    frame: FrameView,
    /// The call.
    call: Arc<ToolCall>,
) -> impl IntoView {
    match frame {
        FrameView::Address(address) => view! { <AddressFrame address /> }.into_any(),
        FrameView::Workspace(file) => view! { <Preview file call /> }.into_any(),
    }
}

/// A page at an address.
#[component]
fn AddressFrame(
    /// The address.
    address: FrameAddress,
) -> impl IntoView {
    let is_wanted = RwSignal::new(false);
    let place = if address.is_this_machine() { "a program on this computer" } else { "another host" };
    let (shown, url, source) = (address.to_string(), address.to_string(), address.to_string());
    let copied = Copied::of(move || url.clone());
    view! {
        <Surface test_id="renderer-frame" title=shown.clone() copied>
            <Show
                when=move || is_wanted.get()
                fallback=move || {
                    view! {
                        <div class="frame-offer">
                            <p>
                                "This result is a page of " {place} ": " <code>{shown.clone()}</code>
                                ". Showing it sends a request to this address:"
                            </p>
                            <button
                                class="button"
                                type="button"
                                data-testid="frame-show"
                                on:click=move |_| is_wanted.set(true)
                            >
                                "Show the page"
                            </button>
                        </div>
                    }
                }
            >
                // It may not lead the app elsewhere, nor open dialogs over it.
                <iframe
                    class="address-frame"
                    title=source.clone()
                    src=source.clone()
                    sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-downloads"
                    referrerpolicy="no-referrer"
                    allow=""
                ></iframe>
            </Show>
        </Surface>
    }
}

/// A page of the workspace, with the files of then.
#[component]
fn Preview(
    /// The page, as the call left it.
    file: FileView,
    /// The call.
    call: Arc<ToolCall>,
) -> impl IntoView {
    let storage = Storage::expect();
    let (title, path) = (file.path.clone(), Some(file.path.clone()));
    let document = LocalResource::new(move || {
        let (store, file, call) = (storage.store(), file.clone(), Arc::clone(&call));
        async move {
            let html = match picture_page(&file.path) {
                Some(page) => page,
                None => calls::text(&store, &file.path, file.sha256).await.map_err(|error| error.to_string())?,
            };
            let files = calls::files_after(&store, &call).await.map_err(|error| error.to_string())?;
            // Only what the page asks for is read: a workspace may be large.
            let asked = std::cell::RefCell::new(BTreeMap::new());
            let mut contents: BTreeMap<String, Vec<u8>> = BTreeMap::new();
            loop {
                let page = self_contained(&file.path, &html, &|path| {
                    let found = files.get(&WorkspacePath::parse(path).ok()?)?;
                    if !contents.contains_key(path) {
                        asked.borrow_mut().insert(path.to_owned(), found.sha256);
                    }
                    contents.get(path).cloned()
                });
                let missing = asked.take();
                if missing.is_empty() {
                    return Ok::<_, String>(page);
                }
                let read = calls::contents(&store, &missing).await;
                // What cannot be read counts as read, or it would be asked for without end.
                contents.extend(missing.into_keys().map(|path| {
                    let bytes = read.get(&path).cloned().unwrap_or_default();
                    (path, bytes)
                }));
            }
        }
    });
    let copied = Copied::of(move || document.get_untracked().and_then(Result::ok).unwrap_or_default());
    let name = title.clone();
    view! {
        <Surface test_id="renderer-frame" title copied path>
            {move || match document.get() {
                Some(Ok(document)) => view! { <Artifact title=name.clone() document /> }.into_any(),
                Some(Err(problem)) => view! { <NotRead problem=Some(problem) /> }.into_any(),
                None => view! { <NotRead problem=None /> }.into_any(),
            }}
        </Surface>
    }
}
