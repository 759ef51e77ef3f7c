//! What the user can set, typed, with its defaults.
//!
//! The store keeps settings as rows of key and value. Here they become one struct: a missing row means the default, and
//! a row that cannot be understood means the default too, and is reported, so that one bad row never keeps the app from starting.

mod limits;

use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use limits::{LimitName, LimitUnit, Limits};

use crate::record::Setting;

/// All settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Light, dark, or as the system is.
    pub theme: Theme,
    /// How large text is.
    pub text_size: TextSize,
    /// What the Enter key does in the composer.
    pub enter_key: EnterKey,
    /// How many rounds of tool calls one answer may take, in a chat that does not say; none where the usual number holds (R191).
    pub max_tool_iterations: Option<u32>,
    /// Whether models are not offered the way into configuration mode (R142).
    pub hide_configuration_mode: bool,
    /// When a reminder to export everything comes.
    pub export_reminder: ExportReminder,
    /// How large things may be.
    pub limits: Limits,
}

/// The least and the most rounds of tool calls that can be set.
pub const ITERATIONS: RangeInclusive<u32> = 1..=100;

/// Light, dark, or as the system is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// As the system is.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// How large text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSize {
    /// More on the screen.
    Small,
    /// As designed.
    #[default]
    Normal,
    /// Easier to read.
    Large,
}

/// What the Enter key does in the composer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnterKey {
    /// Enter sends, Shift-Enter starts a new line.
    #[default]
    Sends,
    /// Enter starts a new line, Ctrl- or Cmd-Enter sends.
    StartsLine,
}

/// After how long without an export of what has changed a reminder comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportReminder {
    /// Never.
    Off,
    /// After 14 days.
    #[default]
    TwoWeeks,
    /// After 60 days.
    TwoMonths,
}

/// One setting and its new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingChange {
    /// Sets [`Settings::theme`].
    Theme(Theme),
    /// Sets [`Settings::text_size`].
    TextSize(TextSize),
    /// Sets [`Settings::enter_key`].
    EnterKey(EnterKey),
    /// Sets [`Settings::max_tool_iterations`].
    MaxToolIterations(Option<u32>),
    /// Sets [`Settings::hide_configuration_mode`].
    HideConfigurationMode(bool),
    /// Sets [`Settings::export_reminder`].
    ExportReminder(ExportReminder),
    /// Sets one of [`Settings::limits`].
    Limit(LimitName, u64),
}

/// A row whose value could not be understood; the default is used instead.
#[derive(Debug, thiserror::Error)]
#[error("the setting {key:?} has a value this version does not understand; its default is used")]
pub struct SettingError {
    /// Which setting.
    pub key: String,
    source: serde_json::Error,
}

impl Settings {
    /// Reads the settings from their rows, and says which rows could not be understood.
    #[must_use]
    pub fn read(rows: impl IntoIterator<Item = Setting>) -> (Self, Vec<SettingError>) {
        let mut settings = Self::default();
        let mut errors = Vec::new();
        for Setting { key, value } in rows {
            let understood = match key.as_str() {
                "theme" => take(&mut settings.theme, value),
                "text_size" => take(&mut settings.text_size, value),
                "enter_key" => take(&mut settings.enter_key, value),
                "max_tool_iterations" => take(&mut settings.max_tool_iterations, value)
                    .map(|()| settings.max_tool_iterations = settings.max_tool_iterations.map(within)),
                "hide_configuration_mode" => take(&mut settings.hide_configuration_mode, value),
                "export_reminder" => take(&mut settings.export_reminder, value),
                other => match LimitName::of_key(other) {
                    Some(limit) => {
                        serde_json::from_value(value).map(|value| settings.limits = settings.limits.with(limit, value))
                    }
                    // A setting of another version: kept in its row, of no meaning here.
                    None => Ok(()),
                },
            };
            if let Err(source) = understood {
                errors.push(SettingError { key, source });
            }
        }
        (settings, errors)
    }

