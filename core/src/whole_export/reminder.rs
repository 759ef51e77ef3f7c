//! When the user is reminded to export: nothing is synced, and chats have changed long ago that no export of everything has.

use serde::{Deserialize, Serialize};

use crate::record::{Chat, Position, RowKey, Setting};
use crate::settings::{ExportReminder, Settings};
use crate::store::{Commit, Store, StoreError, get, list};
use crate::time::Timestamp;

/// Where what is remembered is among the positions of the device.
const PLACE: &str = "whole_export";
const DAY: u64 = 86_400_000;
/// A reminder that was not followed comes again after this time.
const AGAIN_AFTER: u64 = 7 * DAY;

/// What a device remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// When everything was exported last.
    #[serde(default)]
    exported_at: Option<Timestamp>,
    /// When the user was reminded last.
    #[serde(default)]
    reminded_at: Option<Timestamp>,
}

/// Notes that everything was exported.
pub async fn note_export(store: &impl Store, now: Timestamp) -> Result<(), StoreError> {
    let kept = Kept { exported_at: Some(now), ..load(store).await? };
    keep(store, kept, now).await
}

/// Whether the user of a device that does not sync is to be reminded now. If so, it is noted that they were.
pub async fn remind(store: &impl Store, now: Timestamp) -> Result<bool, StoreError> {
    let (settings, _misread) = Settings::read(list::<Setting>(store).await?.into_iter().flatten());
    let kept = load(store).await?;
    let chats: Vec<Chat> = list(store).await?.into_iter().flatten().collect();
    let is_due = is_due(&chats, kept, settings.export_reminder, now);
    if is_due {
        keep(store, Kept { reminded_at: Some(now), ..kept }, now).await?;
    }
    Ok(is_due)
}

fn is_due(chats: &[Chat], kept: Kept, reminder: ExportReminder, now: Timestamp) -> bool {
    let days = match reminder {
        ExportReminder::Off => return false,
        ExportReminder::TwoWeeks => 14,
        ExportReminder::TwoMonths => 60,
    };
    let is_past = |moment: Timestamp, span: u64| now.as_millis().saturating_sub(moment.as_millis()) > span;
    let is_new = |chat: &&Chat| chat.soft_deleted_at.is_none() && Some(chat.modified_at) > kept.exported_at;
    let waits = chats.iter().filter(is_new).any(|chat| is_past(chat.modified_at, days * DAY));
    waits && kept.reminded_at.is_none_or(|reminded| is_past(reminded, AGAIN_AFTER))
}

async fn load(store: &impl Store) -> Result<Kept, StoreError> {
    let position: Option<Position> = get(store, RowKey::one(PLACE)).await?;
    Ok(position.and_then(|position| serde_json::from_value(position.value).ok()).unwrap_or_default())
}

async fn keep(store: &impl Store, kept: Kept, now: Timestamp) -> Result<(), StoreError> {
    let value = serde_json::to_value(kept).expect("plain data can be written as JSON");
    store.apply(Commit::relaxed().put(&Position { place: PLACE.into(), value }), now).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::tests::Device;
    use super::*;
    use crate::at_once::at_once;
    use crate::settings::SettingChange;

    fn day(day: u64) -> Timestamp {
        Timestamp::from_millis(day * DAY + 10_000)
    }

    fn reminded(device: &Device, on: u64) -> bool {
        at_once(remind(&device.store, day(on))).expect("memory does not fail")
    }

    /// R310: calm: after two weeks, at most once a week, and not about what was exported.
    #[test]
    fn a_reminder_comes_after_two_weeks_and_at_most_once_a_week() {
        let device = Device::new(1);
        assert!(!reminded(&device, 100), "there is nothing to export");
        device.chat_with(&[]);
        assert!(!reminded(&device, 13));
        assert!(reminded(&device, 15));
        assert!(!reminded(&device, 20));
        assert!(reminded(&device, 23));
        at_once(note_export(&device.store, day(40))).expect("memory does not fail");
        assert!(!reminded(&device, 90), "what is exported has not changed since");
    }

    #[test]
    fn it_can_be_switched_off() {
        let device = Device::new(1);
        device.chat_with(&[]);
        let set = |reminder| device.apply(Commit::default().put(&SettingChange::ExportReminder(reminder).row()));
        set(ExportReminder::Off);
        assert!(!reminded(&device, 100));
        set(ExportReminder::TwoMonths);
        assert!(!reminded(&device, 59));
        assert!(reminded(&device, 61));
    }
}
