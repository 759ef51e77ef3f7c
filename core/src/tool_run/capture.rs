//! The second half of a call: from its end to its record.

use std::collections::BTreeMap;

use serde_json::Value;

use super::chat::{Before, Scene};
use super::ending::{DROPPED, Ended, Failure, KEPT, error_plan};
use super::found::Found;
use super::interrupted::unmark;
use super::{Finished, Produced, RunError, Runner, Spill, spill};
use crate::catalog::EffectiveTool;
use crate::conversation::OpenChat;
use crate::digest::BlobId;
use crate::ids::ManifestId;
use crate::python::CallPython;
use crate::record::{CallStatus, ErrorKind, RendererKind, ToolCall, ToolsetFile};
use crate::render::{Declared, Outcome, PlanInput, RenderLimits, RenderPlan, ToolsetFiles};
use crate::store::{Blob, Commit, Store, StoreError};
use crate::time::Timestamp;
use crate::workspace::{
    Cause, Changes, Files, NewManifest, Place, ReadError, Snapshot, Trees, WorkspaceError, WorkspacePath, edit,
    empty_root, flatten, read, record,
};

/// How often a commit is tried that another tab keeps overtaking.
const ATTEMPTS: u32 = 4;

/// What is known when the record is made.
struct Capture<'a> {
    found: &'a Found,
    tool: &'a EffectiveTool<'a>,
    scene: &'a Scene,
    before: Before,
    ended: Ended,
    spill: Option<Spill>,
}

impl Capture<'_> {
    /// The files of the result that belong to the state after this very call; those of a round come together, after it (R308).
    fn own_files(&self) -> impl Iterator<Item = &Spill> {
        self.ended.files.iter().filter(|_| !self.scene.in_round)
    }
}

/// The state after the changes, and which of them it has.
struct After {
    /// What makes that state; nothing where it is the one of before.
    made: Option<(Place, Snapshot, Vec<Blob>)>,
    base: Files,
    changes: Changes,
    spilled: bool,
    /// Why the changes are not in it.
    dropped: Option<WorkspaceError>,
}

/// How the state that a call has left is found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looking {
    /// A call that has changed nothing needs no look at the chat: whatever became of the chat meanwhile, this call had no part in it.
    AsNeeded,
    /// The record did not fit what is stored.
    Again,
}

