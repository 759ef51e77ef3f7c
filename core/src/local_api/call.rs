//! A request on its way to its handler: the address taken apart, the rest as it came.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::World;
use super::query::Query;
use super::refusal::{Code, Refusal};
use crate::ids::{ChatId, IdError};
use crate::store::{Commit, Store};
use crate::sync::Stamp;

/// Everything a handler gets.
pub(super) struct Call<'a, S> {
    pub(super) store: &'a S,
    pub(super) world: &'a World<'a>,
    pub(super) parameters: Parameters,
    pub(super) query: Query,
    pub(super) body: Vec<u8>,
}

/// What stands in the place of a pattern's names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parameters(Vec<(&'static str, String)>);

impl Parameters {
    pub(super) fn insert(&mut self, name: &'static str, value: String) {
        self.0.push((name, value));
    }

    /// What stands in the place of a name, which the pattern of the route has.
    pub(super) fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| *known == name);
        &found.expect("a handler asks for the names of its own pattern").1
    }
}

impl<S: Store> Call<'_, S> {
    /// Changes the store.
    pub(super) async fn apply(&self, commit: Commit) -> Result<Stamp, Refusal> {
        Ok(self.store.apply(commit, self.world.now).await?)
    }

    /// Reads the body as JSON; an empty one stands for `{}`. `form` says in the refusal what would do.
    pub(super) fn json<T: DeserializeOwned>(&self, form: &str) -> Result<T, Refusal> {
        self.check_body(self.world.limits.json_bytes)?;
        let body: &[u8] = if self.body.is_empty() { b"{}" } else { &self.body };
        // A list would be taken for a struct, field by field.
        serde_json::from_slice::<Map<String, Value>>(body)
            .and_then(|members| serde_json::from_value(Value::Object(members)))
            .map_err(|error| Refusal::new(Code::BadRequest, format!("the body must be JSON like {form}: {error}")))
    }

    /// Refuses a body that is too large.
    pub(super) fn check_body(&self, limit: u64) -> Result<(), Refusal> {
        let size = self.body.len() as u64;
        if size > limit {
            let message = format!("the body has {size} bytes, and the limit is {limit}");
            return Err(Refusal::new(Code::TooLarge, message));
        }
        Ok(())
    }

    /// The chat that the address names.
    pub(super) fn chat_id(&self) -> Result<ChatId, Refusal> {
        self.id("id", ChatId::parse)
    }

    /// An id that the address names.
    pub(super) fn id<T>(&self, name: &str, parse: fn(String) -> Result<T, IdError>) -> Result<T, Refusal> {
        let text = self.parameters.get(name).to_owned();
        parse(text).map_err(|error| Refusal { path: Some(name.to_owned()), ..Refusal::new(Code::BadRequest, error) })
    }

    /// A fresh id.
    pub(super) fn fresh<T>(&self, parse: fn(String) -> Result<T, IdError>) -> T {
        parse((self.world.fresh_id)()).expect("a fresh id is a UUID")
    }
}
