//! Code that arrives when it is first needed: a chunk of WebAssembly of its own. Which are chunks is decided where the page is linked, in
//! `app/src/main.rs`.

use std::pin::Pin;

/// Brings something that is code: at once when it is here, else from the device or over the network.
pub(crate) type Bring<Code> = fn() -> Pin<Box<dyn Future<Output = Result<Code, NotArrived>>>>;

/// The code could not be loaded. The browser's console says why.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("a part of the app could not be loaded; check the connection and try again")]
pub struct NotArrived;