    /// The settings after a change.
    #[must_use]
    pub fn with(mut self, change: SettingChange) -> Self {
        match change {
            SettingChange::Theme(theme) => self.theme = theme,
            SettingChange::TextSize(size) => self.text_size = size,
            SettingChange::EnterKey(enter) => self.enter_key = enter,
            SettingChange::MaxToolIterations(rounds) => self.max_tool_iterations = rounds.map(within),
            SettingChange::HideConfigurationMode(hide) => self.hide_configuration_mode = hide,
            SettingChange::ExportReminder(reminder) => self.export_reminder = reminder,
            SettingChange::Limit(limit, value) => self.limits = self.limits.with(limit, value),
        }
        self
    }
}

impl SettingChange {
    /// The row that keeps the new value.
    #[must_use]
    pub fn row(self) -> Setting {
        let (key, value) = match self {
            Self::Theme(theme) => ("theme", serde_json::to_value(theme)),
            Self::TextSize(size) => ("text_size", serde_json::to_value(size)),
            Self::EnterKey(enter) => ("enter_key", serde_json::to_value(enter)),
            Self::MaxToolIterations(rounds) => ("max_tool_iterations", serde_json::to_value(rounds.map(within))),
            Self::HideConfigurationMode(hide) => ("hide_configuration_mode", serde_json::to_value(hide)),
            Self::ExportReminder(reminder) => ("export_reminder", serde_json::to_value(reminder)),
            Self::Limit(limit, value) => (limit.key(), serde_json::to_value(value)),
        };
        Setting { key: key.into(), value: value.expect("a number or an enum without data always serialises") }
    }
}

fn within(rounds: u32) -> u32 {
    rounds.clamp(*ITERATIONS.start(), *ITERATIONS.end())
}

fn take<T: DeserializeOwned>(field: &mut T, value: serde_json::Value) -> Result<(), serde_json::Error> {
    *field = serde_json::from_value(value)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_reads_back_from_its_row() {
        let changes = [
            SettingChange::Theme(Theme::Dark),
            SettingChange::TextSize(TextSize::Large),
            SettingChange::EnterKey(EnterKey::StartsLine),
            SettingChange::MaxToolIterations(Some(1_000)),
            SettingChange::HideConfigurationMode(true),
            SettingChange::ExportReminder(ExportReminder::Off),
            SettingChange::Limit(LimitName::WorkspaceFiles, 7),
        ];
        let changed = changes.into_iter().fold(Settings::default(), Settings::with);
        let (read, errors) = Settings::read(changes.map(SettingChange::row));
        assert!(errors.is_empty());
        assert_eq!(read, changed);
        let limits = Limits::default().with(LimitName::WorkspaceFiles, 7);
        let (theme, text_size, enter_key) = (Theme::Dark, TextSize::Large, EnterKey::StartsLine);
        let hide_configuration_mode = true;
        let (max_tool_iterations, export_reminder) = (Some(100), ExportReminder::Off);
        let expected = Settings {
            theme,
            text_size,
            enter_key,
            max_tool_iterations,
            hide_configuration_mode,
            export_reminder,
            limits,
        };
        assert_eq!(read, expected);
    }

    /// R191: switched off means the usual number.
    #[test]
    fn rounds_are_set_and_set_back() {
        let off = SettingChange::MaxToolIterations(None);
        let set = Settings::default().with(SettingChange::MaxToolIterations(Some(8)));
        assert_eq!((set.max_tool_iterations, set.with(off).max_tool_iterations), (Some(8), None));
        assert_eq!(Settings::read([off.row()]).0, Settings::default());
    }

    /// R317: one bad row never stops the app.
    #[test]
    fn a_bad_row_means_the_default_and_is_reported() {
        let rows = [
            Setting { key: "theme".into(), value: 7.into() },
            Setting { key: "text_size".into(), value: "small".into() },
            Setting { key: "of_the_future".into(), value: true.into() },
        ];
        let (settings, errors) = Settings::read(rows);
        assert_eq!(settings, Settings { text_size: TextSize::Small, ..Settings::default() });
        assert_eq!(
            errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [r#"the setting "theme" has a value this version does not understand; its default is used"#]
        );
    }
}
