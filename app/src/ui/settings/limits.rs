//! The limits a user can meet. Each has a default that suits most, and bounds that a tab can bear.

use leptos::prelude::*;
use satchel_core::settings::{LimitName, LimitUnit, SettingChange};

use super::iterations::IterationsRow;
use super::section::{Section, SectionId};
use crate::state::CurrentSettings;
use crate::ui::parts::in_words;

/// Sizes are set in megabytes.
const MEGABYTE: f64 = 1_000_000.0;

/// The section of limits.
#[component]
pub(crate) fn LimitsSection() -> impl IntoView {
    let rows = LimitName::ALL.map(|limit| view! { <LimitRow limit /> });
    view! {
        <Section id=SectionId::Limits about="Anything over a limit is refused, and the message says which limit.">
            <IterationsRow />
            {rows.collect_view()}
        </Section>
    }
}

/// One limit.
#[component]
fn LimitRow(
    /// Which.
    limit: LimitName,
) -> impl IntoView {
    let settings = CurrentSettings::expect();
    let current = settings.limit(limit);
    let (least, most) = limit.bounds();
    let (unit, unit_name) = match limit.unit() {
        LimitUnit::Bytes => (MEGABYTE, "MB"),
        LimitUnit::Files => (1.0, "files"),
        LimitUnit::Seconds => (1.0, "seconds"),
    };
    let in_units = move |value: u64| {
        #[expect(clippy::cast_precision_loss, reason = "a limit is far below 2^53")]
        let value = value as f64 / unit;
        value.to_string()
    };
    let words = |value: u64| match limit.unit() {
        LimitUnit::Bytes => in_words(value),
        LimitUnit::Files | LimitUnit::Seconds => value.to_string(),
    };
    let range = format!("From {} to {}. {}", words(least), words(most), limit.least_means().unwrap_or_default());
    let change = move |event: leptos::ev::Event| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the limit's bounds")]
        let typed = event_target_value(&event).parse::<f64>().map(|value| (value * unit).round() as u64);
        if let Ok(value) = typed {
            settings.change(SettingChange::Limit(limit, value.clamp(least, most)), "Limit changed");
        }
    };
    view! {
        <div class="row">
            <label class="field" for=limit.key()>
                <span class="field-label">{limit.title()}</span>
                <span class="field-hint">{range}</span>
            </label>
            <div class="limit">
                <input
                    class="input"
                    id=limit.key()
                    type="number"
                    inputmode="decimal"
                    step="any"
                    min=in_units(least)
                    max=in_units(most)
                    data-testid=limit.key()
                    prop:value=move || in_units(current.get())
                    on:change=change
                />
                <span class="limit-unit">{unit_name}</span>
            </div>
        </div>
    }
}
