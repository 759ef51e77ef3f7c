//! What keys do in the composer.

use leptos::prelude::*;
use satchel_core::settings::{EnterKey, SettingChange};

use super::section::{Row, Section, SectionId};
use crate::state::CurrentSettings;
use crate::ui::parts::{Choice, ChoiceOption};

/// The section of the composer.
#[component]
pub(crate) fn ComposerSection() -> impl IntoView {
    let settings = CurrentSettings::expect();
    let options = vec![
        ChoiceOption { value: EnterKey::Sends, label: "Sends", icon: None },
        ChoiceOption { value: EnterKey::StartsLine, label: "Starts a line", icon: None },
    ];
    let entry = vec![
        ChoiceOption { value: false, label: "Offered", icon: None },
        ChoiceOption { value: true, label: "Not offered", icon: None },
    ];
    view! {
        <Section id=SectionId::Composer about="How a message is written.">
            <Row label="Enter key" hint="Shift-Enter always starts a line, Ctrl-Enter or Cmd-Enter always sends.">
                <Choice
                    name="enter-key"
                    label="Enter key"
                    options
                    chosen=settings.enter_key()
                    on_choose=move |option| settings.change(SettingChange::EnterKey(option.value), option.label)
                />
            </Row>
            <Row
                label="Configuration mode by the model"
                hint="Where toolsets are saved, models are offered a tool to go to configuration mode. Switched off, only you can, by the switch beside the wrench."
            >
                <Choice
                    name="configuration-mode"
                    label="Configuration mode by the model"
                    options=entry
                    chosen=settings.hide_configuration_mode()
                    on_choose=move |option| {
                        settings.change(SettingChange::HideConfigurationMode(option.value), option.label)
                    }
                />
            </Row>
        </Section>
    }
}
