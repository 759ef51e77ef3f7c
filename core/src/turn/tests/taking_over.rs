//! A tab that dies, and one that takes over what it left.

use crate::at_once::at_once;
use crate::conversation::{AnswerEnd, AnswerMetadata, OpenChat};
use crate::ids::{ChatId, MessageId};
use crate::model::{Delta, Draft, ModelLimits, Reasoning};
use crate::record::{self, CallStatus, ErrorKind, RowRef, ToolCall};
use crate::store::Commit;
use crate::turn::tests::stage::{Script, Stage, chat_id};
use crate::turn::{At, Left, SavedAnswer, TurnEnd, asked_calls, left_turns, saved_answer_place, take_over, turn_mark};

/// Takes over, as a tab does that finds the mark.
fn taken(stage: &Stage, saved: Option<&record::Draft>) {
    assert_eq!(left(stage), [chat_id()]);
    let OpenChat { tree, .. } = stage.open();
    let calls = stage.calls();
    let fresh = || stage.fresh_id();
    let at = At { now: stage.now(), fresh_id: &fresh };
    let asked = at_once(asked_calls(&stage.store, &chat_id())).expect("memory does not fail");
    stage.apply(take_over(Left { chat: &chat_id(), tree: &tree, calls: &calls, asked: &asked, saved }, &at));
    assert_eq!(left(stage), []);
    assert_eq!(stage.complaint(), None);
}

fn left(stage: &Stage) -> Vec<ChatId> {
    at_once(left_turns(&stage.store)).expect("memory does not fail")
}

/// A chat whose tab dies when so many commits are stored.
fn dead_after(commits: usize, answers: &[&str]) -> Stage {
    Stage::new().play("count", &Script { answers, full_at: Some(commits + 1), ..Script::default() }).stage
}

/// R196: nothing is made again; what ran is over, what never began is said not to have.
#[test]
fn calls_of_a_dead_tab_are_ended_and_never_made_again() {
    // The answer is stored; one of its calls ran, the other had not begun.
    let stage = dead_after(2, &["|a=count({}) b=write({})|tool_calls"]);
    let running = stage.calls().into_iter().find(|call| call.call_id.as_deref() == Some("a")).expect("was begun");
    let never = stage.calls().into_iter().find(|call| call.call_id.as_deref() == Some("b")).expect("was begun");
    stage.apply(Commit::default().delete(RowRef::of(&never)));
    let error = Some("interrupted: the tab it ran in was closed".to_owned());
    let kind = Some(ErrorKind::Interrupted);
    stage.apply(Commit::default().put(&ToolCall {
        status: CallStatus::Error,
        error,
        error_kind: kind,
        result: None,
        ..running
    }));
    taken(&stage, None);
    assert_eq!(
        stage.told()[2..],
        [
            "t:{\"error\":\"interrupted: the tab it ran in was closed\"}",
            "t:{\"error\":\"interrupted: the tab was closed before this call was made\"}",
        ]
    );
    let kinds: Vec<_> = stage.calls().into_iter().map(|call| (call.status, call.error_kind)).collect();
    assert_eq!(kinds, [(CallStatus::Error, Some(ErrorKind::Interrupted)); 2]);
    let on = stage.resume(&Script { answers: &["on"], ..Script::default() });
    assert_eq!((on.trace.len(), on.end), (2, Some(TurnEnd::Done(None))));
}

/// A result that was stored before the tab died is told to the model.
#[test]
fn what_had_ended_counts() {
    let stage = dead_after(2, &["|a=count({})|tool_calls"]);
    taken(&stage, None);
    assert_eq!(stage.told()[2..], ["t:{\"count\":{}}"]);
}

