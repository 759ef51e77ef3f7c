//! What is sealed opens for its account, its name and its key, and for nothing else (I8).

use rusqlite::Connection;
use satchel_core::protocol::SecretName;
use satchel_server::data_folder::DataFolder;
use satchel_server::database::{AccountId, Database};
use satchel_server::vault::{KeyError, OpenError, Secret, Vault, VaultError};
use tempfile::TempDir;

/// A key that is none of the vault's.
const OTHER_KEY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A data folder with a database and one account, and a vault that can be opened and opened again.
struct Bench {
    folder: DataFolder,
    database: Database,
    account: AccountId,
    _temporary: TempDir,
}

impl Bench {
    async fn new() -> Self {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = DataFolder::open(temporary.path()).expect("opens");
        let database = Database::open(&folder.database_path()).expect("opens");
        let account = database.first_account().await.expect("an account").id;
        Self { folder, database, account, _temporary: temporary }
    }

    async fn open(&self) -> Result<Vault, VaultError> {
        Vault::open(&self.folder, &self.database, None).await
    }

    async fn put(&self, vault: &Vault, of: &str, value: &str) {
        vault.put(&self.account, &name(of), &Secret::new(value.into())).await.expect("is kept");
    }

    /// The secret as the server would use it.
    async fn get(&self, vault: &Vault, of: &str) -> Result<Option<String>, OpenError> {
        let secret = vault.get(&self.account, &name(of)).await?;
        Ok(secret.map(|secret| secret.reveal().to_owned()))
    }

    /// Changes the file behind the server's back.
    fn tamper(&self, sql: &str) {
        self.file().execute_batch(sql).expect("changes");
    }

    /// Changes the sealed bytes of one secret.
    fn tamper_with(&self, name: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
        let file = self.file();
        let sealed = file.query_row("SELECT sealed FROM secrets WHERE name = ?1", [name], |row| row.get(0));
        let changed = change(sealed.expect("is there"));
        file.execute("UPDATE secrets SET sealed = ?2 WHERE name = ?1", rusqlite::params![name, changed])
            .expect("changes");
    }

    fn file(&self) -> Connection {
        Connection::open(self.folder.database_path()).expect("opens")
    }

    fn rows(&self) -> Vec<Vec<u8>> {
        let connection = self.file();
        let mut statement = connection.prepare("SELECT sealed FROM secrets").expect("prepares");
        statement.query_map([], |row| row.get(0)).expect("queries").map(|row| row.expect("reads")).collect()
    }
}

fn name(text: &str) -> SecretName {
    SecretName::parse(text).expect("a name")
}

#[tokio::test]
async fn a_secret_survives_a_restart_and_is_not_in_the_file() {
    let bench = Bench::new().await;
    bench.put(&bench.open().await.expect("opens"), "KEY", "sk-plain-to-see").await;
    let again = bench.open().await.expect("opens again");
    assert_eq!(bench.get(&again, "KEY").await.expect("opens"), Some("sk-plain-to-see".to_owned()));
    assert_eq!(bench.get(&again, "OTHER").await.expect("nothing"), None);

    bench.database.close().await;
    let file = std::fs::read(bench.folder.database_path()).expect("reads");
    assert!(!file.windows(8).any(|window| window == b"sk-plain"));
}

#[cfg(unix)]
#[tokio::test]
async fn the_key_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new().await;
    bench.open().await.expect("opens");
    let mode = std::fs::metadata(bench.folder.vault_key_path()).expect("is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn equal_secrets_are_sealed_differently() {
    let bench = Bench::new().await;
    let vault = bench.open().await.expect("opens");
    bench.put(&vault, "ONE", "the same").await;
    bench.put(&vault, "TWO", "the same").await;
    let rows = bench.rows();
    assert_ne!(rows[0], rows[1]);
    bench.put(&vault, "ONE", "the same").await;
    assert!(!rows.contains(&bench.rows()[0]), "sealed anew each time");
}

/// What was changed anywhere, cut short or moved to another name does not open, is told as having no value, and can be entered again.
#[tokio::test]
async fn a_tampered_row_does_not_open() {
    type Change = fn(&Bench);
    let changes: [(&str, Change); 5] = [
        ("a bit of the nonce", |bench| bench.tamper_with("KEY", |bytes| flipped(bytes, 0))),
        ("a bit of the ciphertext", |bench| bench.tamper_with("KEY", |bytes| flipped(bytes, 24))),
        ("a bit of the tag", |bench| {
            bench.tamper_with("KEY", |bytes| {
                let last = bytes.len() - 1;
                flipped(bytes, last)
            })
        }),
        ("everything", |bench| bench.tamper_with("KEY", |_| Vec::new())),
        ("the name", |bench| bench.tamper("DELETE FROM secrets WHERE name = 'KEY'; UPDATE secrets SET name = 'KEY'")),
    ];
    for (what, change) in changes {
        let bench = Bench::new().await;
        let vault = bench.open().await.expect("opens");
        bench.put(&vault, "OTHER", "another").await;
        bench.put(&vault, "KEY", "sk-1").await;
        change(&bench);
        assert!(matches!(bench.get(&vault, "KEY").await, Err(OpenError::Damaged)), "{what}");
        let listed = vault.list(&bench.account).await.expect("lists");
        let key = listed.iter().find(|secret| secret.name.as_str() == "KEY").expect("is listed");
        assert!(!key.has_value, "{what}");
        bench.put(&vault, "KEY", "sk-2").await;
        assert_eq!(bench.get(&vault, "KEY").await.expect("opens"), Some("sk-2".to_owned()), "{what}");
    }
}

