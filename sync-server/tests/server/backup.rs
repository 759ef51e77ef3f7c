//! `satchel backup`: a whole copy while the server writes, and no secret in it unless it was asked for (I8).

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use crate::program::{Folder, Server, check_failure, run, text};

/// Backs a folder up.
fn back_up(folder: &Folder, file: &Path, more: &[&str]) -> String {
    let (data, file) = (folder.argument(), file.display().to_string());
    let arguments: Vec<&str> = ["backup", "--data", &data, &file].into_iter().chain(more.iter().copied()).collect();
    let output = run(&arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// The sealed secrets of a database.
fn sealed(database: &Path) -> Vec<Vec<u8>> {
    let connection = Connection::open(database).expect("opens");
    let mut statement = connection.prepare("SELECT sealed FROM secrets ORDER BY name").expect("prepares");
    statement.query_map([], |row| row.get(0)).expect("queries").map(|row| row.expect("reads")).collect()
}

/// A data folder with this backup as its database, and with the token that was kept apart.
fn restored(backup: &Path, from: &Folder) -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.path()).expect("makes");
    fs::copy(backup, folder.path().join("satchel.db")).expect("copies");
    fs::copy(from.path().join("access-token"), folder.path().join("access-token")).expect("copies");
    folder
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// I8, C38
#[test]
fn a_backup_has_no_secret_in_it() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    server.put_secret("FIRST_KEY", "sk-first");
    server.put_secret("SECOND_KEY", "sk-second");
    let login = b"what a login gave, sealed";
    Connection::open(folder.path().join("satchel.db"))
        .expect("opens")
        .execute("INSERT INTO mcp_logins SELECT id, 'a~a', ?1, 0 FROM accounts", [login.as_slice()])
        .expect("inserts");
    let file = folder.path().join("copy.db");
    let said = back_up(&folder, &file, &[]);
    assert!(said.ends_with("copy.db has everything except 2 secrets\n"), "{said}");

    let bytes = fs::read(&file).expect("reads");
    let kept = sealed(&folder.path().join("satchel.db"));
    assert_eq!(kept.len(), 2);
    for part in kept.iter().map(Vec::as_slice).chain([b"FIRST_KEY".as_slice(), login, server.token.as_bytes()]) {
        assert!(!contains(&bytes, part), "{:?} is in the copy", String::from_utf8_lossy(part));
    }
    let key = fs::read(folder.path().join("vault-key")).expect("reads");
    assert!(!contains(&bytes, key.trim_ascii()));
    let entries: Vec<_> =
        fs::read_dir(folder.path()).expect("lists").map(|entry| entry.expect("reads").file_name()).collect();
    let beside = entries.iter().filter(|name| name.to_string_lossy().starts_with("copy.db")).count();
    assert_eq!(beside, 1, "nothing is left beside it: {entries:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).expect("is there").permissions().mode() & 0o777, 0o600);
    }

    // The account is the same, so that its token works; the vault begins anew.
    let other = restored(&file, &folder);
    let other = Server::start(&other, &[]);
    assert_eq!(other.token, server.token);
    assert!(other.get("/api/v1/secrets", &other.token).ends_with("{\"secrets\":[]}"));
}

#[test]
fn with_secrets_they_are_sealed_and_need_their_key() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    server.put_secret("MY_KEY", "sk-1");
    let file = folder.path().join("copy.db");
    let said = back_up(&folder, &file, &["--with-secrets"]);
    assert!(said.ends_with("1 secret sealed; the key that opens secrets is not in it\n"), "{said}");
    assert_eq!(sealed(&file), sealed(&folder.path().join("satchel.db")));

    let other = restored(&file, &folder);
    check_failure(&["--port", "0", "--data", &other.argument()], 1, &["the key that opens them is missing"]);
    fs::copy(folder.path().join("vault-key"), other.path().join("vault-key")).expect("copies");
    let other = Server::start(&other, &[]);
    let listed = other.get("/api/v1/secrets", &other.token);
    assert!(listed.contains("\"has_value\":true"), "{listed}");
}

/// Copies are taken while the server writes; each is sound, and has all that was acknowledged before it began.
#[test]
fn a_backup_is_whole_while_the_server_writes() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let rounds = 8;
    std::thread::scope(|scope| {
        let (begun, begins) = std::sync::mpsc::sync_channel(0);
        let (server, folder) = (&server, &folder);
        scope.spawn(move || {
            for (round, written) in begins.into_iter().enumerate() {
                let file = folder.path().join(format!("copy-{round}.db"));
                back_up(folder, &file, &["--with-secrets"]);
                assert!(sealed(&file).len() >= written, "copy {round} has less than was acknowledged");
                let checked = Connection::open(&file)
                    .and_then(|copy| copy.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0)));
                assert_eq!(checked.expect("checks"), "ok");
            }
        });
        let mut written = 0;
        for round in 0..rounds {
            server.put_secret(&format!("KEY_{written}"), "value");
            written += 1;
            begun.send(written).expect("the other thread waits");
            // Writes go on while the copy is made.
            for _ in 0..round {
                server.put_secret(&format!("KEY_{written}"), "value");
                written += 1;
            }
        }
        drop(begun);
    });
}

#[test]
fn a_backup_replaces_nothing_and_makes_no_database() {
    let folder = Folder::new();
    let (data, file) = (folder.argument(), folder.path().join("copy.db"));
    let name = file.display().to_string();
    check_failure(&["backup", "--data", &data, &name], 2, &["there is no database at", "--data"]);
    assert!(!folder.path().join("satchel.db").exists());
    drop(Server::start(&folder, &[]));
    fs::write(&file, "an older one").expect("writes");
    check_failure(&["backup", "--data", &data, &name], 2, &["there is already a file at", "choose another name"]);
    assert_eq!(fs::read_to_string(&file).expect("reads"), "an older one");
    let nowhere = folder.path().join("no/such/folder/copy.db").display().to_string();
    check_failure(&["backup", "--data", &data, &nowhere], 1, &["cannot write the backup"]);
}
