//! The code view: bindings to the script that `app/editor` becomes, loaded when the first text is shown.

use std::cell::RefCell;

use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Element;

use super::build::{self, BuildError};
use super::{js_error, page};

#[wasm_bindgen]
extern "C" {
    /// What the script leaves on the window.
    type Module;

    #[wasm_bindgen(method, catch)]
    fn open(this: &Module, host: &Element, options: &Object) -> Result<Handle, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn compare(
        this: &Module,
        host: &Element,
        before: &str,
        after: &str,
        language: &str,
        label: &str,
    ) -> Result<Handle, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn highlight(this: &Module, text: &str, language: &str) -> Result<Promise, JsValue>;

    type Handle;

    #[wasm_bindgen(method)]
    fn text(this: &Handle) -> String;
    #[wasm_bindgen(method)]
    fn replace(this: &Handle, text: &str);
    #[wasm_bindgen(method)]
    fn focus(this: &Handle);
    #[wasm_bindgen(method)]
    fn close(this: &Handle);
}

/// Where the script's files are.
const FOLDER: &str = "/vendor/editor-";

thread_local! {
    /// The loading that is under way or done.
    static LOADING: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

/// A code view on the screen. It goes when this is dropped.
pub(crate) struct Editor {
    handle: Handle,
    _callbacks: Vec<Closure<dyn Fn()>>,
}

/// What a code view is opened with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening<'a> {
    /// The text.
    pub(crate) text: &'a str,
    /// Its language, in the words of core.
    pub(crate) language: &'a str,
    /// What a screen reader calls it.
    pub(crate) label: &'a str,
    /// The number of its first line; a part of a text has those it has in the whole.
    pub(crate) first_line: u32,
}

/// What an editor tells.
pub(crate) struct Listener {
    /// The user changed the text.
    pub(crate) on_change: Box<dyn Fn()>,
    /// The user asks to save now.
    pub(crate) on_save: Box<dyn Fn()>,
}

/// Why there is no code view.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EditorError {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("the editor could not be started: {0}")]
    Failed(String),
}

impl Editor {
    /// Shows a text in an element; it can be edited where there is a listener.
    pub(crate) async fn open(
        host: &Element,
        Opening { text, language, label, first_line }: Opening<'_>,
        listener: Option<Listener>,
    ) -> Result<Self, EditorError> {
        let module = module().await?;
        let options = Object::new();
        let set = |name: &str, value: &JsValue| {
            Reflect::set(&options, &name.into(), value).expect("a fresh object takes properties");
        };
        set("text", &text.into());
        set("language", &language.into());
        set("label", &label.into());
        set("firstLine", &first_line.into());
        let callbacks = listener.map(|listener| {
            let [change, save] = [listener.on_change, listener.on_save].map(Closure::<dyn Fn()>::wrap);
            set("onChange", change.as_ref());
            set("onSave", save.as_ref());
            vec![change, save]
        });
        let handle = module.open(host, &options).map_err(|thrown| failed(&thrown))?;
        Ok(Self { handle, _callbacks: callbacks.unwrap_or_default() })
    }

    /// Shows what became of a text.
    pub(crate) async fn compare(
        host: &Element,
        before: &str,
        after: &str,
        language: &str,
        label: &str,
    ) -> Result<Self, EditorError> {
        let handle = module().await?.compare(host, before, after, language, label).map_err(|thrown| failed(&thrown))?;
        Ok(Self { handle, _callbacks: Vec::new() })
    }

    /// What stands there now.
    pub(crate) fn text(&self) -> String {
        self.handle.text()
    }

    /// Puts another text in its place; the listener is not told.
    pub(crate) fn replace(&self, text: &str) {
        self.handle.replace(text);
    }

    /// Takes the focus.
    pub(crate) fn focus(&self) {
        self.handle.focus();
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.handle.close();
    }
}

/// A text in pieces, each with what it is, in the words of `app/editor/highlight.ts`; no pieces where its language has no colours.
pub(crate) async fn highlighted(text: &str, language: &str) -> Result<Vec<(String, String)>, EditorError> {
    let coming = module().await?.highlight(text, language).map_err(|thrown| failed(&thrown))?;
    let pieces = JsFuture::from(coming).await.map_err(|thrown| failed(&thrown))?;
    let words: Vec<String> = Array::from(&pieces).iter().filter_map(|word| word.as_string()).collect();
    let pieces = words.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
    Ok(pieces.collect())
}

/// The script, loaded once. A failure is forgotten, so that the next text tries again.
async fn module() -> Result<Module, EditorError> {
    if let Some(module) = loaded() {
        return Ok(module);
    }
    let files = build::files_below(&build::id(), &[FOLDER]).await?;
    let path = files.into_iter().map(|file| file.path).find(|path| path.ends_with("/editor.js"));
    let path = path.ok_or_else(|| EditorError::Failed("this build has none".into()))?;
    let loading = LOADING.with_borrow_mut(|loading| loading.get_or_insert_with(|| load(&path)).clone());
    if JsFuture::from(loading).await.is_err() {
        LOADING.set(None);
        return Err(BuildError::Unreachable { path, reason: "no answer".into() }.into());
    }
    loaded().ok_or_else(|| EditorError::Failed("its script did not run".into()))
}

/// The script, where it has run already. It is looked for each time: a static binding would remember that it was not there.
fn loaded() -> Option<Module> {
    let module = Reflect::get(&page::window(), &"satchelEditor".into()).ok()?;
    module.is_object().then(|| module.unchecked_into())
}

/// Adds the script to the page.
fn load(path: &str) -> Promise {
    Promise::new(&mut |resolve: Function, reject: Function| {
        let script = page::document().create_element("script").expect("a known element can be made");
        script.set_attribute("type", "module").expect("a valid attribute");
        script.set_attribute("src", path).expect("a valid attribute");
        for (event, callback) in [("load", &resolve), ("error", &reject)] {
            script.add_event_listener_with_callback(event, callback).expect("listening to a known event does not fail");
        }
        page::document().document_element().expect("a document has a root").append_child(script.unchecked_ref()).ok();
    })
}

fn failed(thrown: &JsValue) -> EditorError {
    EditorError::Failed(js_error::describe(thrown))
}
