//! llama.cpp, and the one model that it has in memory.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc;
use futures_util::lock::Mutex;
use futures_util::{FutureExt as _, StreamExt as _, select_biased};
use js_sys::{Function, Promise, Uint8Array};
use satchel_core::model::{ModelError, PageModel, PageModelError, PageRequest, Said};
use serde_json::Value;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::file_system::Blob;
use super::{FOLDER, shelf};
use crate::browser::build::{self, BuildError};
use crate::browser::core_worker::scope;
use crate::browser::js_error;
use crate::browser::spawn::spawn;

#[wasm_bindgen]
extern "C" {
    /// Imports a module; `core-worker.js` gives it to the worker.
    #[wasm_bindgen(js_name = satchelImport)]
    fn import(path: &str) -> Promise;

    /// What `app/page-model` becomes.
    type Module;

    #[wasm_bindgen(method)]
    fn lacks(this: &Module) -> Option<String>;
    #[wasm_bindgen(method, getter, js_name = Engine)]
    fn engine(this: &Module) -> EngineClass;

    type EngineClass;

    #[wasm_bindgen(method)]
    fn load(this: &EngineClass, file: &Blob, wasm: &Uint8Array, context_tokens: f64) -> Promise;

    /// A model in memory.
    #[derive(Clone)]
    type Engine;

    #[wasm_bindgen(method)]
    fn ask(this: &Engine, body: &str, on_chunk: &Function, signal: &JsValue) -> Promise;
    #[wasm_bindgen(method)]
    fn close(this: &Engine) -> Promise;

    type AbortController;

    #[wasm_bindgen(constructor)]
    fn new() -> AbortController;
    #[wasm_bindgen(method, getter)]
    fn signal(this: &AbortController) -> JsValue;
    #[wasm_bindgen(method)]
    fn abort(this: &AbortController);
}

thread_local! {
    /// What is in memory, or on its way there.
    static LOADED: RefCell<Option<Loaded>> = const { RefCell::new(None) };
    /// Whose turn it is: one model answers one question at a time, and more would not be faster.
    static TURN: Rc<Mutex<()>> = Rc::default();
}

/// A model in memory. The loading goes on by itself when nobody waits for it any more; whoever asks next finds it.
#[derive(Clone)]
struct Loaded {
    model: PageModel,
    /// When its file was written, so that another one under the same name is noticed.
    written: f64,
    engine: Promise,
    /// Why there is none, where there is none.
    failure: Rc<RefCell<Option<ModelError>>>,
}

/// Ends a request when it is dropped.
struct Ending(AbortController);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Asks a model on this device what an OpenAI-shaped server would be asked; the pieces of the answer are what such a server would stream.
/// Dropping the future stops the answer. The model is loaded first where it is not in memory, in the place of another one.
pub(crate) async fn ask(model: &str, body: &Value, mut on_piece: impl FnMut(Vec<u8>)) -> Result<(), ModelError> {
    let turn = TURN.with(Rc::clone);
    let _turn = turn.lock().await;
    let (engine, model) = loaded(model).await?;
    let PageRequest { body, mut answer } = PageRequest::new(body, model.knows_tools);
    let (sender, mut chunks) = mpsc::unbounded::<String>();
    let on_chunk = Closure::<dyn Fn(String)>::new(move |chunk| {
        // Who listens ends only together with this.
        sender.unbounded_send(chunk).ok();
    });
    let ending = Ending(AbortController::new());
    let asked = engine.ask(&body.to_string(), on_chunk.as_ref().unchecked_ref(), &ending.0.signal());
    let mut asked = JsFuture::from(asked).fuse();
    let mut give = |chunk: String| {
        if let Ok(chunk) = serde_json::from_str(&chunk) {
            on_piece(answer.read(&chunk));
        }
    };
    let ended = loop {
        select_biased! {
            chunk = chunks.next() => chunk.into_iter().for_each(&mut give),
            ended = asked => break ended,
        }
    };
    // The last chunks and the end come at the same time.
    while let Ok(chunk) = chunks.try_recv() {
        give(chunk);
    }
    if let Err(thrown) = ended {
        // What has failed once may be in any state.
        unload();
        return Err(PageModelError::of_answering(&words(&thrown)));
    }
    on_piece(answer.end());
    Ok(())
}

