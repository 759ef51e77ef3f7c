//! How turns end, and what is kept.

use crate::conversation::{AnswerEnd, AnswerMetadata};
use crate::model::{Finish, ModelError, Said, Usage};
use crate::turn::tests::stage::{PRICES, Script, Stage, check};
use crate::turn::{Notice, TurnEnd, TurnFailure, TurnLimits};

fn ends(answer: &str, end: TurnEnd, told: &[&str]) -> AnswerMetadata {
    let played = Stage::new().play("count", &Script { answers: &[answer], ..Script::default() });
    assert_eq!(played.end, Some(end), "{answer}");
    assert_eq!(played.stage.told()[1..], *told, "{answer}");
    assert_eq!(played.stage.complaint(), None, "{answer}");
    played.stage.path().get(1).map(AnswerMetadata::of).unwrap_or_default()
}

fn failed(error: ModelError) -> TurnEnd {
    TurnEnd::Failed(TurnFailure::Model(error))
}

/// C42, R186, R312: every reason to end, with what the user is told and what it cost.
#[test]
fn an_answer_ends_with_what_has_to_be_said_about_it() {
    let kept = ends("yes", TurnEnd::Done(None), &["a:yes"]);
    let usage = Usage { input_tokens: Some(9), cached_tokens: None, output_tokens: Some(2) };
    let expected = AnswerMetadata {
        model: Some("small".into()),
        usage,
        cost: Some(PRICES.cost(9, 2)),
        finish: Some(Finish::Stop),
        ..AnswerMetadata::default()
    };
    assert_eq!(kept, expected);
    ends("yes||length", TurnEnd::Done(Some(Notice::Length)), &["a:yes"]);
    ends("yes||content_filter", TurnEnd::Done(Some(Notice::ContentFilter)), &["a:yes"]);
    ends("yes||what", TurnEnd::Done(Some(Notice::Unsaid)), &["a:yes"]);
    ends("", failed(ModelError::Empty), &[]);
    ends("||length", TurnEnd::Done(Some(Notice::Length)), &[]);
}

/// C42: the calls of an answer that was cut are not made, whole as they may look, and it says that it was cut.
#[test]
fn calls_of_an_answer_that_was_cut_are_not_made() {
    let cut = "{\"error\":\"the answer was cut off, so this call was not made; call it again\"}";
    let told = format!("t:{cut}");
    let told = ["a:so|a", told.as_str()];
    ends("so|a=count({})|length", TurnEnd::Done(Some(Notice::Length)), &told);
    ends("so|a=count({\"n\":)|length", TurnEnd::Done(Some(Notice::Length)), &told);
    ends("so|a=count({})|content_filter", TurnEnd::Done(Some(Notice::ContentFilter)), &told);
    // Also when it is the last one and has no tools.
    let limits = TurnLimits::default().with_rounds(Some(1));
    let answers = &["|a=count({})|tool_calls", "so|b=count({})|length"];
    let played = Stage::new().play("count", &Script { answers, limits, ..Script::default() });
    assert_eq!(played.end, Some(TurnEnd::Done(Some(Notice::Length))));
    assert_eq!(played.stage.complaint(), None);
}

/// C42, R193: an answer without its end makes the calls that are whole, and none whose arguments may be lost.
#[test]
fn an_answer_without_its_end_makes_the_calls_that_are_whole() {
    let answers = &["|a=count({\"n\":1}) b=count() c=count({\"n\":)|what", "done"];
    let played = Stage::new().play("count", &Script { answers, ..Script::default() });
    let runs: Vec<&String> = played.trace.iter().filter(|line| line.starts_with("run")).collect();
    assert_eq!(runs, ["run count {\"n\":1}"]);
    let lost = "{\"error\":\"the answer ended before the arguments of this call came; call it again\"}";
    assert_eq!(played.stage.told()[3], format!("t:{lost}"));
    assert_eq!((played.end, played.stage.complaint()), (Some(TurnEnd::Done(None)), None));
    // One that has said its end means what it says.
    let answers = &["|b=count()|tool_calls", "done"];
    let played = Stage::new().play("count", &Script { answers, ..Script::default() });
    assert_eq!(played.stage.told()[2], "t:{\"count\":{}}");
}

