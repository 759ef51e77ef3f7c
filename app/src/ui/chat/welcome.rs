//! What the conversation shows before its first message.

use leptos::prelude::*;

use crate::state::Connection;
use crate::ui::pages::{Bring, LazyLayer, Pages};
use crate::ui::parts::{Icon, IconName, Logo};
use crate::ui::settings::section::SectionId;
use crate::work::server::ServerStatus;

/// What Satchel is, and what can be done now.
#[component]
pub(crate) fn Welcome(
    /// How the examples are brought.
    examples: Bring,
) -> impl IntoView {
    let no_model = expect_context::<Pages>().no_model;
    let connection = Connection::expect();
    let is_connected = Memo::new(move |_| matches!(connection.server(), ServerStatus::Connected(_)));
    view! {
        <div class="welcome">
            <div class="welcome-head">
                <Logo />
                <h1>"Your workbench, in this tab"</h1>
                <p>"Conversations, files and Python tools stay on this device, and open without a network."</p>
            </div>
            <div class="welcome-examples">
                <LazyLayer bring=examples />
            </div>
            <ul class="start-cards">
                <StartCard icon=IconName::Shield section=SectionId::Cage title="Check the cage">
                    "Load Python, and watch it fail to get out."
                </StartCard>
                {move || match is_connected.get() {
                    false => view! {
                        <StartCard icon=IconName::Server section=SectionId::Server title="Connect your server">
                            "It does what a browser cannot, on your own machine."
                        </StartCard>
                    },
                    true => view! {
                        <StartCard icon=IconName::Update section=SectionId::Sync title="Sync your devices">
                            "Encrypted before it leaves: your server cannot read it."
                        </StartCard>
                    },
                }}
                <StartCard icon=IconName::Sun section=SectionId::Appearance title="Make it yours">
                    "Light or dark, text size, what Enter does."
                </StartCard>
            </ul>
            <LazyLayer bring=no_model />
        </div>
    }
}

/// A way to start.
#[component]
fn StartCard(
    /// The picture.
    icon: IconName,
    /// Where it leads.
    section: SectionId,
    /// What it is.
    title: &'static str,
    /// Why one would.
    children: Children,
) -> impl IntoView {
    view! {
        <li>
            <a class="start-card" href=section.link()>
                <Icon name=icon />
                <span class="start-card-title">{title}</span>
                <span class="start-card-text">{children()}</span>
            </a>
        </li>
    }
}
