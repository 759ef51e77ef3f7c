//! What a commit changes, what it relies on, and which stamps that makes.

use super::{Harness, at, device, setting, stamp_of};
use crate::ids::ChatId;
use crate::record::{Chat, Record as _, RowRef, Setting, Table};
use crate::store::{Commit, OutboxEntry, Store as _, StoreError, get, list};

/// A commit of nothing is no error.
pub async fn an_empty_commit_succeeds<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    store.apply(Commit::default(), at(1)).await.expect("applies");
    assert_eq!(store.outbox().await.expect("reads"), []);
}

/// `expects`: who read an old state does not overwrite a new one.
pub async fn a_changed_row_refuses_the_whole_commit<H: Harness>() {
    let place = H::fresh(device()).await;
    let (here, there) = (place.open().await, place.open().await);
    let row = RowRef::of(&setting("theme", 0));
    here.apply(Commit::default().put(&setting("theme", "dark")), at(1)).await.expect("applies");
    let seen = stamp_of(&here, &row).await;
    there.apply(Commit::default().put(&setting("theme", "light")), at(2)).await.expect("applies");

    let late = Commit::default().expect(row.clone(), seen).put(&setting("theme", "system")).put(&setting("other", 1));
    match here.apply(late, at(3)).await {
        Err(StoreError::Changed(changed)) => assert_eq!(changed, row),
        other => panic!("expected a refusal, got {other:?}"),
    }
    let rows: Vec<Setting> = list(&here).await.expect("reads").into_iter().map(|row| row.expect("is a row")).collect();
    assert_eq!(rows, [setting("theme", "light")]);

    let fresh = stamp_of(&here, &row).await;
    here.apply(Commit::default().expect(row, fresh).put(&setting("theme", "system")), at(4)).await.expect("applies");
}

/// "No such row" is true before the first write and after a delete, and false in between.
pub async fn an_expected_absence_holds_for_a_deleted_row<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let row = RowRef::of(&setting("name", 0));
    let create = |value: u64| Commit::default().expect(row.clone(), None).put(&setting("name", value));
    store.apply(create(1), at(1)).await.expect("applies");
    assert!(matches!(store.apply(create(2), at(2)).await, Err(StoreError::Changed(_))));
    store.apply(Commit::default().delete(row.clone()), at(3)).await.expect("applies");
    store.apply(create(4), at(4)).await.expect("applies");
}

/// Stamps belong to fields, not to rows.
pub async fn only_changed_fields_get_a_new_stamp<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let first = store.apply(Commit::default().put(&setting("theme", "dark")), at(1)).await.expect("applies");
    let second = store.apply(Commit::default().put(&setting("theme", "light")), at(2)).await.expect("applies");
    let row = store.row(&RowRef::of(&setting("theme", 0))).await.expect("reads").expect("is there");
    assert_eq!(row.stamps.get("key"), Some(&first));
    assert_eq!(row.stamps.get("value"), Some(&second));
    assert_eq!(row.stamp(), Some(&second));
}

/// A change names only what it changes: of two tabs that change different fields, neither undoes the other.
pub async fn a_change_of_one_field_leaves_another_tabs_field<H: Harness>() {
    let place = H::fresh(device()).await;
    let (here, there) = (place.open().await, place.open().await);
    let chat = Chat::new(ChatId::parse("0198c5a4-7c1e-7000-8000-0000000000c1").expect("is a UUID"), "Old", at(1));
    here.apply(Commit::default().put(&chat), at(1)).await.expect("applies");
    let renamed = Chat { title: "New".into(), ..chat.clone() };
    let touched = Chat { modified_at: at(2), ..chat.clone() };
    there.apply(Commit::default().change(&chat, &renamed), at(2)).await.expect("applies");
    here.apply(Commit::default().change(&chat, &touched), at(3)).await.expect("applies");
    let now: Option<Chat> = get(&here, chat.key()).await.expect("reads");
    assert_eq!(now, Some(Chat { title: "New".into(), modified_at: at(2), ..chat.clone() }));

    there.apply(Commit::default().delete(RowRef::of(&chat)), at(4)).await.expect("applies");
    let late = here.apply(Commit::default().change(&chat, &renamed), at(5)).await;
    assert!(matches!(late, Err(StoreError::Changed(_))), "half a row came back: {late:?}");
}

