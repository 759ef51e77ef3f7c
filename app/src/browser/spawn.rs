//! Starting work that the caller does not wait for.

/// Runs a future on this thread's event loop. Whoever spawns handles the errors inside the future.
pub(crate) fn spawn(future: impl Future<Output = ()> + 'static) {
    wasm_bindgen_futures::spawn_local(future);
}
