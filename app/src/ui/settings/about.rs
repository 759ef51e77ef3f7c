//! What this is, which version, and what the keys do.

use leptos::prelude::*;

use super::section::{Section, SectionId};
use crate::state::Update;

/// The section about the app.
#[component]
pub(crate) fn AboutSection() -> impl IntoView {
    let update = Update::expect();
    view! {
        <Section id=SectionId::About about="A chat workbench that lives in a browser tab.">
            <div class="row">
                <dl class="facts">
                    <dt>"Version"</dt>
                    <dd data-testid="app-version">{env!("CARGO_PKG_VERSION")}</dd>
                    <dt>"Licence"</dt>
                    <dd>"MIT or Apache 2.0, at your option"</dd>
                </dl>
                <Show when=move || update.is_ready()>
                    <button class="button button-accent" type="button" on:click=move |_| update.take()>"Update now"</button>
                </Show>
            </div>
            <div class="row">
                <dl class="facts keys">
                    <dt><kbd>"Tab"</kbd></dt>
                    <dd>"moves to the next control; everything can be reached"</dd>
                    <dt><kbd>"←"</kbd> " " <kbd>"→"</kbd></dt>
                    <dd>"move through a choice, such as the theme"</dd>
                    <dt><kbd>"Esc"</kbd></dt>
                    <dd>"closes a pane or dialog"</dd>
                    <dt><kbd>"Shift"</kbd> " " <kbd>"Enter"</kbd></dt>
                    <dd>"starts a new line in the composer"</dd>
                </dl>
            </div>
        </Section>
    }
}
