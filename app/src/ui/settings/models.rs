//! Models: the three places they come from, and how they are asked to answer.

mod endpoint_form;
mod endpoints;
mod fields;
mod manner;
mod provider_form;
mod providers;

use leptos::prelude::*;

use self::endpoints::EndpointList;
use self::manner::MannerRows;
use self::providers::ProviderList;
use super::section::{Section, SectionId};
use crate::state::Models;

/// The section of models.
#[component]
pub(crate) fn ModelsSection() -> impl IntoView {
    Models::expect().follow();
    view! {
        <Section
            id=SectionId::Models
            about="The models that answer you. A chat can use any of them and change at any point."
        >
            <EndpointList />
            <ProviderList />
            <MannerRows />
        </Section>
    }
}