/// The answer that was coming is kept as far as it was saved.
#[test]
fn an_answer_that_was_coming_is_kept() {
    let stage = dead_after(1, &["never stored"]);
    let mut draft = Draft::default();
    draft.add(Delta::Text("I was ab".into()), &ModelLimits::default()).expect("is small");
    let message = MessageId::parse(stage.fresh_id()).expect("is a UUID");
    let parent = Some(stage.path()[0].id.clone());
    let left_out = vec![stage.path()[0].id.clone()];
    let saved = SavedAnswer { message, parent, model: "small".into(), draft, left_out: left_out.clone() };
    let text = serde_json::to_string(&saved).expect("serialises");
    let row = record::Draft { place: saved_answer_place(&chat_id()), text, ..record::Draft::default() };
    stage.apply(Commit::relaxed().put(&row));
    taken(&stage, Some(&row));
    assert_eq!(stage.told(), ["u:count", "a:I was ab"]);
    let kept = AnswerMetadata::of(&stage.path()[1]);
    assert_eq!((kept.ended, kept.model.as_deref()), (Some(AnswerEnd::Interrupted), Some("small")));
    assert_eq!(kept.left_out, left_out);
    // Another tab that finds the same row does nothing with it but take it away.
    stage.apply(Commit::relaxed().put(&turn_mark(&chat_id())));
    taken(&stage, Some(&row));
    assert_eq!(stage.told(), ["u:count", "a:I was ab"]);
}

/// An answer of which only thoughts had come is kept too.
#[test]
fn thoughts_alone_are_kept() {
    let stage = dead_after(1, &["never stored"]);
    let thought = Reasoning { text: "let me see".into(), ..Reasoning::default() };
    let draft = Draft { reasoning: vec![thought.clone()], ..Draft::default() };
    let message = MessageId::parse(stage.fresh_id()).expect("is a UUID");
    let parent = Some(stage.path()[0].id.clone());
    let saved = SavedAnswer { message, parent, model: "small".into(), draft, left_out: Vec::new() };
    let text = serde_json::to_string(&saved).expect("serialises");
    let row = record::Draft { place: saved_answer_place(&chat_id()), text, ..record::Draft::default() };
    stage.apply(Commit::relaxed().put(&row));
    taken(&stage, Some(&row));
    assert_eq!(AnswerMetadata::of(&stage.path()[1]).reasoning, [thought]);
}

/// C26, R315: a call that the user was asked about, and never answered, is ended and not made.
#[test]
fn a_question_that_nobody_will_answer_ends_its_call() {
    // The tab dies with the commit that would follow the answer of the user.
    let stage = dead_after(3, &["|a=ask({}) b=count({})|tool_calls"]);
    let waiting = stage.calls().into_iter().find(|call| call.call_id.as_deref() == Some("a")).expect("is recorded");
    let pending = ToolCall { status: CallStatus::Pending, result: None, finished_at: None, ..waiting };
    stage.apply(Commit::default().put(&pending));
    taken(&stage, None);
    assert_eq!(stage.told()[2], "t:{\"error\":\"interrupted: the tab was closed before this call was made\"}");
    let ended = stage.calls().into_iter().find(|call| call.id == pending.id).expect("is recorded");
    assert_eq!((ended.status, ended.error_kind), (CallStatus::Error, Some(ErrorKind::Interrupted)));
}

/// A call that another device runs, or asks its user about, is not answered here.
#[test]
fn what_runs_elsewhere_is_left_alone() {
    for status in [CallStatus::Running, CallStatus::Pending] {
        let stage = dead_after(2, &["|a=count({})|tool_calls"]);
        let row = stage.calls().remove(0);
        stage.apply(Commit::default().put(&ToolCall { status, finished_at: None, ..row }));
        let (tree, calls) = (stage.open().tree, stage.calls());
        let fresh = || stage.fresh_id();
        let at = At { now: stage.now(), fresh_id: &fresh };
        let asked = at_once(asked_calls(&stage.store, &chat_id())).expect("memory does not fail");
        let left = Left { chat: &chat_id(), tree: &tree, calls: &calls, asked: &asked, saved: None };
        let commit = take_over(left, &at);
        assert_eq!((commit.puts.len(), commit.deletes.len()), (0, 1));
    }
}

#[test]
fn as_saved() {
    let saved = SavedAnswer {
        message: MessageId::parse("0198c5a4-7c1e-7000-8000-0000000000b2").expect("is a UUID"),
        parent: None,
        model: "small".into(),
        draft: Draft { text: "I was".into(), ..Draft::default() },
        left_out: Vec::new(),
    };
    insta::assert_json_snapshot!(saved, @r#"
    {
      "message": "0198c5a4-7c1e-7000-8000-0000000000b2",
      "parent": null,
      "model": "small",
      "draft": {
        "text": "I was"
      }
    }
    "#);
}
