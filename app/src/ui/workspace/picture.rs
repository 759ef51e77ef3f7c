//! A file as the picture it is. It is drawn by the browser as an image, in which nothing can run.

use leptos::prelude::*;

use super::file_view::Loaded;
use crate::browser::files::ObjectUrl;
use crate::browser::raw_bytes::RawBytes;

/// The picture.
#[component]
pub(super) fn Picture(
    /// What the file is called.
    name: String,
    /// Its media type.
    kind: &'static str,
    /// The file.
    loaded: Signal<Option<Loaded>, LocalStorage>,
) -> impl IntoView {
    // The address lives as long as the picture: the next one, or the end of this component, takes it away.
    let address = Memo::new_with_compare(
        move |_| {
            loaded.get().map(|loaded| {
                Kept(StoredValue::new_local(ObjectUrl::of(&RawBytes::from(loaded.bytes.as_slice()), kind)))
            })
        },
        |_, _| true,
    );
    let broken = RwSignal::new(false);
    let source = move || address.get().map(|Kept(address)| address.with_value(|address| address.address().to_owned()));
    view! {
        <div class="picture">
            <img data-testid="picture" alt=name src=source on:error=move |_| broken.set(true) on:load=move |_| broken.set(false) />
            <Show when=move || broken.get()>
                <p class="workspace-problem">"This picture is damaged, or in a format this browser cannot show."</p>
            </Show>
        </div>
    }
    .into_any()
}

#[derive(Clone, Copy)]
struct Kept(StoredValue<ObjectUrl, LocalStorage>);