/// R195, R196: what came before an error is kept, its calls are not made, and the next message finds a whole conversation.
#[test]
fn an_answer_that_breaks_off_is_kept() {
    let broken = || ModelError::Broken(Said::default());
    let kept = ends("so far!broken", failed(broken()), &["a:so far"]);
    assert_eq!((kept.ended, kept.error), (Some(AnswerEnd::Failed), Some(broken().to_string())));
    ends(
        "so far|a=count({\"n\":1})!broken",
        failed(broken()),
        &["a:so far|a", "t:{\"error\":\"the answer failed before this call could be made\"}"],
    );
    ends("!wrong", failed(ModelError::Key(Said::new("wrong"))), &[]);
}

/// R320: a provider that finds the conversation too long is asked again with less, and not for ever.
#[test]
fn a_conversation_that_is_too_long_is_made_shorter() {
    let long = "word ".repeat(300);
    let first = Stage::new().play("first", &Script { answers: &[&long], ..Script::default() }).stage;
    let second = first.play("second", &Script { answers: &[&long], ..Script::default() }).stage;
    let played = second.play("third", &Script { answers: &["!overflow", "!overflow", "yes"], ..Script::default() });
    let lengths: Vec<usize> = played.requests.iter().map(|request| request.messages.len()).collect();
    assert_eq!(lengths, [5, 5, 3]);
    assert_eq!(played.end, Some(TurnEnd::Done(None)));
    let path = played.stage.path();
    let left_out = AnswerMetadata::of(&path[5]).left_out;
    assert_eq!(left_out, [1, 2, 3].map(|at: usize| path[at].id.clone()));

    let overflow = || ModelError::ContextOverflow(Said::default());
    let played = played.stage.play("fourth", &Script { answers: &["!overflow"; 4], ..Script::default() });
    assert_eq!((played.requests.len(), played.end), (4, Some(failed(overflow()))));
}

/// R320: where the model is known to take less, nothing has to be refused first.
#[test]
fn a_conversation_is_cut_to_what_the_model_takes() {
    let long = "word ".repeat(300);
    let first = Stage::new().play("first", &Script { answers: &[&long], ..Script::default() }).stage;
    let script = Script { answers: &["yes"], context_tokens: Some(600), ..Script::default() };
    let played = first.play("second", &script);
    assert_eq!(played.requests[0].messages.len(), 3);
    let path = played.stage.path();
    assert_eq!(AnswerMetadata::of(&path[3]).left_out, [path[1].id.clone()]);
}

/// R309: an answer can be asked for again and gone on from.
#[test]
fn a_turn_can_be_resumed() {
    let stage = Stage::new().play("count", &Script { answers: &["!broken"], ..Script::default() }).stage;
    let played = stage.resume(&Script { answers: &["one"], ..Script::default() });
    assert_eq!(played.trace, ["model 1 messages, 8 tools", "store a:one"]);
    let played = played.stage.resume(&Script { answers: &["two"], ..Script::default() });
    assert_eq!(played.stage.told(), ["u:count", "a:one", "a:two"]);
    assert_eq!(played.stage.complaint(), None);
}

/// What cannot be stored ends the turn: nothing is asked and nothing is called that would be forgotten.
#[test]
fn a_full_disk_ends_the_turn() {
    let full = || TurnEnd::Failed(TurnFailure::Storage("the disk is full".into()));
    let script = Script { answers: &["|a=count({})|tool_calls", "done"], ..Script::default() };
    let check_full = |at: usize, expected: &[&str]| {
        let played = Stage::new().play("count", &Script { full_at: Some(at), ..script.clone() });
        assert_eq!(played.trace.last().map(String::as_str), expected.last().copied());
        assert_eq!((played.trace.len(), played.end), (expected.len(), Some(full())));
    };
    check_full(1, &["full", "abort"]);
    check_full(2, &["store u:count", "model 1 messages, 8 tools", "full", "stop"]);
}

#[test]
fn failures_say_whether_to_try_again() {
    assert!(TurnFailure::Model(ModelError::Empty).retry_helps());
    assert!(!TurnFailure::Storage("full".into()).retry_helps());
    let played = check(
        &Script { answers: &["!no"], ..Script::default() },
        &["store u:count", "model 1 messages, 8 tools"],
        failed(ModelError::Key(Said::new("no"))),
        &["u:count"],
    );
    assert_eq!(played.events, 2);
}
