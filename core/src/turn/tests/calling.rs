//! Rounds of calls: what runs when, and what the model is told.

use crate::approval::Verdict;
use crate::record::{CallStatus, ErrorKind};
use crate::turn::tests::stage::{Script, Stage, check, last_said};
use crate::turn::{Notice, TurnEnd, TurnLimits};

const DONE: TurnEnd = TurnEnd::Done(None);

/// R185, R187, R189, R190, C42: also where the model says `stop`.
#[test]
fn calls_are_made_and_answered_and_the_model_goes_on() {
    for reason in ["tool_calls", "stop"] {
        let first = format!("I count|a=count({{\"n\":1}})|{reason}");
        let played = check(
            &Script { answers: &[&first, "one"], ..Script::default() },
            &[
                "store u:count",
                "model 1 messages, 8 tools",
                "store a:I count|a",
                "run count {\"n\":1}",
                "store t:{\"count\":{\"n\":1}}",
                "model 3 messages, 8 tools",
                "store a:one",
            ],
            DONE,
            &["u:count", "a:I count|a", "t:{\"count\":{\"n\":1}}", "a:one"],
        );
        assert_eq!(last_said(&played.requests[1]), "{\"count\":{\"n\":1}}");
    }
}

/// C35, R187, R189: what works on files runs in call order, the rest beside it, and the answers are in call order.
#[test]
fn files_are_worked_on_one_after_the_other() {
    check(
        &Script {
            answers: &["|a=count({}) b=fetch({}) c=write({}) d=look({}) e=count({})|tool_calls", "done"],
            ..Script::default()
        },
        &[
            "store u:count",
            "model 1 messages, 8 tools",
            "store a:|a b c d e",
            "run count {}",
            "run fetch {}",
            "run look {}",
            "run write {}",
            "run count {}",
            "store t:{\"count\":{}} t:{\"fetch\":{}} t:{\"write\":{}} t:{\"look\":{}} t:{\"count\":{}}",
            "model 7 messages, 8 tools",
            "store a:done",
        ],
        DONE,
        &[
            "u:count",
            "a:|a b c d e",
            "t:{\"count\":{}}",
            "t:{\"fetch\":{}}",
            "t:{\"write\":{}}",
            "t:{\"look\":{}}",
            "t:{\"count\":{}}",
            "a:done",
        ],
    );
}

/// R187, R188, R193, R198: one failure stops no other call, and every one is recorded.
#[test]
fn what_cannot_be_called_is_told_to_the_model() {
    let played = Stage::new().play(
        "count",
        &Script {
            answers: &[
                "|a=nothing({}) b=other({}) c=count({\"n\": d=fail({}) e=gone({}) f=count({})|tool_calls",
                "sorry",
            ],
            ..Script::default()
        },
    );
    assert_eq!(played.end, Some(DONE));
    let told = played.stage.told();
    assert!(
        told[2].starts_with("t:{\"error\":\"there is no tool \\\"nothing\\\"; the tools are: toolset__mine__count, "),
        "{}",
        told[2]
    );
    assert_eq!(
        told[3..],
        [
            "t:{\"error\":\"the tool \\\"x\\\" of the toolset \\\"other\\\" is not enabled in this chat\"}",
            "t:{\"error\":\"the arguments are not a JSON object (EOF while parsing a value at line 1 column 5); call it again with arguments that are\"}",
            "t:{\"error\":\"no rows\"}",
            "t:{\"error\":\"the toolset mine has no tool \\\"gone\\\"\"}",
            "t:{\"count\":{}}",
            "a:sorry",
        ]
    );
    let mut rows: Vec<_> =
        played.stage.calls().into_iter().map(|call| (call.call_id, call.status, call.error_kind)).collect();
    rows.sort_by_key(|(id, ..)| id.clone());
    let failed = |id: &str, kind| (Some(id.to_owned()), CallStatus::Error, Some(kind));
    let expected = [
        failed("a", ErrorKind::Failed),
        failed("b", ErrorKind::Failed),
        failed("c", ErrorKind::InvalidArgs),
        failed("d", ErrorKind::Failed),
        failed("e", ErrorKind::Failed),
        (Some("f".to_owned()), CallStatus::Success, None),
    ];
    assert_eq!(rows, expected);
    assert_eq!(played.stage.complaint(), None);
}

