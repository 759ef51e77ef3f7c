//! The model for pages as it arrives at a browser.

use axum::http::StatusCode;
use satchel_core::protocol::PageModelOffer;
use satchel_server::page_model::PageModelFile;
use serde_json::Value;

use crate::fixture::{Fixture, Setup};

/// R302
#[tokio::test]
async fn the_model_for_pages_is_given_to_whoever_has_a_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("small.gguf");
    let contents: Vec<u8> = b"GGUF".iter().copied().chain((0..1_000_000).map(|number| (number % 251) as u8)).collect();
    std::fs::write(&path, &contents).expect("is writable");
    let page_model = PageModelFile::open(Some(&path)).expect("is read");
    let fixture = Fixture::set_up(Setup { page_model, ..Setup::default() }).await;

    let offer = fixture.ask("GET", "/api/v1/page-model", Value::Null).await;
    let offer: PageModelOffer = serde_json::from_slice(&offer.body).expect("is an offer");
    assert_eq!(offer, PageModelOffer { file: "small.gguf".into(), bytes: contents.len() as u64 });
    let file = fixture.ask("GET", "/api/v1/page-model/file", Value::Null).await;
    assert_eq!((file.status, file.body == contents), (StatusCode::OK, true));
    assert_eq!(fixture.get("/api/v1/page-model/file", &[]).await.status, StatusCode::UNAUTHORIZED);

    // What the app was told is no longer so.
    std::fs::write(&path, b"GGUF").expect("is writable");
    let changed = fixture.ask("GET", "/api/v1/page-model/file", Value::Null).await;
    assert_eq!(changed.status, StatusCode::INTERNAL_SERVER_ERROR);
}

#[tokio::test]
async fn a_server_without_one_says_so() {
    let fixture = Fixture::set_up(Setup::default()).await;
    let offer = fixture.ask("GET", "/api/v1/page-model", Value::Null).await;
    assert_eq!((offer.status, offer.json()), (StatusCode::OK, Value::Null));
    let file = fixture.ask("GET", "/api/v1/page-model/file", Value::Null).await;
    assert_eq!(file.status, StatusCode::NOT_FOUND);
}
