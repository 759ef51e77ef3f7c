//! Why an endpoint that the browser reaches by itself tells no models. A browser says little; what it lets one find out is put into
//! sentences that lead on.

use super::{ModelError, Said};

/// Why there is no list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoListing {
    /// Nobody is there.
    #[error("nothing answers at {host}; check that it is running and that the address and port are right")]
    NoAnswer {
        /// Who was asked.
        host: String,
    },
    /// Somebody is there, and the browser keeps the answer from the page.
    #[error(
        "{host} is there, but does not let this page read its answers (CORS); allow the origin {origin} in its settings. For Ollama that is \
         the variable OLLAMA_ORIGINS, in LM Studio a switch of its server. A provider that refuses browsers can be reached through a Satchel server"
    )]
    Closed {
        /// Who was asked.
        host: String,
        /// What has to be allowed.
        origin: String,
    },
    /// The browser does not even try.
    #[error(
        "this page came by https, and a browser does not let it reach {host} by plain http; give the endpoint https, or open Satchel by \
         http on the machine that runs it"
    )]
    Mixed {
        /// Who was to be asked.
        host: String,
    },
    /// It takes too long.
    #[error("{host} has not answered for {seconds} s; it may be busy, try again later")]
    Slow {
        /// Who was asked.
        host: String,
        /// How long was waited.
        seconds: u64,
    },
    /// It wants a key.
    #[error("{host} needs a key; enter the one it gave you{said}")]
    NoKey {
        /// Who was asked.
        host: String,
        /// Its words.
        said: Said,
    },
    /// It does not take the key.
    #[error("{host} does not accept the key; enter one that works{said}")]
    WrongKey {
        /// Who was asked.
        host: String,
        /// Its words.
        said: Said,
    },
    /// It has nothing at this address.
    #[error(
        "{host} has no list of models at {address}; check the address, which for OpenAI's format usually ends with /v1, or name the models yourself"
    )]
    NotThere {
        /// Who was asked.
        host: String,
        /// Where.
        address: String,
    },
    /// It answered with something else.
    #[error(
        "what {host} answers is not a list of models; check the address and the format, or name the models yourself"
    )]
    NotAList {
        /// Who was asked.
        host: String,
    },
    /// It answered with an error.
    #[error("{host} gave no list of models: {error}")]
    Failed {
        /// Who was asked.
        host: String,
        /// What it said.
        error: ModelError,
    },
    /// The key is not on this device.
    #[error("its key is not on this device; enter it in Settings")]
    KeyNotHere,
    /// The key cannot be read.
    #[error("its key cannot be used: {0}")]
    KeyUnreadable(String),
}

/// Whether a key went with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// One did.
    WithKey,
    /// None did.
    WithoutKey,
}

impl NoListing {
    /// What an answer means that is no success.
    #[must_use]
    pub fn of_response(host: &str, address: &str, keyed: Keyed, status: u16, body: &[u8]) -> Self {
        let (host, address) = (host.to_owned(), address.to_owned());
        match (ModelError::of_response(status, None, body), keyed) {
            (ModelError::Key(said), Keyed::WithKey) => Self::WrongKey { host, said },
            (ModelError::Key(said), Keyed::WithoutKey) => Self::NoKey { host, said },
            _ if matches!(status, 404 | 405) => Self::NotThere { host, address },
            (error, _) => Self::Failed { host, error },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R319
    #[test]
    fn each_answer_leads_on() {
        let check = |keyed, status, body: &str, expected: &str| {
            let found = NoListing::of_response("a.test", "https://a.test/v1/models", keyed, status, body.as_bytes());
            assert_eq!(found.to_string(), expected);
        };
        let wrong = r#"{"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}"#;
        check(Keyed::WithKey, 401, wrong, "a.test does not accept the key; enter one that works: Incorrect API key");
        check(Keyed::WithoutKey, 401, "", "a.test needs a key; enter the one it gave you: it answered 401");
        check(
            Keyed::WithoutKey,
            404,
            "<h1>not here</h1>",
            "a.test has no list of models at https://a.test/v1/models; check the address, which for OpenAI's format usually ends with /v1, \
             or name the models yourself",
        );
        check(
            Keyed::WithKey,
            503,
            r#"{"error": {"message": "Loading model"}}"#,
            "a.test gave no list of models: the provider is overloaded; wait a moment and send again: Loading model",
        );
    }
}
