//! How the app looks.

use leptos::prelude::*;
use satchel_core::settings::{SettingChange, TextSize, Theme};

use super::section::{Row, Section, SectionId};
use crate::state::CurrentSettings;
use crate::ui::parts::{Choice, ChoiceOption, IconName};

/// The section of looks.
#[component]
pub(crate) fn AppearanceSection() -> impl IntoView {
    let settings = CurrentSettings::expect();
    let themes = vec![
        ChoiceOption { value: Theme::System, label: "System", icon: Some(IconName::Screen) },
        ChoiceOption { value: Theme::Light, label: "Light", icon: Some(IconName::Sun) },
        ChoiceOption { value: Theme::Dark, label: "Dark", icon: Some(IconName::Moon) },
    ];
    let sizes = vec![
        ChoiceOption { value: TextSize::Small, label: "Small", icon: None },
        ChoiceOption { value: TextSize::Normal, label: "Normal", icon: None },
        ChoiceOption { value: TextSize::Large, label: "Large", icon: None },
    ];
    view! {
        <Section id=SectionId::Appearance about="How Satchel looks.">
            <Row label="Theme" hint="System follows this device.">
                <Choice
                    name="theme"
                    label="Theme"
                    options=themes
                    chosen=settings.theme()
                    on_choose=move |option| settings.change(SettingChange::Theme(option.value), option.label)
                />
            </Row>
            <Row label="Text size" hint="Scales everything, not only the text.">
                <Choice
                    name="text-size"
                    label="Text size"
                    options=sizes
                    chosen=settings.text_size()
                    on_choose=move |option| settings.change(SettingChange::TextSize(option.value), option.label)
                />
            </Row>
        </Section>
    }
}
