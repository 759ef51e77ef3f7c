//! The folder of Python packages as it arrives at a browser.

use axum::http::StatusCode;
use satchel_core::python::packages::Lock;
use satchel_server::app_files::AppFiles;
use satchel_server::packages_folder::PackagesFolder;

use crate::fixture::Fixture;

/// R306: what the lock file names is served, and nothing else of the folder.
#[tokio::test]
async fn every_entry_of_the_lock_file_is_served() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = temporary.path().join("packages");
    std::fs::create_dir(&folder).expect("is writable");
    let wheel = satchel_core::bundle::archive::write(&std::collections::BTreeMap::from([(
        "a-1.0.dist-info/METADATA".to_owned(),
        b"Metadata-Version: 2.1\nName: a\nVersion: 1.0\n".to_vec(),
    )]));
    std::fs::write(folder.join("a-1.0-py3-none-any.whl"), &wheel).expect("is writable");
    std::fs::write(folder.join("notes.txt"), "private").expect("is writable");
    let packages = PackagesFolder::open(Some(&folder)).expect("is read");
    let fixture = Fixture::with_packages(temporary, AppFiles::none(), packages).await;

    let lock = fixture.get("/packages/pyodide-lock.json", &[]).await;
    let lock = Lock::parse(&lock.body).expect("is a lock file");
    assert_eq!(lock.packages.len(), 1);
    for entry in lock.packages.values() {
        let answer = fixture.get(&format!("/packages/{}", entry.file_name), &[]).await;
        assert_eq!((answer.status, answer.body.as_ref()), (StatusCode::OK, wheel.as_slice()), "{}", entry.file_name);
    }
    for other in ["notes.txt", "..%2fdata%2fsatchel.toml", "nowhere.whl"] {
        let answer = fixture.get(&format!("/packages/{other}"), &[]).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{other}");
    }
}

#[tokio::test]
async fn without_a_folder_there_is_nothing() {
    let fixture = Fixture::start().await;
    assert_eq!(fixture.get("/packages/pyodide-lock.json", &[]).await.status, StatusCode::NOT_FOUND);
}
