//! Files that come from outside the app and go there: picked, dropped or pasted, and downloaded.
//!
//! A [`BrowserFile`] is only a handle: its bytes are read when they are asked for, so that what is too large is refused before it
//! is in memory.

use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::raw_bytes::RawBytes;
use super::{js_error, page};

#[wasm_bindgen]
extern "C" {
    /// `File`, as far as it is needed here.
    #[derive(Clone)]
    type File;

    #[wasm_bindgen(method, getter)]
    fn name(this: &File) -> String;
    #[wasm_bindgen(method, getter)]
    fn size(this: &File) -> f64;
    #[wasm_bindgen(method, getter, js_name = webkitRelativePath)]
    fn relative_path(this: &File) -> Option<String>;
    #[wasm_bindgen(method, js_name = arrayBuffer)]
    fn array_buffer(this: &File) -> Promise;

    /// `DataTransfer`, of a drop or of the clipboard.
    type DataTransfer;

    #[wasm_bindgen(method, getter)]
    fn files(this: &DataTransfer) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn items(this: &DataTransfer) -> JsValue;
    #[wasm_bindgen(method, js_name = getData)]
    fn get_data(this: &DataTransfer, format: &str) -> String;

    /// `DataTransferItem`.
    type Item;

    #[wasm_bindgen(method, js_name = webkitGetAsEntry)]
    fn get_as_entry(this: &Item) -> Option<Entry>;

    /// `FileSystemEntry`, a file or a folder that was dropped.
    type Entry;

    #[wasm_bindgen(method, getter, js_name = isDirectory)]
    fn is_directory(this: &Entry) -> bool;
    #[wasm_bindgen(method, getter, js_name = fullPath)]
    fn full_path(this: &Entry) -> String;
    #[wasm_bindgen(method)]
    fn file(this: &Entry, found: &Function, failed: &Function);
    #[wasm_bindgen(method, js_name = createReader)]
    fn create_reader(this: &Entry) -> Reader;

    /// `FileSystemDirectoryReader`, which gives a folder in portions.
    type Reader;

    #[wasm_bindgen(method, js_name = readEntries)]
    fn read_entries(this: &Reader, found: &Function, failed: &Function);

    /// `Blob`, to be downloaded or drawn.
    type Blob;

    #[wasm_bindgen(constructor)]
    fn new(parts: &Array, options: &JsValue) -> Blob;

    #[wasm_bindgen(js_namespace = URL, js_name = createObjectURL)]
    fn create_object_url(blob: &Blob) -> String;
    #[wasm_bindgen(js_namespace = URL, js_name = revokeObjectURL)]
    fn revoke_object_url(url: &str);
}

/// A file of the user's, not yet read.
#[derive(Clone)]
pub(crate) struct BrowserFile {
    /// Where it was, as the browser tells it: its name, with folders in front where a whole folder came.
    pub(crate) path: String,
    /// How many bytes it has.
    pub(crate) size: u64,
    file: File,
}

/// A file of the user's could not be read.
#[derive(Clone, Debug, thiserror::Error)]
#[error("\"{path}\" cannot be read ({reason}); check that it is still there, and try again")]
pub(crate) struct FileError {
    path: String,
    reason: String,
}

/// What an event brought. It has to be taken while the event is handled; later the browser gives nothing any more.
pub(crate) struct Brought {
    files: Vec<BrowserFile>,
    entries: Vec<Entry>,
    text: String,
}

/// A `blob:` address for as long as this lives.
pub(crate) struct ObjectUrl(String);

impl BrowserFile {
    fn of(file: File, path: String) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size is a whole number")]
        let size = file.size() as u64;
        Self { path, size, file }
    }

    /// What JavaScript has of it.
    pub(super) fn blob(&self) -> &JsValue {
        &self.file
    }

    /// Its bytes.
    pub(crate) async fn bytes(&self) -> Result<Vec<u8>, FileError> {
        let read = JsFuture::from(self.file.array_buffer()).await;
        read.map(|buffer| Uint8Array::new(&buffer).to_vec()).map_err(|thrown| failed(&self.path, &thrown))
    }

    /// Its bytes, left where they are.
    pub(crate) async fn raw_bytes(&self) -> Result<RawBytes, FileError> {
        let read = JsFuture::from(self.file.array_buffer()).await;
        read.map(|buffer| RawBytes::of_buffer(&buffer)).map_err(|thrown| failed(&self.path, &thrown))
    }
}

/// The files that were chosen in an input, which is emptied so that the same files can be chosen again.
pub(crate) fn picked(event: &JsValue) -> Vec<BrowserFile> {
    let input = property(event, "target");
    let files = listed(&property(&input, "files"));
    // Of an input the value can only be set to nothing.
    Reflect::set(&input, &"value".into(), &"".into()).ok();
    files
}

