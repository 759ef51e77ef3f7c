//! The style sheet of everything but the first page. It arrives with the first part of the app that is drawn by it.

use std::cell::{Cell, RefCell};

use js_sys::{Function, Promise};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

use super::{build, page};

thread_local! {
    static LOADING: RefCell<Option<Promise>> = const { RefCell::new(None) };
    static IS_HERE: Cell<bool> = const { Cell::new(false) };
}

/// Brings `app/style/later.css`, as the build joined it: begun now, and waited for by the future. Where it does not arrive, things are drawn
/// without it, and the next one asks again.
pub(crate) fn later() -> impl Future<Output = ()> {
    let loading = LOADING.with_borrow_mut(|loading| loading.get_or_insert_with(|| load("/later.css")).clone());
    async {
        // A promise that was kept still takes a moment to say so.
        if IS_HERE.get() {
            return;
        }
        match JsFuture::from(loading).await {
            Ok(_) => IS_HERE.set(true),
            Err(_) => drop(LOADING.take()),
        }
    }
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
