//! What a verification has shown, in words: for the page, the clipboard and a file.

use satchel_core::tool_run::Again;
use satchel_core::verify::{Hashed, Rerun};

use crate::ui::parts::sentence;

/// How a call came out, for its mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Same,
    Differs,
    NotRun,
}

/// One call, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallLine {
    pub(super) mark: Mark,
    pub(super) tool_id: String,
    pub(super) when: String,
    pub(super) words: String,
}

/// Whether all is well with what was hashed again, in words.
pub(super) fn verdict(hashed: &Hashed) -> &'static str {
    if hashed.findings.is_empty() { "Everything is intact." } else { "Something is damaged." }
}

/// How much was looked at.
pub(super) fn counted(hashed: &Hashed) -> String {
    let Hashed { blobs, manifests, .. } = hashed;
    format!("Content hashed again: {blobs}. States of files checked: {manifests}.")
}

/// A call that was run again.
pub(super) fn call_line(rerun: &Rerun) -> CallLine {
    let (mark, words) = match &rerun.again {
        Again::Same => (Mark::Same, "Same files and same result.".to_owned()),
        Again::OtherResult => (Mark::Differs, "Same files; the result differs.".to_owned()),
        Again::OtherFiles { paths } => (Mark::Differs, format!("Differs: {}.", paths.join(", "))),
        Again::OtherEnd { message } => (Mark::Differs, format!("Ended differently: {}", sentence(message))),
        Again::NotRun { reason } => (Mark::NotRun, format!("Not run again: {}", sentence(reason))),
    };
    let when = rerun.started_at.to_string().replace('T', " ")[..16].to_owned();
    CallLine { mark, tool_id: rerun.tool_id.clone(), when, words }
}

/// All of it as a text.
pub(super) fn text(hashed: &Hashed, reruns: &[Rerun]) -> String {
    let mut lines = vec![verdict(hashed).to_owned(), counted(hashed)];
    lines.extend(hashed.findings.iter().map(|finding| format!("- {}", sentence(finding))));
    for rerun in reruns {
        let CallLine { tool_id, when, words, .. } = call_line(rerun);
        lines.push(format!("- {tool_id}, {when}, call {}: {words}", rerun.call));
    }
    lines.push(String::new());
    lines.join("\n")
}