/// What was dropped.
pub(crate) fn dropped(event: &JsValue) -> Brought {
    brought(property(event, "dataTransfer"))
}

/// What was pasted.
pub(crate) fn pasted(event: &JsValue) -> Brought {
    brought(property(event, "clipboardData"))
}

/// Whether what is dragged over the page are files.
pub(crate) fn drags_files(event: &JsValue) -> bool {
    let types = property(&property(event, "dataTransfer"), "types");
    Array::from(&types).iter().any(|kind| kind.as_string().as_deref() == Some("Files"))
}

fn brought(transfer: JsValue) -> Brought {
    if transfer.is_falsy() {
        return Brought { files: Vec::new(), entries: Vec::new(), text: String::new() };
    }
    let transfer: DataTransfer = transfer.unchecked_into();
    let items = Array::from(&transfer.items()).iter().map(JsCast::unchecked_into::<Item>).collect::<Vec<_>>();
    let entries: Vec<Entry> = items.iter().filter_map(Item::get_as_entry).collect();
    // Only folders need the longer way; plain files are there already.
    let has_folder = entries.iter().any(Entry::is_directory);
    let (files, entries) = if has_folder { (Vec::new(), entries) } else { (listed(&transfer.files()), Vec::new()) };
    Brought { files, entries, text: transfer.get_data("text/plain") }
}

impl Brought {
    /// Whether there are files, or folders.
    pub(crate) fn has_files(&self) -> bool {
        !self.files.is_empty() || !self.entries.is_empty()
    }

    /// The text that came instead of files.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// All files, those in folders included, as long as there are not more than `most`.
    pub(crate) async fn files(self, most: usize) -> Result<Vec<BrowserFile>, FileError> {
        let (mut files, mut waiting) = (self.files, self.entries);
        while let Some(entry) = waiting.pop() {
            if files.len() > most {
                break;
            }
            let path = entry.full_path().trim_start_matches('/').to_owned();
            if entry.is_directory() {
                let reader = entry.create_reader();
                loop {
                    let portion = answer(|found, failed| reader.read_entries(found, failed)).await;
                    let portion = Array::from(&portion.map_err(|thrown| failed(&path, &thrown))?);
                    if portion.length() == 0 {
                        break;
                    }
                    waiting.extend(portion.iter().map(JsCast::unchecked_into::<Entry>));
                }
            } else {
                let file = answer(|found, failed| entry.file(found, failed)).await;
                let file: File = file.map_err(|thrown| failed(&path, &thrown))?.unchecked_into();
                files.push(BrowserFile::of(file, path));
            }
        }
        Ok(files)
    }
}

/// Saves bytes under a name, where the browser keeps downloads.
pub(crate) fn download(name: &str, bytes: &RawBytes) {
    let address = ObjectUrl::of(bytes, "application/octet-stream");
    page::click_link(&address.0, name);
    // The download has the address once the click is over; a moment later it may go.
    page::when_idle(move || drop(address));
}

/// Saves bytes that are in several parts under a name.
pub(crate) fn download_parts(name: &str, parts: &[RawBytes]) {
    let address = ObjectUrl::of_parts(parts.iter().map(RawBytes::array).collect(), "application/octet-stream");
    page::click_link(&address.0, name);
    page::when_idle(move || drop(address));
}

impl ObjectUrl {
    /// An address for these bytes.
    pub(crate) fn of(bytes: &RawBytes, media_type: &str) -> Self {
        Self::of_parts(Array::of1(bytes.array()), media_type)
    }

    fn of_parts(parts: Array, media_type: &str) -> Self {
        let options = js_sys::Object::new();
        Reflect::set(&options, &"type".into(), &media_type.into()).expect("a fresh object takes properties");
        Self(create_object_url(&Blob::new(&parts, &options)))
    }

    /// The address.
    pub(crate) fn address(&self) -> &str {
        &self.0
    }
}

impl Drop for ObjectUrl {
    fn drop(&mut self) {
        revoke_object_url(&self.0);
    }
}

fn listed(files: &JsValue) -> Vec<BrowserFile> {
    if files.is_falsy() {
        return Vec::new();
    }
    let named = |file: File| {
        let path = file.relative_path().filter(|path| !path.is_empty()).unwrap_or_else(|| file.name());
        BrowserFile::of(file, path)
    };
    Array::from(files).iter().map(|file| named(file.unchecked_into())).collect()
}

/// What a function with two callbacks, one for each outcome, comes to.
async fn answer(mut ask: impl FnMut(&Function, &Function)) -> Result<JsValue, JsValue> {
    JsFuture::from(Promise::new(&mut |resolve, reject| ask(&resolve, &reject))).await
}

fn property(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into()).unwrap_or_default()
}

fn failed(path: &str, thrown: &JsValue) -> FileError {
    FileError { path: path.to_owned(), reason: js_error::describe(thrown) }
}
