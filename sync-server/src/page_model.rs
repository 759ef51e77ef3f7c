//! The model that pages may fetch and run by themselves: the one file that `--model-file` names.
//!
//! It is public in the sense of its licence at best, and large: only whoever has an access token gets it.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use satchel_core::protocol::PageModelOffer;
use tokio::io::AsyncReadExt as _;

use crate::refusal::Refusal;
use crate::state::AppState;

/// How much is read at a time.
const PIECE_BYTES: usize = 256 * 1024;

/// The file, as it was found at the start.
#[derive(Debug)]
pub struct PageModelFile {
    path: PathBuf,
    offer: PageModelOffer,
}

/// Why a file cannot be offered.
#[derive(Debug, thiserror::Error)]
pub enum PageModelFileError {
    /// It cannot be read.
    #[error("cannot read {path}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no model.
    #[error("{path} is not a GGUF file")]
    NotAModel {
        /// The file.
        path: PathBuf,
    },
}

impl PageModelFile {
    /// Looks at a file; none where none is named.
    pub fn open(path: Option<&Path>) -> Result<Option<Self>, PageModelFileError> {
        let Some(path) = path.map(Path::to_owned) else { return Ok(None) };
        let mut magic = [0; 4];
        let mut look = || {
            let mut file = File::open(&path)?;
            let bytes = file.metadata()?.len();
            file.read_exact(&mut magic).or_else(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => Ok(()),
                _ => Err(error),
            })?;
            Ok(bytes)
        };
        let bytes = match look() {
            Ok(bytes) => bytes,
            Err(source) => return Err(PageModelFileError::Unreadable { path, source }),
        };
        match path.file_name().and_then(|name| name.to_str()).filter(|_| magic == *b"GGUF") {
            Some(name) => Ok(Some(Self { offer: PageModelOffer { file: name.to_owned(), bytes }, path })),
            None => Err(PageModelFileError::NotAModel { path }),
        }
    }
}

/// Says which model there is. That there is none is an answer too: every new chat asks.
pub async fn offer(State(state): State<AppState>) -> Response {
    let offer = state.page_model().map(|model| &model.offer);
    ([(header::CACHE_CONTROL, "no-store")], Json(offer)).into_response()
}

/// Gives its file.
pub async fn file(State(state): State<AppState>) -> Response {
    let Some(model) = state.page_model() else { return Refusal::NotFound.into_response() };
    let opened = async {
        let file = tokio::fs::File::open(&model.path).await?;
        let bytes = file.metadata().await?.len();
        // The app has been told another length.
        if bytes == model.offer.bytes { Ok(file) } else { Err(io::Error::other("it was changed since the start")) }
    };
    let file = match opened.await {
        Ok(file) => file,
        Err(error) => {
            tracing::error!(path = %model.path.display(), %error, "the model for pages cannot be read");
            return Refusal::Internal.into_response();
        }
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (header::CONTENT_LENGTH, HeaderValue::from(model.offer.bytes)),
        // The app keeps it where it belongs; a second copy in the browser's cache would be of no use.
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, pieces(file)).into_response()
}

fn pieces(file: tokio::fs::File) -> Body {
    Body::from_stream(stream::try_unfold(file, |mut file| async move {
        let mut piece = vec![0; PIECE_BYTES];
        let read = file.read(&mut piece).await?;
        piece.truncate(read);
        Ok::<_, io::Error>((read > 0).then(|| (Bytes::from(piece), file)))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_model_is_offered() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("m.gguf"), b"GGUF and so on").expect("is writable");
        std::fs::write(path("other.gguf"), b"PK").expect("is writable");
        let offered = PageModelFile::open(Some(&path("m.gguf"))).expect("is read").expect("there is one");
        assert_eq!(offered.offer, PageModelOffer { file: "m.gguf".into(), bytes: 14 });
        assert!(PageModelFile::open(None).expect("there is none to read").is_none());
        let refused = |name: &str| PageModelFile::open(Some(&path(name))).expect_err("is refused").to_string();
        assert!(refused("other.gguf").ends_with("other.gguf is not a GGUF file"));
        assert!(refused("nowhere.gguf").starts_with("cannot read"));
    }
}
