//! The browser's file system for this site, as far as it is needed for models: one folder of files.

use js_sys::{Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::browser::js_error;

#[wasm_bindgen]
extern "C" {
    /// The global one, in the page as in a worker.
    type Navigator;

    #[wasm_bindgen(thread_local_v2, js_name = navigator)]
    static NAVIGATOR: Navigator;

    #[wasm_bindgen(method, getter)]
    fn storage(this: &Navigator) -> StorageManager;

    type StorageManager;

    #[wasm_bindgen(method, catch, js_name = getDirectory)]
    fn get_directory(this: &StorageManager) -> Result<Promise, JsValue>;

    /// `FileSystemDirectoryHandle`.
    type DirectoryHandle;

    #[wasm_bindgen(method, js_name = getDirectoryHandle)]
    fn get_directory_handle(this: &DirectoryHandle, name: &str, options: &JsValue) -> Promise;
    #[wasm_bindgen(method, js_name = getFileHandle)]
    fn get_file_handle(this: &DirectoryHandle, name: &str, options: &JsValue) -> Promise;
    #[wasm_bindgen(method, js_name = removeEntry)]
    fn remove_entry(this: &DirectoryHandle, name: &str) -> Promise;
    #[wasm_bindgen(method)]
    fn keys(this: &DirectoryHandle) -> js_sys::AsyncIterator;

    /// `FileSystemFileHandle`.
    type FileHandle;

    #[wasm_bindgen(method, js_name = getFile)]
    fn get_file(this: &FileHandle) -> Promise;
    #[wasm_bindgen(method, js_name = createWritable)]
    fn create_writable(this: &FileHandle) -> Promise;

    /// `FileSystemWritableFileStream`. What is written is there only once it is closed.
    type WritableStream;

    #[wasm_bindgen(method)]
    fn write(this: &WritableStream, data: &JsValue) -> Promise;
    #[wasm_bindgen(method)]
    fn close(this: &WritableStream) -> Promise;
    #[wasm_bindgen(method)]
    fn abort(this: &WritableStream) -> Promise;

    /// A `File`, or a part of one. Its bytes stay where they are until they are asked for.
    #[derive(Clone)]
    pub(super) type Blob;

    #[wasm_bindgen(method, getter)]
    fn size(this: &Blob) -> f64;
    #[wasm_bindgen(method, getter, js_name = lastModified)]
    pub(super) fn last_modified(this: &Blob) -> f64;
    #[wasm_bindgen(method)]
    fn slice(this: &Blob, from: f64, to: f64) -> Blob;
    #[wasm_bindgen(method, js_name = arrayBuffer)]
    fn array_buffer(this: &Blob) -> Promise;
}

/// Why a file could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FileSystemError {
    /// There is no such file.
    #[error("the file is not there")]
    NotFound,
    /// There is no room.
    #[error("the browser has no room left for it")]
    NoRoom,
    /// Another tab has it open.
    #[error("another tab is using the file; close it and try again")]
    InUse,
    /// Anything else.
    #[error("the browser refused: {0}")]
    Refused(String),
}

/// The folder of models.
pub(super) struct Folder(DirectoryHandle);

/// A file that is being written. It is not there until it is [closed](Writing::close), and never if this is dropped before.
pub(super) struct Writing {
    stream: Option<WritableStream>,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "sizes are whole, positive and far below 2^53"
)]
impl Blob {
    /// How many bytes it has.
    pub(super) fn bytes(&self) -> u64 {
        self.size() as u64
    }

    /// A part of it.
    pub(super) fn part(&self, from: u64, to: u64) -> Self {
        self.slice(from as f64, to as f64)
    }

    /// Its bytes.
    pub(super) async fn read(&self) -> Result<Vec<u8>, FileSystemError> {
        let buffer = JsFuture::from(self.array_buffer()).await.map_err(|thrown| failed(&thrown))?;
        Ok(Uint8Array::new(&buffer).to_vec())
    }
}

impl Folder {
    /// The folder of this name; it is made where it is not there.
    pub(super) async fn open(name: &str) -> Result<Self, FileSystemError> {
        let root = NAVIGATOR.with(|navigator| navigator.storage().get_directory()).map_err(|thrown| failed(&thrown))?;
        let root: DirectoryHandle = settled(root).await?;
        settled(root.get_directory_handle(name, &create())).await.map(Self)
    }

    /// The names of all files.
    pub(super) async fn names(&self) -> Result<Vec<String>, FileSystemError> {
        let (iterator, mut names) = (self.0.keys(), Vec::new());
        loop {
            let step: JsValue = settled(iterator.next().map_err(|thrown| failed(&thrown))?).await?;
            let Some(name) = Reflect::get(&step, &"value".into()).ok().and_then(|name| name.as_string()) else { break };
            names.push(name);
        }
        Ok(names)
    }

    /// A file.
    pub(super) async fn file(&self, name: &str) -> Result<Blob, FileSystemError> {
        let handle: FileHandle = settled(self.0.get_file_handle(name, &JsValue::UNDEFINED)).await?;
        settled(handle.get_file()).await
    }

    /// Begins to write a file, in the place of one that may be there.
    pub(super) async fn write(&self, name: &str) -> Result<Writing, FileSystemError> {
        let handle: FileHandle = settled(self.0.get_file_handle(name, &create())).await?;
        let stream = settled(handle.create_writable()).await?;
        Ok(Writing { stream: Some(stream) })
    }

    /// Deletes a file; one that is not there is none to delete.
    pub(super) async fn remove(&self, name: &str) -> Result<(), FileSystemError> {
        match settled::<JsValue>(self.0.remove_entry(name)).await {
            Ok(_) | Err(FileSystemError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Writing {
    /// Writes more: bytes, or a part of a file, which then never passes this program.
    pub(super) async fn add(&self, data: &JsValue) -> Result<(), FileSystemError> {
        let stream = self.stream.as_ref().expect("it is given up only when it is closed");
        settled::<JsValue>(stream.write(data)).await.map(drop)
    }

    /// Has the file be there.
    pub(super) async fn close(mut self) -> Result<(), FileSystemError> {
        let stream = self.stream.take().expect("it is closed once");
        settled::<JsValue>(stream.close()).await.map(drop)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take() {
            // What it answers is of no interest; nobody may be told that it was not waited for.
            drop(JsFuture::from(stream.abort()));
        }
    }
}

fn create() -> JsValue {
    let options = js_sys::Object::new();
    Reflect::set(&options, &"create".into(), &true.into()).expect("a fresh object takes properties");
    options.into()
}

async fn settled<T: JsCast>(promise: Promise) -> Result<T, FileSystemError> {
    JsFuture::from(promise).await.map(JsCast::unchecked_into).map_err(|thrown| failed(&thrown))
}

fn failed(thrown: &JsValue) -> FileSystemError {
    match js_error::exception_name(thrown).as_deref() {
        Some("NotFoundError") => FileSystemError::NotFound,
        Some("QuotaExceededError") => FileSystemError::NoRoom,
        Some("NoModificationAllowedError" | "InvalidStateError") => FileSystemError::InUse,
        _ => FileSystemError::Refused(js_error::describe(thrown)),
    }
}
