//! The account's devices: what they are called, when they last came, and how one is shut out.

use leptos::prelude::*;
use satchel_core::ids::DeviceId;

use super::status::settle;
use crate::browser::spawn::spawn;
use crate::browser::{clock, page};
use crate::state::{NoticeKind, Notices, SyncStatus};
use crate::ui::parts::{Agreement, sentence};
use crate::work::sync::{self, ListedDevice};

/// What is known of them.
#[derive(Clone)]
enum Devices {
    Asked,
    Known(Vec<ListedDevice>),
    Unknown(String),
}

/// The row of the devices.
#[component]
pub(super) fn DevicesRow() -> impl IntoView {
    let devices = RwSignal::new(Devices::Asked);
    let status = SyncStatus::expect();
    // Whenever a round has ended or failed, there may be another device, or one less.
    let moment = Memo::new(move |_| status.badge(true).map(|(_, words)| words));
    Effect::new(move |_| {
        moment.get();
        look(devices);
    });
    view! {
        <div class="row row-stack">
            <div class="row-line">
                <span class="field-label">"Devices"</span>
                <button class="button button-small" type="button" data-testid="sync-devices-again" on:click=move |_| look(devices)>
                    "Refresh"
                </button>
            </div>
            {move || match devices.get() {
                Devices::Asked => view! { <p class="field-hint">"Asking the server…"</p> }.into_any(),
                Devices::Unknown(error) => view! { <p class="field-hint">{sentence(&error)}</p> }.into_any(),
                Devices::Known(list) => {
                    let list = list.into_iter().map(|device| view! { <Device device devices /> }).collect_view();
                    view! { <ul class="sync-devices" data-testid="sync-devices">{list}</ul> }.into_any()
                }
            }}
        </div>
    }
}

fn look(devices: RwSignal<Devices>) {
    spawn(async move {
        let found = match sync::devices().await {
            Ok(list) => Devices::Known(list),
            Err(error) => Devices::Unknown(error.to_string()),
        };
        // Nobody waits for it if the user has left the page meanwhile. What is no news draws nothing again: a name may be being typed.
        devices.try_maybe_update(|known| {
            let is_news = !known.says_what(&found);
            *known = found;
            (is_news, ())
        });
    });
}

impl Devices {
    /// Whether both say the same, but for when devices were last here, which is always another time.
    fn says_what(&self, other: &Self) -> bool {
        let same = |one: &ListedDevice, other: &ListedDevice| {
            (&one.id, &one.name, one.revoked_at) == (&other.id, &other.name, other.revoked_at)
        };
        match (self, other) {
            (Self::Known(one), Self::Known(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
            }
            (Self::Asked, Self::Asked) => true,
            (Self::Unknown(one), Self::Unknown(other)) => one == other,
            (Self::Asked | Self::Known(_) | Self::Unknown(_), _) => false,
        }
    }
}

#[component]
fn Device(
    /// The device.
    device: ListedDevice,
    /// Where the list is shown.
    devices: RwSignal<Devices>,
) -> impl IntoView {
    let ListedDevice { id, name, is_this, last_seen, revoked_at } = device;
    let name = name.unwrap_or_else(|| "A device without a name".to_owned());
    let hint = match revoked_at {
        Some(at) => format!("Revoked on {}.", clock::in_words(at)),
        None if is_this => "This device.".to_owned(),
        None => format!("Last seen on {}.", clock::in_words(last_seen)),
    };
    let action = match (is_this, revoked_at) {
        (true, _) => view! { <Rename name=name.clone() devices /> }.into_any(),
        (false, None) => view! { <ShutOut id name=name.clone() devices /> }.into_any(),
        (false, Some(_)) => view! { <span class="badge" data-kind="caution">"Revoked"</span> }.into_any(),
    };
    view! {
        <li class="sync-device" data-testid="sync-device" data-this=is_this.to_string()>
            <div class="field">
                <span class="sync-device-name">{name}</span>
                <span class="field-hint">{hint}</span>
            </div>
            {action}
        </li>
    }
}

/// Gives this device another name.
#[component]
fn Rename(
    /// What it is called.
    name: String,
    /// Where the list is shown.
    devices: RwSignal<Devices>,
) -> impl IntoView {
    let notices = Notices::expect();
    let (is_open, text) = (RwSignal::new(false), RwSignal::new(name));
    let save = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let name = text.get_untracked().trim().to_owned();
        settle(notices, "The device was not renamed", async move {
            if !name.is_empty() {
                sync::call_this(name).await?;
            }
            look(devices);
            Ok(())
        });
    };
    let open = move |_| {
        is_open.set(true);
        request_animation_frame(|| page::focus("sync-device-name"));
    };
    view! {
        <Show
            when=move || is_open.get()
            fallback=move || {
                view! {
                    <button class="button button-small" type="button" data-testid="sync-rename" on:click=open>"Rename"</button>
                }
            }
        >
            <form class="row-buttons" on:submit=save>
                <input
                    class="input"
                    id="sync-device-name"
                    type="text"
                    maxlength="60"
                    autocomplete="off"
                    aria-label="Name of this device"
                    data-testid="sync-name-input"
                    bind:value=text
                />
                <button class="button button-small" type="submit" data-testid="sync-name-save">"Save"</button>
            </form>
        </Show>
    }
}

/// Shuts a device out, once it was asked whether that is meant.
#[component]
fn ShutOut(
    /// The device.
    id: DeviceId,
    /// What it is called.
    name: String,
    /// Where the list is shown.
    devices: RwSignal<Devices>,
) -> impl IntoView {
    let notices = Notices::expect();
    let question = format!(
        "{name} gets nothing new from now on, but keeps what it has. It still knows the key and the access token: to lock it out for good, change the key here and replace the token with the command satchel token --new."
    );
    let shut_out = move |()| {
        let (id, name) = (id.clone(), name.clone());
        settle(notices, "The device was not revoked", async move {
            sync::shut_out(id).await?;
            notices.show(NoticeKind::Success, format!("{name} is revoked."));
            look(devices);
            Ok(())
        });
    };
    view! {
        <Agreement label="Revoke" question ok="Revoke" test_id="sync-shut-out" on_agree=Callback::new(shut_out) />
    }
}
