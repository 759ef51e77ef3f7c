//! Endpoints of models that the browser reaches by itself: a server on the user's own machine, or a provider that lets browsers in (R322).
//!
//! Where they are is a setting, and goes with the user's other settings. A key is none: it stays on its device, sealed.

use serde::{Deserialize, Serialize};

use crate::network::{Address, AddressFault};
use crate::protocol::{ProviderFormat, ProviderName};
use crate::record::{RowKey, Setting};
use crate::store::{Store, StoreError, get};

/// Under this key the endpoints are kept.
const SETTING: &str = "model_endpoints";

/// How many endpoints there may be, and how many models each may list.
const MOST_ENDPOINTS: usize = 50;
const MOST_MODELS: usize = 200;

/// An endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// What the user calls it.
    pub name: ProviderName,
    /// Where it is.
    pub base_url: EndpointUrl,
    /// What it speaks.
    pub format: ProviderFormat,
    /// The models to offer; it is asked when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// Whether it wants a key. The key itself is on the device.
    #[serde(default)]
    pub wants_key: bool,
}

/// The address of an endpoint: what precedes `/chat/completions` or `/messages`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EndpointUrl(String);

/// Why an address is none of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointUrlError {
    /// It is no address at all.
    #[error(transparent)]
    Address(#[from] AddressFault),
    /// It has more in it than a place.
    #[error("the address has a ? or a # in it; an endpoint is everything before /chat/completions or /messages")]
    Query,
    /// A key would travel in the open.
    #[error("a key sent to {0} by plain http can be read on the way; use https, or leave the key out")]
    OpenKey(String),
}

/// Why the endpoints cannot be kept like this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointsError {
    /// There are too many.
    #[error("there are already {MOST_ENDPOINTS} endpoints, the most there may be; remove one first")]
    TooMany,
    /// One has too many models.
    #[error(
        "{name} lists {count} models, and the limit is {MOST_MODELS}; list none, and the endpoint is asked for them"
    )]
    TooManyModels {
        /// The endpoint.
        name: ProviderName,
        /// How many.
        count: usize,
    },
    /// Two have one name.
    #[error("there is already an endpoint {0}; give this one another name")]
    Twice(ProviderName),
    /// An address is of no use.
    #[error(transparent)]
    Url(#[from] EndpointUrlError),
}

impl EndpointUrl {
    /// Reads an address as it was typed.
    pub fn parse(text: &str) -> Result<Self, EndpointUrlError> {
        let text = text.trim().trim_end_matches('/');
        Address::parse(text)?;
        if text.contains(['?', '#']) {
            return Err(EndpointUrlError::Query);
        }
        Ok(Self(text.to_owned()))
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Refuses to send a key where others could read it: by plain HTTP to anywhere but the user's own machine and network.
    pub fn check_key(&self) -> Result<(), EndpointUrlError> {
        let is_plain = self.0.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("http:"));
        let address = Address::parse(&self.0)?;
        if is_plain && !address.is_private() {
            return Err(EndpointUrlError::OpenKey(address.granted_as()));
        }
        Ok(())
    }
}

/// The endpoints that the user has set up, as far as they can be understood.
pub async fn endpoints(store: &impl Store) -> Result<Vec<Endpoint>, StoreError> {
    let setting = get::<Setting>(store, RowKey::one(SETTING)).await?;
    let listed = setting.and_then(|setting| setting.value.as_array().cloned()).unwrap_or_default();
    // One that cannot be read is no reason to have none.
    Ok(listed.into_iter().filter_map(|one| serde_json::from_value(one).ok()).collect())
}

/// Keeps the endpoints that the user has set up. To enter one is to agree that chats are sent there.
pub fn set_endpoints(endpoints: &[Endpoint]) -> Result<Setting, EndpointsError> {
    if endpoints.len() > MOST_ENDPOINTS {
        return Err(EndpointsError::TooMany);
    }
    for (index, endpoint) in endpoints.iter().enumerate() {
        if endpoints[..index].iter().any(|other| other.name == endpoint.name) {
            return Err(EndpointsError::Twice(endpoint.name.clone()));
        }
        if endpoint.models.len() > MOST_MODELS {
            let (name, count) = (endpoint.name.clone(), endpoint.models.len());
            return Err(EndpointsError::TooManyModels { name, count });
        }
        if endpoint.wants_key {
            endpoint.base_url.check_key()?;
        }
    }
    let value = serde_json::to_value(endpoints).expect("texts and numbers always serialise");
    Ok(Setting { key: SETTING.into(), value })
}

