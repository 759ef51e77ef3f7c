//! Where the web search that is built in asks, for whoever has an API of their own (R096, R225).

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use satchel_core::local_api::reading::BaseUrlRead;
use serde_json::json;

use crate::browser::spawn::spawn;
use crate::state::{Storage, Toolsets};
use crate::ui::parts::sentence;
use crate::work::local_api;

/// The toolset.
pub(super) const EXA_ID: &str = "builtin-exa-web-search";
const PATH: &str = "/local/toolsets/builtin-exa-web-search/base-url";

/// The field.
#[component]
pub(super) fn ExaAddress() -> impl IntoView {
    let (storage, toolsets) = (Storage::expect(), Toolsets::expect());
    let (address, failure) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    spawn(async move {
        let read = local_api::get(&storage.store(), PATH, "").await;
        if let Ok(BaseUrlRead { base_url }) = read.and_then(|answered| answered.json()) {
            address.try_set(base_url);
        }
    });
    let save = move |event: SubmitEvent| {
        event.prevent_default();
        let wished = json!({"base_url": address.get_untracked()}).to_string();
        spawn(async move {
            let saved = local_api::call(&storage.store(), "PUT", PATH, &wished).await;
            match saved.and_then(|answered| answered.json::<BaseUrlRead>()) {
                Ok(BaseUrlRead { base_url }) => {
                    address.try_set(base_url);
                    failure.try_set(String::new());
                    toolsets.changed();
                }
                Err(error) => drop(failure.try_set(sentence(&error.to_string()))),
            }
        });
    };
    view! {
        <form class="row row-stack" on:submit=save>
            <label class="field">
                <span class="field-label">"Address of the API"</span>
                <input class="input" type="url" spellcheck="false" data-testid="exa-address" bind:value=address />
                <span class="field-hint">"Leave it as it is, unless you run an API of your own that is compatible with Exa's."</span>
            </label>
            <button class="button button-small" type="submit" data-testid="exa-address-save">"Save the address"</button>
            <p class="field-error" role="alert" hidden=move || failure.with(String::is_empty)>{failure}</p>
        </form>
    }
}
