//! A tab that dies, and one that takes over what it left.

use crate::at_once::at_once;
use crate::conversation::{AnswerEnd, AnswerMetadata, OpenChat};
use crate::ids::{ChatId, MessageId};
use crate::model::{Delta, Draft, ModelLimits};
use crate::record::{self, CallStatus, ErrorKind, RowRef, ToolCall};
use crate::store::Commit;
use crate::turn::tests::stage::{Script, Stage, chat_id};
use crate::turn::{At, Left, SavedAnswer, TurnEnd, left_turns, saved_answer_place, take_over, turn_mark};

/// Takes over, as a tab does that finds the mark.
fn taken(stage: &Stage, saved: Option<&record::Draft>) {
    assert_eq!(left(stage), [chat_id()]);
    let OpenChat { tree, .. } = stage.open();
    let calls = stage.calls();
    let fresh = || stage.fresh_id();
    let at = At { now: stage.now(), fresh_id: &fresh };
    stage.apply(take_over(Left { chat: &chat_id(), tree: &tree, calls: &calls, saved }, &at));
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
    let saved = SavedAnswer { message, parent, model: "small".into(), draft };
    let text = serde_json::to_string(&saved).expect("serialises");
    let row = record::Draft { place: saved_answer_place(&chat_id()), text, ..record::Draft::default() };
    stage.apply(Commit::relaxed().put(&row));
    taken(&stage, Some(&row));
    assert_eq!(stage.told(), ["u:count", "a:I was ab"]);
    let kept = AnswerMetadata::of(&stage.path()[1]);
    assert_eq!((kept.ended, kept.model.as_deref()), (Some(AnswerEnd::Interrupted), Some("small")));
    // Another tab that finds the same row does nothing with it but take it away.
    stage.apply(Commit::relaxed().put(&turn_mark(&chat_id())));
    taken(&stage, Some(&row));
    assert_eq!(stage.told(), ["u:count", "a:I was ab"]);
}

/// A call that another device runs is not answered here.
#[test]
fn what_runs_elsewhere_is_left_alone() {
    let stage = dead_after(2, &["|a=count({})|tool_calls"]);
    let row = stage.calls().remove(0);
    stage.apply(Commit::default().put(&ToolCall { status: CallStatus::Running, finished_at: None, ..row }));
    let (tree, calls) = (stage.open().tree, stage.calls());
    let fresh = || stage.fresh_id();
    let at = At { now: stage.now(), fresh_id: &fresh };
    let commit = take_over(Left { chat: &chat_id(), tree: &tree, calls: &calls, saved: None }, &at);
    assert_eq!((commit.puts.len(), commit.deletes.len()), (0, 1));
}

#[test]
fn as_saved() {
    let saved = SavedAnswer {
        message: MessageId::parse("0198c5a4-7c1e-7000-8000-0000000000b2").expect("is a UUID"),
        parent: None,
        model: "small".into(),
        draft: Draft { text: "I was".into(), ..Draft::default() },
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
