//! Files as one ZIP.

use std::collections::BTreeMap;

use satchel_core::bundle::archive;
use satchel_core::digest::BlobId;
use satchel_core::local_api::{Code, Response};
use satchel_core::store::Store as _;

use super::store;

/// Packs files under these names. The bytes come with the job where the page alone has them; else they are read here.
pub(super) async fn pack(files: Vec<(String, BlobId)>, pieces: Vec<Vec<u8>>) -> Response {
    let mut contents = BTreeMap::new();
    let mut brought = pieces.into_iter();
    for (path, id) in files {
        let bytes = match brought.next() {
            Some(bytes) => Some(bytes),
            None => match read(id).await {
                Ok(bytes) => bytes,
                Err(response) => return response,
            },
        };
        let Some(bytes) = bytes.filter(|bytes| BlobId::of(bytes) == id) else {
            let words = format!("the bytes of {path:?} are damaged or not stored; run the storage check in Settings");
            return Response::refused(Code::Damaged, &words);
        };
        contents.insert(path, bytes);
    }
    Response { status: 200, headers: Vec::new(), body: archive::write(&contents) }
}

async fn read(id: BlobId) -> Result<Option<Vec<u8>>, Response> {
    let store = store::open().await.map_err(Response::failed)?;
    store.blob(id).await.map_err(Response::failed)
}
