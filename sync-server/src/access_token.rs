//! The access token: what it is, where it is kept, and how it is replaced.
//!
//! The database knows only the SHA-256 of the token; the token itself is in one file that its owner alone can read. With 32
//! random bytes behind it, a plain hash is enough: there is nothing to guess.

use std::fmt;
use std::io;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use satchel_core::digest::BlobId;
use subtle::ConstantTimeEq as _;

use crate::data_folder::DataFolder;
use crate::database::{Database, DatabaseError, TokenStanding};
use crate::private_file::PrivateFile;

/// Bytes of randomness in a token.
const TOKEN_BYTES: usize = 32;

/// A secret that opens the API. It does not show itself in logs; [`AccessToken::reveal`] is the one way to see it.
#[derive(Clone)]
pub struct AccessToken(String);

/// SHA-256 of a token; equality takes the same time wherever the difference is.
#[derive(Clone, Copy)]
pub struct TokenHash([u8; 32]);

/// Why the access token cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The system gave no random bytes.
    #[error("the system gave no random bytes for an access token")]
    Randomness(#[source] getrandom::Error),
    /// The token's file cannot be read or written.
    #[error("cannot read or write the access token's file {path}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// The token in force; made when there is none, or when its file does not hold it any more.
pub async fn current(folder: &DataFolder, database: &Database) -> Result<AccessToken, TokenError> {
    if let Some(token) = kept(folder)?
        && let TokenStanding::Current(_) = database.token_standing(&token.hash())?
    {
        return Ok(token);
    }
    if database.has_token().await? {
        tracing::warn!(
            "the file with the access token is missing or damaged, so a new token was made; browsers that hold the old one must \
             be given the new one"
        );
    }
    replace(folder, database).await
}

/// Makes a new token; the old one is refused from the moment this returns, by a running server too.
pub async fn replace(folder: &DataFolder, database: &Database) -> Result<AccessToken, TokenError> {
    let token = AccessToken::random().map_err(TokenError::Randomness)?;
    let account = database.first_account().await?;
    let (hash, kept) = (token.hash(), token.clone());
    let file = PrivateFile::new(folder.token_path());
    // Inside the transaction, so that of two replacements at once file and database keep the same one.
    let keep =
        move || file.write(kept.reveal()).map_err(|source| TokenError::File { path: file.path().to_owned(), source });
    database.replace_token(account.id, hash, keep).await?;
    Ok(token)
}

/// The token of the file, or nothing when there is no file or no token in it.
fn kept(folder: &DataFolder) -> Result<Option<AccessToken>, TokenError> {
    let file = PrivateFile::new(folder.token_path());
    let contents = file.read().map_err(|source| TokenError::File { path: file.path().to_owned(), source })?;
    let Some(contents) = contents else { return Ok(None) };
    if contents.was_open {
        tracing::warn!(
            file = %file.path().display(),
            "other users could read the access token; the file is closed to them now, and `satchel token --new` replaces the token"
        );
    }
    Ok(AccessToken::parse(&contents.text))
}

impl AccessToken {
    /// A fresh one from the system's randomness.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Reads a token; nothing when the text cannot be one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        (bytes.len() == TOKEN_BYTES).then(|| Self(text.to_owned()))
    }

    /// The token itself, for the operator's eyes and the token file.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What the database may know of it.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        TokenHash(*BlobId::of(self.0.as_bytes()).as_bytes())
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("AccessToken(hidden)")
    }
}

impl TokenHash {
    /// The bytes to store.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether stored bytes are this hash.
    #[must_use]
    pub fn matches(&self, stored: &[u8]) -> bool {
        self.0.as_slice().ct_eq(stored).into()
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("TokenHash(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_43_characters_and_differ() {
        let (one, other) = (AccessToken::random().expect("randomness"), AccessToken::random().expect("randomness"));
        assert_eq!(one.reveal().len(), 43);
        assert_ne!(one.reveal(), other.reveal());
        assert!(one.hash().matches(one.hash().as_bytes()));
        assert!(!one.hash().matches(other.hash().as_bytes()));
        assert!(!one.hash().matches(&[]));
    }

    #[test]
    fn only_a_token_reads_as_one() {
        let token = AccessToken::random().expect("randomness");
        assert!(AccessToken::parse(token.reveal()).is_some());
        for text in ["", "short", &format!("{}A", token.reveal()), &token.reveal().replace(|_| true, "!")] {
            assert!(AccessToken::parse(text).is_none(), "{text}");
        }
    }

    /// I8
    #[test]
    fn a_token_does_not_show_itself() {
        let token = AccessToken::random().expect("randomness");
        assert_eq!(format!("{token:?} {:?}", token.hash()), "AccessToken(hidden) TokenHash(hidden)");
    }

    #[tokio::test]
    async fn the_token_stays_until_it_is_replaced_or_lost() {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = DataFolder::open(temporary.path()).expect("opens");
        let database = Database::open(&folder.database_path()).expect("opens");

        let first = current(&folder, &database).await.expect("made");
        assert_eq!(current(&folder, &database).await.expect("read").reveal(), first.reveal());

        let second = replace(&folder, &database).await.expect("replaced");
        assert_eq!(current(&folder, &database).await.expect("read").reveal(), second.reveal());
        let standing = database.token_standing(&first.hash()).expect("answers");
        assert!(matches!(standing, TokenStanding::Replaced));

        std::fs::remove_file(folder.token_path()).expect("removes");
        let third = current(&folder, &database).await.expect("made again");
        assert_ne!(third.reveal(), second.reveal());
        let standing = database.token_standing(&second.hash()).expect("answers");
        assert!(matches!(standing, TokenStanding::Replaced));
    }

    #[tokio::test]
    async fn when_the_file_cannot_be_written_the_old_token_stays() {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = DataFolder::open(temporary.path()).expect("opens");
        let database = Database::open(&folder.database_path()).expect("opens");
        let token = current(&folder, &database).await.expect("made");

        std::fs::remove_file(folder.token_path()).expect("removes");
        std::fs::create_dir(folder.token_path()).expect("puts a folder in the way");
        assert!(matches!(replace(&folder, &database).await, Err(TokenError::File { .. })));
        let standing = database.token_standing(&token.hash()).expect("answers");
        assert!(matches!(standing, TokenStanding::Current(_)));
    }
}
