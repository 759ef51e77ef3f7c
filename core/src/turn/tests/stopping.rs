//! A user who stops a turn, at every moment of it.

use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

use crate::approval::Verdict;
use crate::conversation::{AnswerEnd, AnswerMetadata};
use crate::record::{CallStatus, ErrorKind};
use crate::turn::TurnEnd;
use crate::turn::tests::stage::{Played, Script, Stage};

const ANSWERS: &[&str] = &[
    "I count and look|a=count({\"n\":1}) b=fetch({}) c=ask({}) d=write({}) e=fail({}) f=big({})|tool_calls",
    "once more|a=count({}) b=look({})|stop",
    "done",
];

fn play(stop_after: Option<usize>, piece: usize) -> Played {
    Stage::new().play("count", &Script { answers: ANSWERS, piece, stop_after, ..Script::default() })
}

/// R194: what was received is kept, and marked.
#[test]
fn a_stopped_answer_is_kept() {
    let played =
        Stage::new().play("count", &Script { answers: &["I was about to"], stop_after: Some(2), ..Script::default() });
    assert_eq!(played.trace, ["store u:count", "model 1 messages, 8 tools", "abort", "store a:I was a"]);
    assert_eq!(played.end, Some(TurnEnd::Stopped));
    assert_eq!(AnswerMetadata::of(&played.stage.path()[1]).ended, Some(AnswerEnd::Stopped));
    let nothing = Stage::new().play("count", &Script { answers: &["never"], stop_after: Some(1), ..Script::default() });
    assert_eq!((nothing.stage.told(), nothing.end), (vec!["u:count".to_owned()], Some(TurnEnd::Stopped)));
}

/// R194, R196: at every moment of a turn with everything in it.
#[test]
fn a_turn_can_be_stopped_at_any_moment() {
    let whole = play(None, 7);
    assert_eq!((whole.end, whole.stage.complaint()), (Some(TurnEnd::Done(None)), None));
    for stop_after in 1..whole.events {
        let played = play(Some(stop_after), 7);
        assert_eq!(played.end, Some(TurnEnd::Stopped), "after {stop_after}");
        assert_eq!(played.stage.complaint(), None, "after {stop_after}");
        let stuck = played.stage.calls().into_iter().filter(|call| call.finished_at.is_none()).count();
        assert_eq!(stuck, 0, "after {stop_after}");
        // It can be gone on from.
        let on = played.stage.resume(&Script { answers: &["on"], ..Script::default() });
        assert_eq!(on.end, Some(TurnEnd::Done(None)), "after {stop_after}");
    }
}

/// R194: what runs is ended, what waits does not begin, and what had ended stays.
#[test]
fn calls_are_ended_too() {
    let script =
        Script { answers: &["|a=fetch({}) b=count({}) c=write({})|tool_calls"], piece: 10_000, ..Script::default() };
    let events = (1..20).find(|stop_after| {
        let played = Stage::new().play("count", &Script { stop_after: Some(*stop_after), ..script.clone() });
        played.trace.contains(&"stop".to_owned()) && played.trace.iter().filter(|line| *line == "stop").count() == 1
    });
    let played = Stage::new().play("count", &Script { stop_after: events, ..script.clone() });
    assert_eq!(
        played.stage.told()[2..],
        [
            "t:{\"fetch\":{}}",
            "t:{\"error\":\"the call was stopped\"}",
            "t:{\"error\":\"the user stopped before this call was made\"}",
        ]
    );
    let mut rows: Vec<_> =
        played.stage.calls().into_iter().map(|call| (call.call_id, call.status, call.error_kind)).collect();
    rows.sort_by_key(|(id, ..)| id.clone());
    let cancelled = |id: &str| (Some(id.to_owned()), CallStatus::Error, Some(ErrorKind::Cancelled));
    assert_eq!(rows, [(Some("a".to_owned()), CallStatus::Success, None), cancelled("b"), cancelled("c")]);
}

proptest! {
    /// R185, R194, R196: however the stream is cut, the outcome is equal; and wherever it is stopped, it can be gone on from.
    #[test]
    fn cuts_and_stops_leave_a_whole_conversation(piece in 1..400_usize, stop_after in 1..60_usize, deny in 0..2_u8) {
        let verdict = if deny == 1 { Verdict::Deny { reason: None } } else { Verdict::Once };
        let script = |piece, stop_after| Script { answers: ANSWERS, piece, stop_after, verdict: verdict.clone(), ..Script::default() };
        let (cut, whole) = (Stage::new().play("count", &script(piece, None)), Stage::new().play("count", &script(100_000, None)));
        prop_assert_eq!(&cut.trace, &whole.trace);
        prop_assert_eq!(cut.stage.path(), whole.stage.path());
        let stopped = Stage::new().play("count", &script(piece, Some(stop_after)));
        prop_assert!(stopped.end.is_some());
        prop_assert_eq!(stopped.stage.complaint(), None);
    }
}
