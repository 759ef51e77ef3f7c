//! A picture. The browser draws it as an image, in which nothing runs.

use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::render::{DataPicture, Fields};

use super::key_value::FieldList;
use super::surface::{Clip, Copied, Surface};
use crate::browser::files::ObjectUrl;
use crate::browser::raw_bytes::RawBytes;
use crate::ui::parts::{Icon, IconName};

/// A picture, as the browser has it.
#[derive(Clone)]
pub(super) struct Picture {
    address: PictureAddress,
    /// What it is called where it is saved.
    name: String,
}

#[derive(Clone)]
enum PictureAddress {
    Data(String),
    Blob(Arc<ObjectUrl>),
}

impl Picture {
    /// One that came as text.
    pub(super) fn of_data(picture: &DataPicture) -> Self {
        Self { address: PictureAddress::Data(picture.address()), name: named(picture.media_type()) }
    }

    /// One of these bytes. Its address lives as long as this and its clones.
    pub(super) fn of_bytes(bytes: &[u8], media_type: &str) -> Self {
        let address = ObjectUrl::of(&RawBytes::from(bytes), media_type);
        Self { address: PictureAddress::Blob(Arc::new(address)), name: named(media_type) }
    }

    /// Its `data:` or `blob:` address.
    pub(super) fn address(&self) -> &str {
        match &self.address {
            PictureAddress::Data(address) => address,
            PictureAddress::Blob(address) => address.address(),
        }
    }
}

/// What a picture of a media type is called.
fn named(media_type: &str) -> String {
    let kind = media_type.strip_prefix("image/").unwrap_or("png");
    let ending = match kind {
        "jpeg" => "jpg",
        "svg+xml" => "svg",
        "x-icon" => "ico",
        other => other,
    };
    format!("picture.{ending}")
}

/// The picture.
#[component]
pub(super) fn PictureView(
    /// The picture.
    picture: Picture,
    /// What is beside it.
    #[prop(optional)]
    rest: Fields,
) -> impl IntoView {
    let for_copy = picture.clone();
    let copied = Copied::clip(move || Clip::Picture(for_copy.clone()));
    let tools = view! { <Download picture=picture.clone() /> }.into_any();
    view! {
        <Surface test_id="renderer-image" title="Picture" copied tools=Some(tools)>
            <Image picture alt="The picture that the tool returned" />
            <FieldList fields=rest />
        </Surface>
    }
}

/// The picture alone.
#[component]
pub(super) fn Image(
    /// The picture.
    picture: Picture,
    /// What a screen reader calls it.
    alt: &'static str,
) -> impl IntoView {
    let broken = RwSignal::new(false);
    let address = picture.address().to_owned();
    // The address lives as long as what is drawn.
    StoredValue::new(picture);
    view! {
        <div class="picture">
            <img alt=alt src=address on:error=move |_| broken.set(true) />
            <Show when=move || broken.get()>
                <p class="renderer-problem">"This picture is damaged, or in a format this browser cannot show."</p>
            </Show>
        </div>
    }
}

/// Saves the picture where the browser keeps downloads.
#[component]
fn Download(
    /// The picture.
    picture: Picture,
) -> impl IntoView {
    view! {
        <a
            class="icon-button"
            href=picture.address().to_owned()
            download=picture.name
            aria-label="Download"
            title="Download"
            data-testid="renderer-download"
        >
            <Icon name=IconName::Download small=true />
        </a>
    }
}
