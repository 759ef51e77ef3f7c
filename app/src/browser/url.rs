//! Addresses, as the browser's own parser takes them apart.

use satchel_core::network::AddressParts;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Url;

/// Takes an address apart; nothing where it is none. The text is the address as the browser will use it.
pub(crate) fn parse(text: &str) -> Option<(String, AddressParts)> {
    let url = Url::new(text).ok()?;
    let parts = AddressParts {
        protocol: url.protocol(),
        hostname: url.hostname(),
        port: url.port(),
        has_credentials: !url.username().is_empty() || !url.password().is_empty(),
    };
    Some((url.href(), parts))
}

/// The address this page or worker was loaded from.
pub(crate) fn own() -> AddressParts {
    parse(&ORIGIN.with(Clone::clone)).map(|(_, parts)| parts).unwrap_or_default()
}

#[wasm_bindgen]
extern "C" {
    /// The global one, in the page as in a worker.
    #[wasm_bindgen(thread_local_v2, js_name = origin)]
    static ORIGIN: String;
}
