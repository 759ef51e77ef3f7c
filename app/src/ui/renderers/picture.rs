//! A picture. The browser draws it as an image, in which nothing runs.

use leptos::prelude::*;
use satchel_core::render::Fields;

use super::key_value::FieldList;
use super::surface::{Copied, Surface};

/// The picture.
#[component]
pub(super) fn PictureView(
    /// Its `data:` or `blob:` address.
    address: String,
    /// What is beside it.
    #[prop(optional)]
    rest: Fields,
) -> impl IntoView {
    let for_copy = address.clone();
    let copied = Copied::of(move || for_copy.clone());
    let broken = RwSignal::new(false);
    view! {
        <Surface test_id="renderer-image" title="Picture" copied>
            <div class="picture">
                <img alt="The picture that the tool returned" src=address on:error=move |_| broken.set(true) />
                <Show when=move || broken.get()>
                    <p class="renderer-problem">"This picture is damaged, or in a format this browser cannot show."</p>
                </Show>
            </div>
            <FieldList fields=rest />
        </Surface>
    }
}
