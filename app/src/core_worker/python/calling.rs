//! A call under way: what the cage says is taken in, bounded and hashed, until it has ended, one way or another.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _, select_biased};
use satchel_core::python::{
    CallOutcome, Ending, FetchAnswer, FileSpan, FromCage, OutputStream, PythonCall, PythonEnd, ToCage, UnreadFile,
};
use satchel_core::store::Blob;

use super::cage::Cage;
use super::network::{Asked, Network};
use crate::browser::core_worker::scope::Course;
use crate::browser::python_cage::Heard;
use crate::browser::raw_bytes::RawBytes;
use crate::browser::{clock, digest};
use crate::core_worker::shown_run;
use crate::core_worker::wish::RunEvent;

/// How often the time is looked at.
const TICK: Duration = Duration::from_millis(100);
/// How much of one tick counts, at most: a computer that slept did not run the tool.
const LONGEST_TICK: Duration = Duration::from_secs(1);
/// How many things a call may show, and how many bytes of them.
const DISPLAYS: usize = 200;
const DISPLAY_BYTES: usize = 64 << 20;

/// What is taken in of a call.
#[derive(Default)]
struct Taken {
    output: Vec<(OutputStream, String)>,
    output_bytes: u64,
    displays: Vec<BTreeMap<String, String>>,
    display_bytes: usize,
    changed: BTreeMap<String, Blob>,
    changed_bytes: u64,
}

/// What a message means for the call.
enum Next {
    GoOn,
    Fetch(Asked),
    End { outcome: CallOutcome, removed: Vec<String>, unread: Vec<UnreadFile> },
    Died(String),
}

/// Makes a call in a cage that was prepared for it. The cage may be used again only after [`Ending::Returned`].
pub(super) async fn call(cage: &mut Cage, call: &PythonCall, network: &Network<'_>, course: &Course) -> PythonEnd {
    let id = call.id.to_string();
    let request = cage.begin(|request| ToCage::Call {
        request,
        entrypoint: call.entrypoint.clone(),
        arguments: call.arguments.clone(),
        context: call.context(),
        output_limit: call.output_limit,
        overflow_path: format!(".satchel/results/{id}.log"),
        file_limit: call.file_limit,
        file_bytes_limit: call.file_bytes_limit,
    });
    let mut taken = Taken::default();
    // How many questions stand before the user: waiting for an answer is not running.
    let asking = Cell::new(0_u32);
    let mut used = Duration::ZERO;
    let mut fetches = FuturesUnordered::new();
    let ending = loop {
        let tick = clock::wait(TICK);
        let began = clock::monotonic();
        let heard = select_biased! {
            () = course.until_stopped().fuse() => break Ending::Stopped,
            heard = cage.next().fuse() => Some(heard),
            (fetch, answer, body) = fetches.select_next_some() => {
                cage.say(&ToCage::Fetched { fetch, answer }, Some(&body));
                None
            },
            () = tick.fuse() => None,
        };
        if asking.get() == 0 {
            used += clock::monotonic().saturating_sub(began).min(LONGEST_TICK);
        }
        if used > call.time_limit {
            break Ending::TimedOut;
        }
        let Some(heard) = heard else { continue };
        match taken.take(heard, request, call, &id).await {
            Next::GoOn => {}
            Next::Fetch(asked) => fetches.push(answered(network, asked, &asking)),
            Next::Died(message) => break Ending::Died { message },
            Next::End { outcome, removed, unread } => {
                let changed = std::mem::take(&mut taken.changed);
                break Ending::Returned { outcome, changed, removed, unread };
            }
        }
    };
    PythonEnd { ending, output: taken.output, displays: taken.displays }
}

async fn answered(network: &Network<'_>, asked: Asked, asking: &Cell<u32>) -> (u32, FetchAnswer, RawBytes) {
    let fetch = asked.fetch;
    match network.fetch(asked, asking).await {
        Ok((answer, body)) => (fetch, answer, body),
        Err(refused) => (fetch, FetchAnswer::Refused { message: refused.to_string() }, RawBytes::from(&[][..])),
    }
}

impl Taken {
    async fn take(&mut self, heard: Heard, request: u32, call: &PythonCall, id: &str) -> Next {
        let Heard { word, bytes } = heard;
        match word {
            FromCage::Output { request: of, stream, text } if of == request => self.output(stream, text, call, id),
            FromCage::Display { request: of, bundle } if of == request => self.display(bundle, id),
            FromCage::Changed { request: of, files } if of == request => {
                return self.changed(files, &bytes, call).await;
            }
            FromCage::Fetch { fetch, method, url, headers } => {
                return Next::Fetch(Asked { fetch, method, url, headers, body: bytes });
            }
            FromCage::Returned { request: of, outcome, removed, unread, python_millis: _ } if of == request => {
                return Next::End { outcome, removed, unread };
            }
            FromCage::Refused { request: of, message } if of == request => return Next::Died(message),
            FromCage::Failed { message } => return Next::Died(format!("Python crashed: {message}")),
            // Left over from an earlier call, or said out of turn by somebody's code: no word for us.
            FromCage::Ready { .. }
            | FromCage::Done { .. }
            | FromCage::Refused { .. }
            | FromCage::Output { .. }
            | FromCage::Display { .. }
            | FromCage::Changed { .. }
            | FromCage::Returned { .. }
            | FromCage::Described { .. }
            | FromCage::Evaluated { .. }
            | FromCage::Raised { .. } => {}
        }
        Next::GoOn
    }

    fn output(&mut self, stream: OutputStream, text: String, call: &PythonCall, id: &str) {
        // The cage bounds it too, with a word about the rest; this is for one that does not.
        self.output_bytes += text.len() as u64;
        if self.output_bytes > call.output_limit + 4_096 {
            return;
        }
        shown_run::tell(id, RunEvent::Output { stream, text: text.clone() });
        match self.output.last_mut() {
            Some((last, so_far)) if *last == stream => so_far.push_str(&text),
            _ => self.output.push((stream, text)),
        }
    }

    fn display(&mut self, bundle: BTreeMap<String, String>, id: &str) {
        self.display_bytes += bundle.values().map(String::len).sum::<usize>();
        if self.displays.len() < DISPLAYS && self.display_bytes <= DISPLAY_BYTES {
            shown_run::tell(id, RunEvent::Display { bundle: bundle.clone() });
            self.displays.push(bundle);
        }
    }

    /// Files the call has written. What their names stand for is found out here, not believed.
    async fn changed(&mut self, files: Vec<FileSpan>, bytes: &RawBytes, call: &PythonCall) -> Next {
        let mut from = 0;
        let mut parts = Vec::with_capacity(files.len());
        for FileSpan { path, size } in files {
            self.changed_bytes = self.changed_bytes.saturating_add(size);
            let length = usize::try_from(size).unwrap_or(usize::MAX);
            if bytes.len().saturating_sub(from) < length {
                return Next::Died("the cage sent fewer bytes than it said".into());
            }
            if self.changed_bytes > call.workspace_bytes_limit {
                return Next::Died("the files it wrote are larger than a workspace may be".into());
            }
            parts.push((path, bytes.part(from, length)));
            from += length;
        }
        let names = futures_util::future::join_all(parts.iter().map(|(_, part)| digest::of_raw(part))).await;
        for ((path, part), name) in parts.into_iter().zip(names) {
            self.changed.insert(path, Blob::named(name, part.to_vec()));
        }
        Next::GoOn
    }
}