/// The model of this name in memory.
async fn loaded(name: &str) -> Result<(Engine, PageModel), ModelError> {
    let damaged = |error: super::file_system::FileSystemError| PageModelError::Damaged(Said::new(&error.to_string()));
    let found = shelf::open(name).await.map_err(damaged)?;
    let Some((file, model)) = found else {
        // Its file was deleted; its memory is given back too.
        if LOADED.with_borrow(|loaded| loaded.as_ref().is_some_and(|loaded| loaded.model.name == name)) {
            unload();
        }
        return Err(PageModelError::NotHere.into());
    };
    let written = file.last_modified();
    let is_same = |loaded: &Loaded| loaded.model == model && loaded.written.total_cmp(&written).is_eq();
    let loaded = match LOADED.with_borrow(|loaded| loaded.clone().filter(is_same)) {
        Some(loaded) => loaded,
        None => {
            unload();
            let loaded = begin(file, model, written);
            LOADED.set(Some(loaded.clone()));
            loaded
        }
    };
    match JsFuture::from(loaded.engine).await {
        Ok(engine) => Ok((engine.unchecked_into(), loaded.model)),
        Err(thrown) => {
            LOADED.set(None);
            let failure = loaded.failure.take();
            Err(failure.unwrap_or_else(|| PageModelError::of_loading(&words(&thrown)).into()))
        }
    }
}

/// Begins to load a model.
fn begin(file: Blob, model: PageModel, written: f64) -> Loaded {
    let failure: Rc<RefCell<Option<ModelError>>> = Rc::default();
    let engine = future_to_promise({
        let (failure, context_tokens) = (Rc::clone(&failure), model.context_tokens);
        async move {
            let loading = load(&file, context_tokens).await;
            loading.map(JsValue::from).map_err(|error| {
                failure.replace(Some(error));
                JsValue::UNDEFINED
            })
        }
    });
    Loaded { model, written, engine, failure }
}

async fn load(file: &Blob, context_tokens: u64) -> Result<Engine, ModelError> {
    let not_fetched = |error: BuildError| PageModelError::NotFetched(Said::new(&error.to_string()));
    let files = build::files_below(&scope::build(), &[FOLDER]).await.map_err(not_fetched)?;
    let named = |ending: &str| {
        let missing = || PageModelError::NotFetched(Said::new("this build has none"));
        files.iter().find(|file| file.path.ends_with(ending)).ok_or_else(missing)
    };
    let module = JsFuture::from(import(&named(".js")?.path)).await;
    let module = module.map_err(|thrown| PageModelError::NotFetched(Said::new(&js_error::describe(&thrown))))?;
    let module: Module = module.unchecked_into();
    if let Some(lack) = module.lacks() {
        return Err(PageModelError::Unable(what_is_missing(&lack)).into());
    }
    let wasm = named(".wasm")?.raw_bytes().await.map_err(not_fetched)?;
    #[expect(clippy::cast_precision_loss, reason = "it is some thousands")]
    let loading = module.engine().load(file, wasm.array(), context_tokens as f64);
    let loaded = JsFuture::from(loading).await;
    Ok(loaded.map_err(|thrown| PageModelError::of_loading(&words(&thrown)))?.unchecked_into())
}

/// Gives the memory back.
fn unload() {
    let Some(old) = LOADED.take() else { return };
    spawn(async move {
        if let Ok(engine) = JsFuture::from(old.engine).await {
            JsFuture::from(engine.unchecked_into::<Engine>().close()).await.ok();
        }
    });
}

fn what_is_missing(word: &str) -> &'static str {
    match word {
        "64-bit memory" => "WebAssembly with 64-bit memory",
        "SIMD" => "WebAssembly with SIMD",
        _ => "WebAssembly with exceptions",
    }
}

/// What was thrown, without the name of its kind.
fn words(thrown: &JsValue) -> String {
    match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => js_error::describe(thrown),
    }
}