fn flipped(mut bytes: Vec<u8>, at: usize) -> Vec<u8> {
    bytes[at] ^= 1;
    bytes
}

#[tokio::test]
async fn another_accounts_row_does_not_open() {
    let bench = Bench::new().await;
    let vault = bench.open().await.expect("opens");
    bench.put(&vault, "KEY", "sk-1").await;
    bench.tamper(
        "INSERT INTO accounts VALUES ('0198c5a4-7c1e-7000-8000-000000000002', 'you', 0);
         UPDATE secrets SET account_id = '0198c5a4-7c1e-7000-8000-000000000002';",
    );
    // The account that was made at a time before all others is now the first.
    let other = bench.database.first_account().await.expect("an account").id;
    assert_ne!(other, bench.account);
    assert!(matches!(vault.get(&other, &name("KEY")).await, Err(OpenError::Damaged)));
    assert_eq!(bench.get(&vault, "KEY").await.expect("nothing"), None);
}

/// Another key, or none, opens nothing and writes nothing.
#[tokio::test]
async fn a_wrong_or_missing_key_is_said_and_nothing_is_overwritten() {
    let bench = Bench::new().await;
    bench.put(&bench.open().await.expect("opens"), "KEY", "sk-1").await;
    let (path, rows) = (bench.folder.vault_key_path(), bench.rows());
    let key = std::fs::read_to_string(&path).expect("reads");

    let error = Vault::open(&bench.folder, &bench.database, Some(OTHER_KEY.to_owned())).await.expect_err("is refused");
    assert!(matches!(&error, VaultError::WrongKey { place } if place.contains("SATCHEL_VAULT_KEY")), "{error}");
    std::fs::write(&path, OTHER_KEY).expect("writes");
    let error = bench.open().await.expect_err("is refused");
    assert!(matches!(&error, VaultError::WrongKey { place } if place.contains("vault-key")), "{error}");
    std::fs::write(&path, "half a ke").expect("writes");
    assert!(matches!(bench.open().await, Err(VaultError::Key(KeyError::NotAKey { .. }))));
    std::fs::remove_file(&path).expect("removes");
    let error = bench.open().await.expect_err("is refused");
    assert!(matches!(error, VaultError::NoKey { .. }), "{error}");
    assert!(!path.exists(), "no new key is made over sealed secrets");
    assert_eq!(bench.rows(), rows);

    std::fs::write(&path, key).expect("writes");
    let vault = bench.open().await.expect("opens with its own key again");
    assert_eq!(bench.get(&vault, "KEY").await.expect("opens"), Some("sk-1".to_owned()));
}

#[tokio::test]
async fn a_key_from_the_environment_needs_no_file() {
    let bench = Bench::new().await;
    let open = || Vault::open(&bench.folder, &bench.database, Some(OTHER_KEY.to_owned()));
    bench.put(&open().await.expect("opens"), "KEY", "sk-1").await;
    assert!(!bench.folder.vault_key_path().exists());
    let vault = open().await.expect("opens again");
    assert_eq!(bench.get(&vault, "KEY").await.expect("opens"), Some("sk-1".to_owned()));
    assert!(matches!(bench.open().await, Err(VaultError::NoKey { .. })));
}

/// With nothing sealed, nothing is lost with the key.
#[tokio::test]
async fn an_empty_vault_takes_a_new_key() {
    let bench = Bench::new().await;
    bench.open().await.expect("opens");
    std::fs::remove_file(bench.folder.vault_key_path()).expect("removes");
    bench.put(&bench.open().await.expect("opens with a new key"), "KEY", "sk-1").await;
    let vault = bench.open().await.expect("opens");
    assert_eq!(bench.get(&vault, "KEY").await.expect("opens"), Some("sk-1".to_owned()));
}

#[tokio::test]
async fn lost_secrets_can_be_given_up() {
    let bench = Bench::new().await;
    bench.put(&bench.open().await.expect("opens"), "KEY", "sk-1").await;
    std::fs::write(bench.folder.vault_key_path(), "half a ke").expect("writes");
    let removed = Vault::forget(&bench.folder, &bench.database, None).await.expect("forgets");
    assert_eq!(removed, 1);
    let vault = bench.open().await.expect("opens");
    assert_eq!(vault.list(&bench.account).await.expect("lists"), []);
    bench.put(&vault, "KEY", "sk-2").await;
}

#[tokio::test]
async fn neither_vault_nor_secret_shows_itself() {
    let bench = Bench::new().await;
    let vault = Vault::open(&bench.folder, &bench.database, Some(OTHER_KEY.to_owned())).await.expect("opens");
    let shown = format!("{vault:?} {:?}", Secret::new("sk-1".into()));
    assert!(shown.contains("VaultKey(hidden)") && shown.contains("Secret(hidden)"), "{shown}");
    assert!(!shown.contains("sk-1") && !shown.contains("AAAA") && !shown.contains("0, 0, 0"), "{shown}");
}
