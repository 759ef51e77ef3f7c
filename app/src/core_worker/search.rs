//! Searching, in the worker: the library is kept in its memory and follows the store when the page asks for it.

use std::rc::Rc;

use satchel_core::search::{Found, Library, Wanted};
use satchel_core::store::StoreError;
use serde::{Deserialize, Serialize};

use super::{errand, store};
use crate::browser::core_worker::scope::Done;

/// What the page asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Errand {
    /// Read what has changed.
    Follow,
    /// Find something in what was read.
    Find {
        /// What was typed.
        typed: String,
        /// How much of each kind.
        wanted: Wanted,
    },
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// Everything was read.
    Followed,
    /// What was found.
    Found(Box<Found>),
}

thread_local! {
    static LIBRARY: Rc<Library> = Rc::default();
}

/// Runs an errand.
pub(super) async fn run(errand: &str) -> Done {
    errand::run(errand, attempt).await
}

async fn attempt(errand: Errand) -> Result<(Outcome, Vec<Vec<u8>>), StoreError> {
    let (store, library) = (store::open().await?, LIBRARY.with(Rc::clone));
    let outcome = match errand {
        Errand::Follow => {
            library.follow(&store).await?;
            Outcome::Followed
        }
        Errand::Find { typed, wanted } => Outcome::Found(Box::new(library.find(&store, &typed, wanted).await?)),
    };
    Ok((outcome, Vec::new()))
}
