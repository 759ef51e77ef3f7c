//! A style sheet that arrives with the part of the app that needs it, so that the first page does not wait for it.

use std::cell::RefCell;

use js_sys::{Function, Promise};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

use super::{build, page};

thread_local! {
    static LOADING: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

/// Brings `public/renderers.css`, once, and waits until it counts. Where it does not arrive, things are drawn without it.
pub(crate) async fn renderers() {
    let loading = LOADING.with_borrow_mut(|loading| loading.get_or_insert_with(|| load("/renderers.css")).clone());
    JsFuture::from(loading).await.ok();
}

fn load(path: &str) -> Promise {
    Promise::new(&mut |resolve: Function, reject: Function| {
        let link = page::document().create_element("link").expect("a known element can be made");
        link.set_attribute("rel", "stylesheet").expect("a valid attribute");
        link.set_attribute("href", &build::versioned(path)).expect("a valid attribute");
        for (event, callback) in [("load", &resolve), ("error", &reject)] {
            link.add_event_listener_with_callback(event, callback).expect("listening to a known event does not fail");
        }
        page::document().document_element().expect("a document has a root").append_child(link.unchecked_ref()).ok();
    })
}
