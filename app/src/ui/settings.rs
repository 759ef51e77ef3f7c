//! The settings page. Every change is saved at once.

pub(crate) mod section;

mod about;
mod appearance;
mod cage;
mod cage_list;
mod composer;
mod limits;
mod packages;
mod server;
mod storage;

use leptos::prelude::*;

use self::about::AboutSection;
use self::appearance::AppearanceSection;
use self::cage::CageSection;
use self::composer::ComposerSection;
use self::limits::LimitsSection;
use self::packages::PackagesSection;
use self::section::SectionId;
use self::server::ServerSection;
use self::storage::StorageSection;

/// The page.
#[component]
pub(crate) fn SettingsPage() -> impl IntoView {
    let index = SectionId::ALL.map(|id| view! { <a class="nav-link" href=id.link()>{id.title()}</a> });
    view! {
        <div class="page settings">
            <h1 class="unseen">"Settings"</h1>
            <nav class="settings-index" aria-label="Sections">{index.collect_view()}</nav>
            <div class="settings-sections">
                <AppearanceSection />
                <ComposerSection />
                <ServerSection />
                <CageSection />
                <PackagesSection />
                <StorageSection />
                <LimitsSection />
                <AboutSection />
            </div>
        </div>
    }
}
