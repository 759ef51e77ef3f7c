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
        ChoiceOption { value: EnterKey::StartsLine, label: "Starts a new line", icon: None },
    ];
    let entry = vec![
        ChoiceOption { value: false, label: "Offered", icon: None },
        ChoiceOption { value: true, label: "Not offered", icon: None },
    ];
    view! {
        <Section id=SectionId::Composer about="How you write a message.">
            <Row label="Enter key" hint="Shift-Enter always starts a new line, Ctrl-Enter or Cmd-Enter always sends.">
                <Choice
                    name="enter-key"
                    label="Enter key"
                    options
                    chosen=settings.enter_key()
                    on_choose=move |option| settings.change(SettingChange::EnterKey(option.value), option.label)
                />
            </Row>
            <Row
                label="Let models enter configuration mode"
                hint="Once you have saved a toolset, models are offered a tool that enters configuration mode. When this is off, only you can, with the switch beside the wrench."
            >
                <Choice
                    name="configuration-mode"
                    label="Let models enter configuration mode"
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
