//! The network of tools: a request goes out only to a host that the toolset declares and the user has granted.
//!
//! Whose request it is follows from the cage it came from, never from anything the request says.
//!
//! Most hosts let no page of another site read them (CORS), which a browser says only after it has asked them. What only asks, GET and
//! HEAD, is then asked once more through the server. Anything else is never sent twice, since the host may have done it although the
//! page may not read what it says: it goes through the server at once where there is one, and from here only if that has sent nothing.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use futures_util::lock::Mutex;
use satchel_core::catalog::ToolsetId;
use satchel_core::network::{self, Access, Address, AddressFault, Refused};
use satchel_core::protocol::{FETCH_ANSWER_BYTES, FetchRequest};
use satchel_core::python::{FetchAnswer, PythonCall};
use satchel_core::record::{RowKey, Toolset};
use satchel_core::store::{self, Store as _, StoreError};

use super::page;
use super::relay::{Relay, RelayError};
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::outgoing::{self, Outgoing, OutgoingError};
use crate::browser::raw_bytes::RawBytes;
use crate::browser::tab_news::{self, Topic};
use crate::browser::{clock, url};
use crate::core_worker::wish::{Question, UserAnswer};

/// A request of a tool.
pub(super) struct Asked {
    /// Names it in the answer.
    pub(super) fetch: u32,
    pub(super) method: String,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: RawBytes,
}

/// Why a tool gets no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum NetworkError {
    #[error("{0:?} is not an address")]
    BadAddress(String),
    #[error(transparent)]
    Address(#[from] AddressFault),
    #[error("the method {0:?} is one that no page may send")]
    Method(String),
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("the user did not let {toolset} reach {host}")]
    Denied {
        /// The toolset.
        toolset: ToolsetId,
        /// The host.
        host: String,
    },
    #[error(
        "{0} gave no answer to this page: it cannot be reached, it redirects, or it does not let other sites read it (CORS), which needs a connected server"
    )]
    Unreachable(String),
    #[error("{host} gave no answer to this page, and none through the server: {reason}")]
    NeitherWay {
        /// The host.
        host: String,
        /// What the server said.
        reason: String,
    },
    #[error("{host} gave no answer through the server: {reason}")]
    ThroughServer {
        /// The host.
        host: String,
        /// What the server said.
        reason: String,
    },
    #[error("the answer of {host} is larger than the limit of {FETCH_ANSWER_BYTES} bytes")]
    TooLarge {
        /// The host.
        host: String,
    },
    #[error("what the user has allowed could not be read: {0}")]
    Store(StoreError),
}

/// Its sentence is part of ours, so that it is no source beside it and is said once.
impl From<StoreError> for NetworkError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The network as the tools of one toolset have it.
pub(super) struct Network<'a> {
    call: &'a PythonCall,
    store: &'a IndexedDbStore,
    /// What the user said about each host during this call; nothing yet while the question stands. Requests that come meanwhile wait for
    /// that one answer, and a no is not asked about again.
    answers: RefCell<BTreeMap<String, Rc<Mutex<Option<bool>>>>>,
}

impl<'a> Network<'a> {
    /// For a call.
    pub(super) fn of(call: &'a PythonCall, store: &'a IndexedDbStore) -> Self {
        Self { call, store, answers: RefCell::default() }
    }

    /// Fetches something, if it may be. `asking` counts the questions that stand before the user.
    pub(super) async fn fetch(&self, asked: Asked, asking: &Cell<u32>) -> Result<Fetched, NetworkError> {
        let Asked { fetch: _, method, url: text, headers, body } = asked;
        // Judged as the browser reads it, since the browser will go there.
        let href = url::normal(&text).ok_or(NetworkError::BadAddress(text))?;
        let (address, own) = (Address::parse(&href)?, Address::parse(&url::origin())?);
        let method = network::kept_method(&method).ok_or(NetworkError::Method(method))?;
        let headers = network::kept_headers(headers);
        let granted = network::granted(self.store, &self.call.session.toolset).await?;
        match network::decide(&address, &own, &self.call.declared_hosts, &granted) {
            Access::Allowed => {}
            Access::Ask { host, private } => self.ask(host, private, asking).await?,
            Access::Refused(refused) => return Err(refused.into()),
        }
        // A request that by its method has no body must not be given one, not even an empty one.
        let only_asks = matches!(method.as_str(), "GET" | "HEAD");
        let body = Some(body).filter(|body| body.len() > 0 && !only_asks);
        let ready = Ready { host: address.granted_as(), head: FetchRequest { method, url: href, headers }, body };
        if only_asks { self.fetch_from_here_first(&ready).await } else { self.fetch_once(&ready).await }
    }

