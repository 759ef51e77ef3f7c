//! The settings page. Every change is saved at once.

pub(crate) mod section;

mod about;
mod appearance;
mod cage;
mod cage_list;
mod composer;
mod deleted_chats;
mod iterations;
mod limits;
mod models;
mod packages;
mod page_models;
mod secrets;
mod server;
mod storage;
mod sync;

use leptos::prelude::*;

use self::about::AboutSection;
use self::appearance::AppearanceSection;
use self::cage::CageSection;
use self::composer::ComposerSection;
use self::deleted_chats::DeletedChatsSection;
use self::limits::LimitsSection;
use self::models::ModelsSection;
use self::packages::PackagesSection;
use self::page_models::PageModelsSection;
use self::secrets::SecretsSection;
use self::section::SectionId;
use self::server::ServerSection;
use self::storage::StorageSection;
use self::sync::SyncSection;
use crate::state::Providers;

/// The page.
#[component]
pub(crate) fn SettingsPage() -> impl IntoView {
    // Two sections are about them: which there are, and their keys.
    provide_context(Providers::load());
    let index = SectionId::ALL.map(|id| view! { <a class="nav-link" href=id.link()>{id.title()}</a> });
    view! {
        <div class="page settings">
            <h1 class="unseen">"Settings"</h1>
            <nav class="settings-index" aria-label="Sections">{index.collect_view()}</nav>
            <div class="settings-sections">
                <AppearanceSection />
                <ComposerSection />
                <ModelsSection />
                <ServerSection />
                <SyncSection />
                <SecretsSection />
                <PageModelsSection />
                <CageSection />
                <PackagesSection />
                <StorageSection />
                <DeletedChatsSection />
                <LimitsSection />
                <AboutSection />
            </div>
        </div>
    }
}
