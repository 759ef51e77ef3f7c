//! The built app, served as its own description says: content types, headers, caching, compressed copies.
//!
//! Only files that `satchel-build.json` names are served, found by their exact path; nothing in a request ever becomes a
//! path on the disk. The addresses of the app (`/`, `/ui/…`) all answer its one page.

mod description;
#[cfg(feature = "embedded-app")]
mod embedded;
mod negotiation;
mod source;

use std::path::{Path, PathBuf};

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use crate::refusal::Refusal;
use crate::state::AppState;
use description::{Description, FileEntry};
use source::{Encoding, Source};

pub use description::DescriptionError;
pub use source::EmbeddedFile;

const DESCRIPTION_PATH: &str = "/satchel-build.json";
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// On every answer when there is no app that says more.
const COMMON_HEADERS: [(HeaderName, HeaderValue); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

/// The app that is served, if there is one.
#[derive(Debug)]
pub struct AppFiles {
    app: Option<App>,
}

#[derive(Debug)]
struct App {
    description: Description,
    /// The description as it was read; it is served too.
    json: Vec<u8>,
    source: Source,
}

/// Why an app cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum AppFilesError {
    /// The folder has no description.
    #[error("there is no built app in {folder}")]
    NoApp {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The description is unusable.
    #[error(transparent)]
    Description(#[from] DescriptionError),
    /// A file is missing or has another size.
    #[error("the built app is not complete: {0} is missing or has changed")]
    Incomplete(String),
}

impl AppFiles {
    /// The app of a folder, or the one inside the program when no folder is named.
    pub fn load(folder: Option<&Path>) -> Result<Self, AppFilesError> {
        match folder {
            Some(folder) => Self::from_folder(folder),
            None => Self::inside_program(),
        }
    }

    /// The app of a folder, as `cargo xtask build` makes it.
    pub fn from_folder(folder: &Path) -> Result<Self, AppFilesError> {
        let json = std::fs::read(folder.join(description::FILE_NAME))
            .map_err(|source| AppFilesError::NoApp { folder: folder.to_owned(), source })?;
        Self::new(json, Source::Folder(folder.to_owned()))
    }

    /// An app inside a program; the files have to be sorted by path.
    pub fn from_embedded(json: &[u8], files: &'static [EmbeddedFile]) -> Result<Self, AppFilesError> {
        Self::new(json.to_vec(), Source::Embedded(files))
    }

    /// No app; its addresses say how to build it.
    #[must_use]
    pub fn none() -> Self {
        Self { app: None }
    }

    /// The name of the build that is served.
    #[must_use]
    pub fn build(&self) -> Option<&str> {
        self.app.as_ref().map(|app| app.description.build.as_str())
    }

    fn new(json: Vec<u8>, source: Source) -> Result<Self, AppFilesError> {
        let description = Description::parse(&json)?;
        let missing = description.files.iter().find(|(path, entry)| !source.holds(path, entry));
        if let Some((path, _)) = missing {
            return Err(AppFilesError::Incomplete(path.clone()));
        }
        Ok(Self { app: Some(App { description, json, source }) })
    }

    #[cfg(feature = "embedded-app")]
    fn inside_program() -> Result<Self, AppFilesError> {
        Self::from_embedded(embedded::DESCRIPTION, embedded::FILES)
    }

    #[cfg(not(feature = "embedded-app"))]
    fn inside_program() -> Result<Self, AppFilesError> {
        Ok(Self::none())
    }
}

/// Answers the app's page.
pub async fn index(State(state): State<AppState>, headers: HeaderMap) -> Response {
    match &state.files().app {
        Some(app) => app.answer("/index.html", &headers).await.unwrap_or_else(|| Refusal::NotFound.into_response()),
        None => no_app(),
    }
}

/// Answers a file of the app by its path; a person who went astray gets the app's page, with the status 404.
pub async fn file(State(state): State<AppState>, uri: Uri, headers: HeaderMap) -> Response {
    let Some(app) = &state.files().app else { return no_app() };
    if uri.path() == DESCRIPTION_PATH {
        let headers =
            [(header::CONTENT_TYPE, HeaderValue::from_static("application/json")), (header::CACHE_CONTROL, REVALIDATE)];
        return (headers, app.json.clone()).into_response();
    }
    if let Some(response) = app.answer(uri.path(), &headers).await {
        return response;
    }
    app.not_found(&headers).await
}

/// Adds the headers that go on every answer, refusals included.
pub async fn add_common_headers(State(state): State<AppState>, mut response: Response) -> Response {
    let common = match &state.files().app {
        Some(app) => app.description.common_headers.as_slice(),
        None => &COMMON_HEADERS,
    };
    for (name, value) in common {
        response.headers_mut().entry(name).or_insert_with(|| value.clone());
    }
    response
}

impl App {
    /// Answers a file, or nothing when the description does not name it.
    async fn answer(&self, path: &str, request: &HeaderMap) -> Option<Response> {
        let entry = self.description.files.get(path)?;
        if negotiation::has_version(request, &entry.etag) {
            let mut response = StatusCode::NOT_MODIFIED.into_response();
            self.describe(entry, response.headers_mut());
            return Some(response);
        }
        Some(self.send(path, entry, request).await)
    }

    async fn not_found(&self, request: &HeaderMap) -> Response {
        let page = "/404.html";
        match self.description.files.get(page) {
            Some(entry) if negotiation::is_navigation(request) => {
                let mut response = self.send(page, entry, request).await;
                if response.status() == StatusCode::OK {
                    *response.status_mut() = StatusCode::NOT_FOUND;
                    // It is the page of no address in particular: there is nothing to compare it with later.
                    response.headers_mut().remove(header::ETAG);
                }
                response
            }
            Some(_) | None => Refusal::NotFound.into_response(),
        }
    }

    async fn send(&self, path: &str, entry: &FileEntry, request: &HeaderMap) -> Response {
        let (encoding, length) = match entry.brotli_bytes {
            Some(compressed) if negotiation::accepts_brotli(request) => (Encoding::Brotli, compressed),
            Some(_) | None => (Encoding::Identity, entry.bytes),
        };
        let body = match self.source.open(path, encoding, length).await {
            Ok(body) => body,
            Err(error) => {
                tracing::error!(path, %error, "a file of the app cannot be read");
                return Refusal::Internal.into_response();
            }
        };
        let mut response = Response::new(Body::new(body));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, entry.content_type.clone());
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        if encoding == Encoding::Brotli {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
        }
        self.describe(entry, headers);
        response
    }

    /// What a 200 and a 304 both say about a file.
    fn describe(&self, entry: &FileEntry, headers: &mut HeaderMap) {
        headers.insert(header::ETAG, entry.etag.clone());
        headers.insert(header::CACHE_CONTROL, if entry.immutable { FOR_EVER } else { REVALIDATE });
        if entry.brotli_bytes.is_some() {
            headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        for (name, value) in &entry.headers {
            headers.insert(name, value.clone());
        }
    }
}

fn no_app() -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    let text = "This satchel was built without the app.\n\n\
                `cargo xtask build` makes one that has it inside; `satchel --app-dir dist` serves one from a folder.\n";
    (StatusCode::SERVICE_UNAVAILABLE, headers, text).into_response()
}