/// Saving what is there already is not a change to send.
pub async fn writing_equal_values_writes_nothing<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let commit = || Commit::default().put(&setting("theme", "dark"));
    store.apply(commit(), at(1)).await.expect("applies");
    let sent = store.outbox().await.expect("reads");
    store.mark_sent(&sent).await.expect("marks");
    let before = stamp_of(&store, &RowRef::of(&setting("theme", 0))).await;
    store.apply(commit(), at(2)).await.expect("applies");
    assert_eq!(stamp_of(&store, &RowRef::of(&setting("theme", 0))).await, before);
    assert_eq!(store.outbox().await.expect("reads"), []);
}

/// A wall clock that is set back does no harm.
pub async fn stamps_grow_though_the_clock_goes_back<H: Harness>() {
    let place = H::fresh(device()).await;
    let mut last = None;
    for (number, now) in [1_000, 1_000, 10, 2_000, 0].into_iter().enumerate() {
        let store = place.open().await;
        let stamp = store.apply(Commit::default().put(&setting("n", number)), at(now)).await.expect("applies");
        assert!(Some(&stamp) > last.as_ref(), "{stamp:?} does not come after {last:?}");
        assert_eq!(stamp.device(), &device());
        last = Some(stamp);
    }
}

/// R043: the clock is shared, so equal moments give different stamps.
pub async fn two_tabs_never_make_the_same_stamp<H: Harness>() {
    let place = H::fresh(device()).await;
    let (here, there) = (place.open().await, place.open().await);
    let mut stamps = Vec::new();
    for number in 0..5 {
        for store in [&here, &there] {
            let commit = Commit::default().put(&setting(&format!("n{}", stamps.len()), number));
            stamps.push(store.apply(commit, at(7)).await.expect("applies"));
        }
    }
    let mut unique = stamps.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(stamps, unique);
}

/// Deleting hides a row and leaves a tombstone to send; writing again revives it.
pub async fn a_deleted_row_is_gone_and_can_come_back<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let theme = setting("theme", "dark");
    let row = RowRef::of(&theme);
    store.apply(Commit::default().put(&theme), at(1)).await.expect("applies");
    let sent = store.outbox().await.expect("reads");
    store.mark_sent(&sent).await.expect("marks");

    let deleted = store.apply(Commit::default().delete(row.clone()), at(2)).await.expect("applies");
    assert_eq!(store.row(&row).await.expect("reads"), None);
    assert_eq!(store.rows(Table::Settings).await.expect("reads"), []);
    assert_eq!(store.outbox().await.expect("reads"), [OutboxEntry { row: row.clone(), stamp: deleted }]);

    store.apply(Commit::default().put(&theme), at(3)).await.expect("applies");
    assert_eq!(get(&store, theme.key()).await.expect("reads"), Some(theme));
}

/// Deletes come after puts.
pub async fn a_row_written_and_deleted_in_one_commit_is_gone<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let theme = setting("theme", "dark");
    let row = RowRef::of(&theme);
    store.apply(Commit::default().put(&theme).delete(row.clone()), at(1)).await.expect("applies");
    assert_eq!(store.row(&row).await.expect("reads"), None);
}

/// However many rows a commit touches, what is there of them is seen: alone, among many others, and under keys that not every store sorts
/// alike. What is there as it would be written is not written, and so is not to be sent.
pub async fn of_many_rows_those_that_are_there_are_seen<H: Harness>() {
    let store = H::fresh(device()).await.open().await;
    let write = async |settings: &[Setting], millis| {
        let commit = settings.iter().fold(Commit::default(), |commit, setting| commit.put(setting));
        store.apply(commit, at(millis)).await.expect("applies");
        let written = store.outbox().await.expect("reads");
        store.mark_sent(&written).await.expect("marks");
        written.len()
    };
    let sparse: Vec<Setting> = (0..120).map(|number| setting(&format!("sparse {number:03}"), 1)).collect();
    let crowded: Vec<Setting> = (0..400).map(|number| setting(&format!("crowded {number:03}"), 1)).collect();
    let odd = (0..60).map(|number| setting(&format!("{} {number:03}", ["a", "\u{ff5e}", "\u{1f600}"][number % 3]), 1));
    let odd: Vec<Setting> = odd.collect();
    let of_every = |settings: &[Setting], step: usize| settings.iter().step_by(step).cloned().collect::<Vec<_>>();
    for (all, there, touched) in [(&sparse, 4, 1), (&crowded, 1, 10), (&odd, 4, 1)] {
        let there = of_every(all, there);
        assert_eq!(write(&there, 1).await, there.len());
        let touched = of_every(all, touched);
        assert_eq!(write(&touched, 2).await, touched.iter().filter(|setting| !there.contains(setting)).count());
        assert_eq!(write(all, 3).await, 0);
    }
}
