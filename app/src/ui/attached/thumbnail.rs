//! A file in small: its picture, where it is one, and its name.

use leptos::prelude::*;
use satchel_core::record::Attachment;
use satchel_core::workspace::FileEntry;

use crate::browser::files::ObjectUrl;
use crate::browser::raw_bytes::RawBytes;
use crate::state::Storage;
use crate::ui::parts::{Icon, IconName, in_words};
use crate::work::workspace;

/// A file in small.
#[component]
pub(super) fn Thumbnail(
    /// The file.
    file: Attachment,
) -> impl IntoView {
    let (name, size) = (file.path.name().to_owned(), in_words(file.size));
    let picture = file.media_type.is_some().then(|| {
        let alt = name.clone();
        view! { <Picture file alt /> }
    });
    let icon = picture.is_none().then(|| view! { <Icon name=IconName::File small=true /> });
    view! {
        {picture}
        {icon}
        <span class="attachment-name">{name}</span>
        <span class="attachment-size">{size}</span>
    }
}

/// The picture itself. The browser draws it as an image, in which nothing runs.
#[component]
fn Picture(
    /// The file.
    file: Attachment,
    /// What it is called.
    alt: String,
) -> impl IntoView {
    let store = Storage::expect().store();
    let broken = RwSignal::new(None::<String>);
    // The address lives as long as what draws it.
    let address = LocalResource::new(move || {
        let (store, file) = (store.clone(), file.clone());
        async move {
            let entry = FileEntry { sha256: file.sha256, size: file.size };
            match workspace::bytes(&store, &file.path, entry).await {
                Ok(bytes) => {
                    let media_type = file.media_type.as_deref().unwrap_or_default();
                    Some(StoredValue::new_local(ObjectUrl::of(&RawBytes::from(bytes.as_slice()), media_type)))
                }
                Err(error) => {
                    broken.try_set(Some(error.to_string()));
                    None
                }
            }
        }
    });
    let source = move || address.get().flatten().map(|url| url.with_value(|url| url.address().to_owned()));
    let unreadable = move |_| broken.set(Some("this browser cannot show it".to_owned()));
    view! {
        <Show
            when=move || broken.with(Option::is_none)
            fallback=move || {
                let title = broken.get().unwrap_or_default();
                view! { <span class="attachment-broken" title=title><Icon name=IconName::Warning small=true /></span> }
            }
        >
            <img class="attachment-picture" data-testid="attachment-picture" alt=alt.clone() src=source on:error=unreadable />
        </Show>
    }
}