impl TryFrom<String> for EndpointUrl {
    type Error = EndpointUrlError;

    fn try_from(text: String) -> Result<Self, EndpointUrlError> {
        Self::parse(&text)
    }
}

impl From<EndpointUrl> for String {
    fn from(url: EndpointUrl) -> Self {
        url.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::at_once::at_once;
    use crate::ids::DeviceId;
    use crate::store::{Commit, MemoryStore};
    use crate::time::Timestamp;

    fn endpoint(name: &str, url: &str) -> Endpoint {
        Endpoint {
            name: ProviderName::parse(name).expect("is a name"),
            base_url: EndpointUrl::parse(url).expect("is an address"),
            format: ProviderFormat::OpenAi,
            models: vec![],
            wants_key: false,
        }
    }

    #[test]
    fn as_stored() {
        let ollama = Endpoint { models: vec!["qwen3:8b".into()], ..endpoint("Ollama", "http://127.0.0.1:11434/v1/") };
        let setting = set_endpoints(&[ollama]).expect("can be kept");
        insta::assert_json_snapshot!(setting, @r#"
        {
          "key": "model_endpoints",
          "value": [
            {
              "name": "Ollama",
              "base_url": "http://127.0.0.1:11434/v1",
              "format": "openai",
              "models": [
                "qwen3:8b"
              ],
              "wants_key": false
            }
          ]
        }
        "#);
    }

    /// R317: one that this version does not understand hides no other.
    #[test]
    fn what_is_kept_is_read() {
        let device = DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID");
        let store = MemoryStore::new(device);
        assert_eq!(at_once(endpoints(&store)).expect("reads"), []);
        let mine = endpoint("mine", "https://models.example/v1");
        let mut setting = set_endpoints(std::slice::from_ref(&mine)).expect("can be kept");
        setting.value.as_array_mut().expect("is a list").insert(0, serde_json::json!({"name": "of the future"}));
        at_once(store.apply(Commit::default().put(&setting), Timestamp::from_millis(1))).expect("fits");
        assert_eq!(at_once(endpoints(&store)).expect("reads"), [mine]);
    }

    #[test]
    fn what_cannot_be_kept_is_said() {
        let check = |endpoints: &[Endpoint], expected: &str| {
            assert_eq!(set_endpoints(endpoints).expect_err("is refused").to_string(), expected);
        };
        let one = endpoint("a", "http://models.example/v1");
        check(&[one.clone(), one.clone()], "there is already an endpoint a; give this one another name");
        check(
            &[Endpoint { wants_key: true, ..one }],
            "a key sent to models.example by plain http can be read on the way; use https, or leave the key out",
        );
        let many = (0..=MOST_ENDPOINTS).map(|n| endpoint(&n.to_string(), "http://localhost:1")).collect::<Vec<_>>();
        check(&many, "there are already 50 endpoints, the most there may be; remove one first");
        let at_home = Endpoint { wants_key: true, ..endpoint("home", "http://192.168.1.9:8080/v1") };
        assert!(set_endpoints(&[at_home]).is_ok());
    }

    #[test]
    fn addresses_are_places() {
        let check = |text: &str, expected: Result<&str, &str>| {
            let read = EndpointUrl::parse(text);
            let read = read.as_ref().map(EndpointUrl::as_str).map_err(ToString::to_string);
            assert_eq!(read, expected.map_err(str::to_owned), "{text}");
        };
        check(" https://a.example/v1/ ", Ok("https://a.example/v1"));
        check("http://[::1]:8080", Ok("http://[::1]:8080"));
        check(
            "https://a.example/v1?key=1",
            Err("the address has a ? or a # in it; an endpoint is everything before /chat/completions or /messages"),
        );
        check(
            "https://me:secret@a.example",
            Err("the address has a user name or a password in it; send them in a header instead"),
        );
    }
}
