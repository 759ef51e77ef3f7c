//! The service worker: registered here, told what to do from here. What it does is in `public/service-worker.js`.

use std::rc::Rc;
use std::time::Duration;

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageChannel, MessageEvent, ServiceWorkerContainer, ServiceWorkerRegistration, ServiceWorkerState};

use super::{build, clock, js_error, page, tab_roles};

/// The app as it is kept on this device.
#[derive(Clone)]
pub(crate) struct Registration(ServiceWorkerRegistration);

/// Why the app cannot be kept on this device.
#[derive(Debug, thiserror::Error)]
#[error("Satchel could not be stored for use without a network: {0}")]
pub(crate) struct RegistrationError(String);

impl Registration {
    /// Registers the service worker; a page that it does not control yet is claimed. Nothing is registered for a build
    /// that has no id, which is one made by Trunk alone for development.
    pub(crate) async fn register() -> Result<Option<Self>, RegistrationError> {
        let failed = |thrown: JsValue| RegistrationError(js_error::describe(&thrown));
        let Some(container) = container().filter(|_| !build::id().is_empty()) else { return Ok(None) };
        tab_roles::hold_build();
        let options = web_sys::RegistrationOptions::new();
        // The browser must not answer for the service worker's script from its own cache.
        Reflect::set(&options, &"updateViaCache".into(), &"none".into()).map_err(failed)?;
        let registration = container.register_with_options("/service-worker.js", &options);
        // Where service workers are blocked, some browsers answer with nothing.
        let blocked = || RegistrationError("the browser blocks service workers here".into());
        let registration: ServiceWorkerRegistration =
            JsFuture::from(registration).await.map_err(failed)?.dyn_into().map_err(|_nothing| blocked())?;
        // A hard reload leaves the page outside of the service worker's reach; it asks to be taken back.
        if let (None, Some(worker)) = (container.controller(), registration.active()) {
            tell(&worker, "claim");
        }
        Ok(Some(Self(registration)))
    }

    /// Calls back when another version is stored and waits for a yes, at once if it already does. One that the browser has put in charge by
    /// itself, when the last tab was closed, still waits for it.
    pub(crate) fn on_update_waiting(&self, callback: impl Fn() + 'static) {
        let registration = self.0.clone();
        let callback = Rc::new(callback);
        if let Some(worker) = registration.active() {
            let callback = Rc::clone(&callback);
            ask(&worker, "offer", move |is_other| {
                if is_other {
                    callback();
                }
            });
        }
        let tell = {
            let registration = registration.clone();
            // The first version a browser ever stores waits for nobody; only a later one replaces something.
            move || {
                if registration.waiting().is_some() && registration.active().is_some() {
                    callback();
                }
            }
        };
        tell();
        let tell = Rc::new(tell);
        let watch_installing = move || {
            let Some(worker) = registration.installing() else { return };
            let (tell, watched) = (Rc::clone(&tell), worker.clone());
            let on_state = Closure::<dyn Fn()>::new(move || {
                if watched.state() == ServiceWorkerState::Installed {
                    tell();
                }
            });
            worker.set_onstatechange(Some(on_state.into_js_value().unchecked_ref()));
        };
        // One may be on its way already: the browser looks for updates at every navigation.
        watch_installing();
        let on_found = Closure::<dyn Fn()>::new(watch_installing);
        self.0.set_onupdatefound(Some(on_found.into_js_value().unchecked_ref()));
    }

    /// Looks for another version now.
    pub(crate) async fn look_for_update(&self) {
        if let Ok(looking) = self.0.update() {
            // What is found comes as an event; a failure is a missing network, and there will be another look.
            JsFuture::from(looking).await.ok();
        }
    }

    /// Agrees to the version that waits, and loads the page anew with it.
    pub(crate) fn take_update(&self) {
        if let Some((container, waiting)) = container().zip(self.0.waiting()) {
            let reload = Closure::once_into_js(page::reload);
            container.set_oncontrollerchange(Some(reload.unchecked_ref()));
            tell(&waiting, "activate");
        } else if let Some(in_charge) = self.0.active() {
            ask(&in_charge, "activate", |_agreed| page::reload());
        } else {
            page::reload();
        }
    }

    /// Lets the service worker drop what no tab needs, and fetch in idle time what may be needed without a network.
    pub(crate) async fn settle(&self) {
        // On the first visit the service worker is still being installed.
        let ready = container().and_then(|container| container.ready().ok());
        if let Some(ready) = ready {
            // It never rejects; where nothing can be installed, it never resolves either.
            JsFuture::from(ready).await.ok();
        }
        if let Some(worker) = self.0.active() {
            tell(&worker, "tidy");
            if !saves_data() {
                tell(&worker, "warm");
            }
        }
    }
}

/// Waits until a service worker controls this page: without one, a frame's own page cannot come from the cache, and `/local`
/// is not answered. Where none ever does (the browser allows none, the first installation failed), the wait ends after a while and the
/// network has to do.
pub(crate) async fn until_controlled(patience: Duration) {
    let Some(container) = container().filter(|container| container.controller().is_none()) else { return };
    if build::id().is_empty() {
        return;
    }
    let controlled = js_sys::Promise::new(&mut |resolve, _reject| {
        // Several may wait at a time, so none may take the one place of a handler.
        container
            .add_event_listener_with_callback("controllerchange", &resolve)
            .expect("listening to a known event does not fail");
    });
    let patience = std::pin::pin!(clock::wait(patience));
    futures_util::future::select(JsFuture::from(controlled), patience).await;
}

/// Tells the service worker anything, so that it is not taken for idle.
pub(super) fn keep_awake() {
    if let Some(worker) = container().and_then(|container| container.controller()) {
        tell(&worker, "awake");
    }
}

pub(super) fn container() -> Option<ServiceWorkerContainer> {
    let container = Reflect::get(&page::window().navigator(), &"serviceWorker".into()).ok()?;
    (!container.is_undefined()).then(|| container.unchecked_into())
}

/// Whether a service worker has this page, so that its files come from this device.
pub(super) fn has_page() -> bool {
    container().is_some_and(|container| container.controller().is_some())
}

fn tell(worker: &web_sys::ServiceWorker, what: &str) {
    worker.post_message(&message(what)).expect("a plain object can be sent");
}

/// Tells a service worker something that it answers with yes or no.
fn ask(worker: &web_sys::ServiceWorker, what: &str, on_answer: impl FnOnce(bool) + 'static) {
    let channel = MessageChannel::new().expect("a channel can always be made");
    let on_message = Closure::once_into_js(move |event: MessageEvent| on_answer(event.data().is_truthy()));
    // Setting it also opens the port.
    channel.port1().set_onmessage(Some(on_message.unchecked_ref()));
    let message = message(what);
    worker
        .post_message_with_transferable(&message, &Array::of1(&channel.port2()))
        .expect("a plain object and a fresh port can be sent");
}

fn message(what: &str) -> Object {
    let message = Object::new();
    Reflect::set(&message, &"type".into(), &what.into()).expect("a fresh object takes properties");
    message
}

fn saves_data() -> bool {
    let connection = Reflect::get(&page::window().navigator(), &"connection".into()).unwrap_or_default();
    connection.is_object() && Reflect::get(&connection, &"saveData".into()).is_ok_and(|saves| saves.is_truthy())
}