impl<S: Store, P: CallPython + ?Sized> Runner<'_, S, P> {
    /// Records a call that has ended: files, state, plan and row in one commit.
    ///
    /// The user may have edited files while the tool ran. The changes of the call are then put on top of the state there is now, not of
    /// the one it started from: they are what it did, file by file, and so nothing is lost of either side but where both wrote the same
    /// file, and there the state before is in the history. The row still names the state the tool saw.
    pub(super) async fn capture(
        &self,
        found: &Found,
        tool: &EffectiveTool<'_>,
        call: ToolCall,
        scene: &Scene,
        before: Before,
        mut ended: Ended,
    ) -> Result<Finished, RunError> {
        let mut result = ended.result.take();
        let spill = match &result {
            None => None,
            Some(value) => spill(&[(&call.id, Produced::Json(value))], self.limits).pop().flatten(),
        };
        let most = self.limits.workspace.file_bytes;
        let spill = match spill {
            Some(spill) if spill.row.size > most => {
                let message = format!(
                    "the result has {} bytes, and the limit is {most}; write it to files instead",
                    spill.row.size
                );
                ended.failure = Some(Failure { kind: ErrorKind::Failed, message, traceback: None });
                result = None;
                None
            }
            other => other,
        };
        let capture = Capture { found, tool, scene, before, ended, spill };
        let (mut attempt, mut looking) = (1, Looking::AsNeeded);
        loop {
            let (row, commit) = self.record(&capture, &call, result.as_ref(), looking).await?;
            looking = Looking::Again;
            match self.store.apply(commit, (self.now)()).await {
                Ok(_) => return Ok(Finished { call: row, result, misfits: None, repeated: false }),
                // Another tab was faster; from what it has left, the same can be done again.
                Err(StoreError::Changed(_) | StoreError::MissingBlobs(_)) if attempt < ATTEMPTS => attempt += 1,
                Err(StoreError::Full) => {
                    let row = self.without_files(&capture, &call, StoreError::Full.to_string()).await?;
                    return Ok(Finished { call: row, result, misfits: None, repeated: false });
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The row and its commit, over the state that the node is in now.
    async fn record(
        &self,
        capture: &Capture<'_>,
        call: &ToolCall,
        result: Option<&Value>,
        looking: Looking,
    ) -> Result<(ToolCall, Commit), RunError> {
        let now = (self.now)();
        let Some(mut after) = self.after(capture, looking).await? else {
            let message = format!("the chat was deleted while the tool ran; {DROPPED}");
            return Ok(failed_row(capture, call, message, now));
        };
        let moved = after.made.as_ref().is_some_and(|(place, ..)| is_elsewhere(place, &capture.before));
        let made = match after.made.take() {
            None => None,
            Some((place, snapshot, contents)) => {
                let new = NewManifest { id: self.fresh_manifest()?, created_at: now };
                record(&place, snapshot, contents, new, &Cause::ToolRun(call.id.clone()))
            }
        };
        let (post, commit): (Option<ManifestId>, Commit) = match made {
            // Nothing changed: the state after is that of before, and there is no other (R036). A record alone need not wait for the disk.
            None => (call.pre_manifest_id.clone(), Commit::relaxed()),
            Some(made) => (Some(made.manifest.id), made.commit),
        };
        let failure = match &after.dropped {
            None => capture.ended.failure.as_ref().map(|failure| (failure.kind, failure.message.clone())),
            Some(error) => {
                let said = capture.ended.failure.as_ref().map(|failure| format!("{}; ", failure.message));
                Some((ErrorKind::Failed, format!("{}{error}; {DROPPED}", said.unwrap_or_default())))
            }
        };
        let texts = self.page_texts(capture).await?;
        let plan =
            self.plan(capture, call, &after, &texts, result, failure.as_ref().map(|(_, message)| message.as_str()));
        let spilled = capture.spill.as_ref().filter(|_| after.spilled).map(|spill| spill.row.clone());
        let late = capture.ended.files.iter().filter(|_| capture.scene.in_round);
        let row = ToolCall {
            status: if failure.is_some() { CallStatus::Error } else { CallStatus::Success },
            result: result.filter(|_| spilled.is_none()).cloned(),
            error_kind: failure.as_ref().map(|(kind, _)| *kind),
            error: failure.map(|(_, message)| message),
            render_plan: Some(serde_json::to_value(plan).expect("a plan has text keys and no failing serialiser")),
            finished_at: Some(now),
            post_manifest_id: post,
            spilled,
            result_files: late.map(|file| file.row.clone()).collect(),
            notes: notes_of(capture, &after, moved),
            ..with_output(capture, call)
        };
        // A row that is gone, with its chat, is not brought back.
        let commit = unmark(shown_blobs(capture, commit).change(call, &row), call);
        Ok((row.clone(), commit.then(capture.scene.answers(&row, now))))
    }

    /// The state of the node with the changes of the call in it. Changes that do not fit, by a limit or beside what is there now, are
    /// left out whole: half of what a tool has done is worse than nothing of it. None where the chat is gone.
    async fn after(&self, capture: &Capture<'_>, looking: Looking) -> Result<Option<After>, RunError> {
        let makes_files = capture.spill.is_some() || capture.own_files().next().is_some();
        if looking == Looking::AsNeeded && capture.ended.changes.is_empty() && !makes_files {
            let base = capture.before.files.clone();
            return Ok(Some(After { made: None, base, changes: Changes::default(), spilled: false, dropped: None }));
        }
        let chat = &capture.before.manifest.chat_id;
        let Some(open) = OpenChat::open(self.store, chat).await? else { return Ok(None) };
        let place = open.place_at(self.store, &capture.scene.node()).await?;
        let root = place.base.as_ref().map_or_else(empty_root, |base| base.manifest.root);
        let mut trees = Trees::default();
        let base = if root == capture.before.manifest.root {
            capture.before.files.clone()
        } else {
            read(self.store, &mut trees, |trees| flatten(trees, root)).await?
        };
        let whole = capture.own_files().fold(capture.ended.changes.clone(), |changes, file| file.put_in(changes));
        let spilled = |changes: Changes| match &capture.spill {
            None => changes,
            Some(_) if capture.scene.in_round => changes,
            Some(spill) => spill.put_in(changes),
        };
        let own = capture.spill.as_ref().filter(|_| !capture.scene.in_round);
        let spill_content = own.map(|spill| spill.content.clone());
        let mut contents = capture.ended.contents.clone();
        contents.extend(capture.own_files().map(|file| file.content.clone()));
        contents.extend(spill_content.clone());
        let tries = [
            (spilled(whole), contents, capture.spill.is_some()),
            (spilled(Changes::default()), spill_content.into_iter().collect(), capture.spill.is_some()),
            (Changes::default(), Vec::new(), false),
        ];
        let mut dropped = None;
        for (changes, contents, spilled) in tries {
            let limits = &self.limits.workspace;
            match read(self.store, &mut trees, |trees| edit(trees, root, &changes, limits)).await {
                Ok(snapshot) => {
                    let made = Some((place, snapshot, contents));
                    return Ok(Some(After { made, base, changes, spilled, dropped }));
                }
                Err(ReadError::Workspace(error @ WorkspaceError::Damaged { .. })) => {
                    return Err(ReadError::Workspace(error).into());
                }
                Err(ReadError::Workspace(error)) => dropped = dropped.or(Some(error)),
                Err(error @ ReadError::Store(_)) => return Err(error.into()),
            }
        }
        unreachable!("no changes at all always fit")
    }

    /// The texts of the toolset's files in which a page may name others; none where no page is shown. What is damaged names nothing.
    async fn page_texts<'c>(&self, capture: &'c Capture<'_>) -> Result<BTreeMap<&'c str, String>, StoreError> {
        let is_page = |declared: &Declared| match declared.renderer {
            RendererKind::Html => true,
            RendererKind::Code | RendererKind::Document | RendererKind::Frame => false,
        };
        if !capture.tool.renderer.as_ref().is_some_and(is_page) {
            return Ok(BTreeMap::new());
        }
        let mut left = RenderLimits::default().searched_bytes as u64;
        let small = |file: &&ToolsetFile| {
            let fits = ToolsetFiles::is_searched(&file.path) && file.size <= left;
            left -= if fits { file.size } else { 0 };
            fits
        };
        let files: Vec<&ToolsetFile> = capture.found.installed.files.iter().filter(small).collect();
        let ids: Vec<BlobId> = files.iter().map(|file| file.sha256).collect();
        let contents = self.store.blobs(&ids).await?;
        let text = |(file, bytes): (&&'c ToolsetFile, Option<Vec<u8>>)| {
            let bytes = bytes.filter(|bytes| BlobId::of(bytes) == file.sha256)?;
            Some((file.path.as_str(), String::from_utf8(bytes).ok()?))
        };
        Ok(files.iter().zip(contents).filter_map(text).collect())
    }

    fn plan(
        &self,
        capture: &Capture<'_>,
        call: &ToolCall,
        after: &After,
        texts: &BTreeMap<&str, String>,
        result: Option<&Value>,
        failure: Option<&str>,
    ) -> RenderPlan {
        let toolset_files = &capture.found.installed.files;
        let toolset_file = |path: &str| toolset_files.iter().find(|file| file.path == path).map(|file| file.sha256);
        let toolset_text = |path: &str| texts.get(path).cloned();
        let workspace_file = |path: &str| -> Option<BlobId> {
            let path = WorkspacePath::parse(path).ok()?;
            if let Some(file) = capture.ended.files.iter().find(|file| *file.path() == path) {
                return Some(file.row.sha256);
            }
            after.changes.file_after(&path, &after.base).map(|file| file.sha256)
        };
        let outcome = match (failure, result) {
            (Some(message), _) => Outcome::Failed(message),
            (None, Some(result)) => Outcome::Returned(result),
            (None, None) => Outcome::Returned(&Value::Null),
        };
        RenderPlan::of_call(&PlanInput {
            declared: capture.tool.renderer.as_ref(),
            args: &call.args,
            outcome,
            chat_id: call.chat_id.as_str(),
            workspace: "/workspace",
            toolset: "/toolset",
            toolset_files: ToolsetFiles { id: &toolset_file, text: &toolset_text },
            workspace_file: &workspace_file,
            limits: RenderLimits::default(),
        })
    }

    /// Records a call for whose files there is no room.
    async fn without_files(
        &self,
        capture: &Capture<'_>,
        call: &ToolCall,
        reason: String,
    ) -> Result<ToolCall, RunError> {
        let now = (self.now)();
        let message = format!("{reason}, so the result of this call could not be kept; {DROPPED}");
        let (row, _) = failed_row(capture, call, message, now);
        let row = ToolCall { output: None, displays: Vec::new(), ..row };
        let commit = unmark(Commit::default().put(&row), call).then(capture.scene.answers(&row, now));
        self.store.apply(commit, now).await?;
        Ok(row)
    }
}

/// The row with what is the same however the files fare.
fn with_output(capture: &Capture<'_>, call: &ToolCall) -> ToolCall {
    ToolCall {
        traceback: capture.ended.failure.as_ref().and_then(|failure| failure.traceback.clone()),
        output: capture.ended.output.as_ref().map(Blob::id),
        displays: capture.ended.displays.iter().map(Blob::id).collect(),
        ..call.clone()
    }
}

/// The commit with what the call wrote and showed, and what of its result becomes files only when its round is over.
fn shown_blobs(capture: &Capture<'_>, commit: Commit) -> Commit {
    let later = capture.spill.iter().chain(&capture.ended.files).filter(|_| capture.scene.in_round);
    let later = later.map(|spill| &spill.content);
    capture.ended.output.iter().chain(&capture.ended.displays).chain(later).cloned().fold(commit, Commit::blob)
}

/// The row of a call of which no files can be kept.
fn failed_row(capture: &Capture<'_>, call: &ToolCall, message: String, now: Timestamp) -> (ToolCall, Commit) {
    let row = ToolCall {
        status: CallStatus::Error,
        render_plan: Some(error_plan(&message)),
        error: Some(message),
        error_kind: Some(ErrorKind::Failed),
        finished_at: Some(now),
        post_manifest_id: call.pre_manifest_id.clone(),
        ..with_output(capture, call)
    };
    let commit = unmark(shown_blobs(capture, Commit::default()).change(call, &row), call);
    (row, commit)
}

/// What the user has to know beside the result.
fn notes_of(capture: &Capture<'_>, after: &After, moved: bool) -> Vec<String> {
    let mut notes = capture.ended.notes.clone();
    if after.dropped.is_some() {
        // The error says what became of the files.
        notes.retain(|note| note != KEPT);
    }
    if moved && !after.changes.is_empty() {
        notes.push("files were edited while the tool ran; what it changed was put on top of that".into());
    }
    notes
}

/// Whether a node is in another state than the one that the call began from.
fn is_elsewhere(place: &Place, before: &Before) -> bool {
    place.base.as_ref().is_some_and(|base| base.manifest.id != before.manifest.id)
}
