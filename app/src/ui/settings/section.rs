//! The sections of the settings page, and the addresses that lead to them.

use leptos::prelude::*;

/// A section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SectionId {
    /// Light and dark, size of text.
    Appearance,
    /// What keys do while writing.
    Composer,
    /// Where models come from, and how they answer.
    Models,
    /// The Satchel server.
    Server,
    /// The account's other devices.
    Sync,
    /// What toolsets and providers need and nobody may see.
    Secrets,
    /// Models that run in this tab.
    PageModels,
    /// Where Python runs.
    Cage,
    /// What it can import.
    Packages,
    /// Room on this device.
    Storage,
    /// Chats that can be brought back.
    DeletedChats,
    /// How large things may be.
    Limits,
    /// What this is.
    About,
}

impl SectionId {
    /// All of them, in the order of the page.
    pub(crate) const ALL: [Self; 13] = [
        Self::Appearance,
        Self::Composer,
        Self::Models,
        Self::Server,
        Self::Sync,
        Self::Secrets,
        Self::PageModels,
        Self::Cage,
        Self::Packages,
        Self::Storage,
        Self::DeletedChats,
        Self::Limits,
        Self::About,
    ];

    /// The headline.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Appearance => "Appearance",
            Self::Composer => "Composer",
            Self::Models => "Models",
            Self::Server => "Server",
            Self::Sync => "Sync",
            Self::Secrets => "Secrets and variables",
            Self::PageModels => "Models in the page",
            Self::Cage => "Python cage",
            Self::Packages => "Python packages",
            Self::Storage => "Storage",
            Self::DeletedChats => "Recently deleted",
            Self::Limits => "Limits",
            Self::About => "About",
        }
    }

    /// The address that opens the settings at this section.
    pub(crate) fn link(self) -> String {
        format!("/ui/settings#{}", self.anchor())
    }

    fn anchor(self) -> &'static str {
        match self {
            Self::Appearance => "appearance",
            Self::Composer => "composer",
            Self::Models => "models",
            Self::Server => "server",
            Self::Sync => "sync",
            Self::Secrets => "secrets",
            Self::PageModels => "page-models",
            Self::Cage => "cage",
            Self::Packages => "packages",
            Self::Storage => "storage",
            Self::DeletedChats => "deleted-chats",
            Self::Limits => "limits",
            Self::About => "about",
        }
    }
}

/// A section: its headline, a sentence, and a card of rows.
#[component]
pub(crate) fn Section(
    /// Which one.
    id: SectionId,
    /// What it is about.
    about: &'static str,
    /// The rows.
    children: Children,
) -> impl IntoView {
    let label = format!("{}-label", id.anchor());
    let labelled_by = label.clone();
    view! {
        <section class="section" id=id.anchor() aria-labelledby=labelled_by>
            <div class="section-head">
                <h2 id=label>{id.title()}</h2>
                <p>{about}</p>
            </div>
            <div class="section-card">{children()}</div>
        </section>
    }
}

/// A row: words on the left, a control on the right.
#[component]
pub(crate) fn Row(
    /// What is set here.
    label: &'static str,
    /// What it means.
    hint: &'static str,
    /// The control.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="row">
            <div class="field">
                <div class="field-label">{label}</div>
                <p class="field-hint">{hint}</p>
            </div>
            {children()}
        </div>
    }
}