    /// For what may be asked twice.
    async fn fetch_from_here_first(&self, ready: &Ready) -> Result<Fetched, NetworkError> {
        match ready.fetch_from_here().await {
            Err(NetworkError::Unreachable(host)) => match Relay::find(self.store).await {
                Some(relay) => ready.fetch_through(&relay).await.map_err(|error| match error {
                    RelayError::NotSent(reason) | RelayError::Failed(reason) => {
                        NetworkError::NeitherWay { host, reason }
                    }
                    RelayError::TooLarge => NetworkError::TooLarge { host },
                }),
                None => Err(NetworkError::Unreachable(host)),
            },
            outcome => outcome,
        }
    }

    /// For what must not be done twice.
    async fn fetch_once(&self, ready: &Ready) -> Result<Fetched, NetworkError> {
        let Some(relay) = Relay::find(self.store).await else { return ready.fetch_from_here().await };
        let host = || ready.host.clone();
        match ready.fetch_through(&relay).await {
            Ok(fetched) => Ok(fetched),
            Err(RelayError::NotSent(_)) => ready.fetch_from_here().await,
            Err(RelayError::Failed(reason)) => Err(NetworkError::ThroughServer { host: host(), reason }),
            Err(RelayError::TooLarge) => Err(NetworkError::TooLarge { host: host() }),
        }
    }

    /// Asks the user, once for each host and call, and remembers a yes.
    async fn ask(&self, host: String, is_private: bool, asking: &Cell<u32>) -> Result<(), NetworkError> {
        let answer = Rc::clone(self.answers.borrow_mut().entry(host.clone()).or_default());
        let mut answer = answer.lock().await;
        let is_allowed = match *answer {
            Some(is_allowed) => is_allowed,
            None => *answer.insert(self.question(&host, is_private, asking).await?),
        };
        if is_allowed {
            return Ok(());
        }
        Err(NetworkError::Denied { toolset: self.call.session.toolset.clone(), host })
    }

    async fn question(&self, host: &str, is_private: bool, asking: &Cell<u32>) -> Result<bool, NetworkError> {
        let toolset = &self.call.session.toolset;
        let row: Option<Toolset> = store::get(self.store, RowKey::one(toolset.as_str())).await?;
        let question = Question::Host {
            toolset: row.map_or_else(|| toolset.to_string(), |row| row.name),
            toolset_id: toolset.to_string(),
            host: host.to_owned(),
            is_private,
            // Nobody fills secrets in for Python.
            secrets: Vec::new(),
        };
        asking.set(asking.get() + 1);
        let answer = page::ask(question).await;
        asking.set(asking.get() - 1);
        match answer {
            Some(UserAnswer::Host { is_allowed: true }) => {
                self.store.apply(network::grant(toolset, host, clock::now()), clock::now()).await?;
                tab_news::tell(Topic::Toolsets);
                Ok(true)
            }
            Some(UserAnswer::Host { is_allowed: false } | UserAnswer::Approval(_) | UserAnswer::Input { .. })
            | None => Ok(false),
        }
    }
}

/// What a request came to: its head, and its body in a buffer of its own.
type Fetched = (FetchAnswer, RawBytes);

/// A request that may be made.
struct Ready {
    /// Whom it is for, as it was granted.
    host: String,
    head: FetchRequest,
    body: Option<RawBytes>,
}

impl Ready {
    /// The page's own way.
    async fn fetch_from_here(&self) -> Result<Fetched, NetworkError> {
        let failed = |error| match error {
            OutgoingError::Unreachable => NetworkError::Unreachable(self.host.clone()),
            OutgoingError::TooLarge => NetworkError::TooLarge { host: self.host.clone() },
        };
        let FetchRequest { method, url, headers } = &self.head;
        let outgoing = Outgoing { method, href: url, headers, body: self.body.as_ref() };
        let incoming = outgoing::send(outgoing).await.map_err(failed)?;
        let answer = FetchAnswer::Response {
            status: incoming.status(),
            status_text: incoming.status_text(),
            headers: incoming.headers(),
            url: url.clone(),
        };
        let body = incoming.body(FETCH_ANSWER_BYTES, |_, _| {}).await.map_err(failed)?;
        Ok((answer, body.copied()))
    }

    /// The server's way.
    async fn fetch_through(&self, relay: &Relay) -> Result<Fetched, RelayError> {
        let (head, body) = relay.fetch(&self.head, self.body.as_ref()).await?;
        let answer = FetchAnswer::Response {
            status: head.status,
            status_text: head.status_text,
            headers: head.headers,
            url: self.head.url.clone(),
        };
        Ok((answer, body.copied()))
    }
}