/// R197, R307, C26: a call that asks waits and its row says so, those that need no files do not wait for it, and a denial is told to the model.
#[test]
fn a_call_that_asks_waits_for_the_user() {
    let answers = &["|a=ask({}) b=count({}) c=fetch({})|tool_calls", "done"];
    let expected = [
        "store u:count",
        "model 1 messages, 8 tools",
        "store a:|a b c",
        "run ask {}",
        "run fetch {}",
        "store [pending]",
        "ask ask",
        "run ask {}",
        "run count {}",
    ];
    let played = Stage::new().play("count", &Script { answers, ..Script::default() });
    assert_eq!(played.trace[..9], expected);
    assert_eq!(played.stage.told()[2], "t:{\"ask\":{}}");

    let verdict = Verdict::Deny { reason: Some("not now".into()) };
    let played = Stage::new().play("count", &Script { answers, verdict, ..Script::default() });
    assert_eq!(played.trace[..9], expected);
    assert_eq!(
        played.stage.told()[2..],
        [
            "t:{\"error\":\"the user did not allow this call: not now\"}",
            "t:{\"count\":{}}",
            "t:{\"fetch\":{}}",
            "a:done"
        ]
    );
    assert_eq!((played.end, played.stage.complaint()), (Some(DONE), None));
}

/// R308: large results become files together, when all calls of the round are in, and before the model is told where they are.
#[test]
fn large_results_become_files_before_the_model_is_told() {
    let answers = &["|a=big({}) b=count({}) c=big({})|tool_calls", "done"];
    let told = |id: &str| {
        format!(
            "t:{{\"truncated\":true,\"preview\":\"[\",\"path\":\"{id}.json\",\"bytes\":70000,\"media_type\":\"application/json\"}}"
        )
    };
    check(
        &Script { answers, ..Script::default() },
        &[
            "store u:count",
            "model 1 messages, 8 tools",
            "store a:|a b c",
            "run big {}",
            "run count {}",
            "run big {}",
            "keep a.json c.json",
            &format!("store {} t:{{\"count\":{{}}}} {}", told("a"), told("c")),
            "model 5 messages, 8 tools",
            "store a:done",
        ],
        DONE,
        &["u:count", "a:|a b c", &told("a"), "t:{\"count\":{}}", &told("c"), "a:done"],
    );
    let played = Stage::new().play("count", &Script { answers, no_room: Some("too many files"), ..Script::default() });
    let first = &played.stage.told()[2];
    assert!(first.ends_with("\"notes\":[\"the result could not be written to the file: too many files\"]}"), "{first}");
    assert_eq!((played.end, played.stage.complaint()), (Some(DONE), None));
}

/// Ids that a model leaves out or uses twice become their own.
#[test]
fn every_call_has_an_id_of_its_own() {
    let script = Script { answers: &["|count({}) a=count({}) a=count({})|tool_calls", "done"], ..Script::default() };
    let played = Stage::new().play("count", &script);
    let path = played.stage.path();
    let ids: Vec<&str> = path[1].tool_calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids[1], "a");
    assert!(ids[0].len() == 36 && ids[2].len() == 36 && ids[0] != ids[2], "{ids:?}");
    let answers: Vec<_> = path[2..5].iter().map(|one| one.tool_call_id.as_deref().expect("has one")).collect();
    assert_eq!(answers, ids);
    assert_eq!(played.stage.complaint(), None);
}

/// R191, R192, C43: after the last round the model is warned and has no tools; calls it still asks for are not made.
#[test]
fn rounds_are_counted() {
    let limits = TurnLimits::default().with_rounds(Some(2));
    let call = "|a=count({})|tool_calls";
    let played = check(
        &Script { answers: &[call, call, "all I know"], limits, ..Script::default() },
        &[
            "store u:count",
            "model 1 messages, 8 tools",
            "store a:|a",
            "run count {}",
            "store t:{\"count\":{}}",
            "model 3 messages, 8 tools",
            "store a:|a",
            "run count {}",
            "store t:{\"count\":{}}",
            "model 5 messages, 0 tools",
            "store a:all I know",
        ],
        DONE,
        &["u:count", "a:|a", "t:{\"count\":{}}", "a:|a", "t:{\"count\":{}}", "a:all I know"],
    );
    let systems: Vec<_> = played.requests.iter().map(|request| request.system.as_deref().expect("is framed")).collect();
    assert_eq!(systems[..2], ["Be brief."; 2]);
    assert_eq!(
        systems[2],
        "Be brief.\n\nYou have reached the maximum of 2 rounds of tool calls for this turn. Tools are no longer available. Answer now with what you have, and say what is missing."
    );

    let limits = TurnLimits::default().with_rounds(Some(1));
    check(
        &Script { answers: &[call, "more|b=count({})|tool_calls"], limits, ..Script::default() },
        &[
            "store u:count",
            "model 1 messages, 8 tools",
            "store a:|a",
            "run count {}",
            "store t:{\"count\":{}}",
            "model 3 messages, 0 tools",
            "store [iteration limit: 1 round of tool calls used] a:more|b t:{\"error\":\"iteration limit: 1 round of tool calls used\"}",
        ],
        TurnEnd::Done(Some(Notice::Rounds { rounds: 1 })),
        &[
            "u:count",
            "a:|a",
            "t:{\"count\":{}}",
            "a:more|b",
            "t:{\"error\":\"iteration limit: 1 round of tool calls used\"}",
        ],
    );
}
