//! Everything as a file, in and out; whether everything still is what it was; and when to be reminded.

use leptos::prelude::*;
use satchel_core::settings::{ExportReminder, SettingChange};

use crate::state::CurrentSettings;
use crate::ui::parts::{Choice, ChoiceOption};
use crate::ui::settings::section::Row;
use crate::ui::whole_export::{ExportRow, ImportRow, VerifyRow};

/// The rows of whole exports.
#[component]
pub(super) fn WholeExportRows() -> impl IntoView {
    let settings = CurrentSettings::expect();
    let option = |value, label| ChoiceOption { value, label, icon: None };
    let options = vec![
        option(ExportReminder::Off, "Off"),
        option(ExportReminder::TwoWeeks, "14 days"),
        option(ExportReminder::TwoMonths, "60 days"),
    ];
    view! {
        <ExportRow />
        <ImportRow />
        <Row
            label="Remind me to export"
            hint="If you do not sync: when a changed chat has not been exported for this long, at most once a week."
        >
            <Choice
                name="export-reminder"
                label="Remind me to export"
                options
                chosen=settings.export_reminder()
                on_choose=move |option| settings.change(SettingChange::ExportReminder(option.value), option.label)
            />
        </Row>
        <VerifyRow />
    }
}
