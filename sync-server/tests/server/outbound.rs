//! F18: what may not be reached is not reached, and what the operator lists is.

use axum::http::StatusCode;
use satchel_core::protocol::ProblemCode;
use serde_json::json;

use crate::fixture::{Fixture, Setup};
use crate::sockets::Upstream;

/// Hosts that all lead to a listener on loopback, if anyone goes there.
pub(crate) const SPELLINGS: [&str; 14] = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "017700000001",
    "0177.0.0.1",
    "127.0.0.1.",
    "0.0.0.0",
    "0",
    "localhost",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::]",
];

/// A listener that nobody may connect to.
pub(crate) struct Canary(std::net::TcpListener);

impl Canary {
    pub(crate) fn start() -> Self {
        let listener = std::net::TcpListener::bind("0.0.0.0:0").expect("listens");
        listener.set_nonblocking(true).expect("can be asked without waiting");
        Self(listener)
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.local_addr().expect("is bound").port()
    }

    pub(crate) fn is_untouched(&self) {
        assert!(self.0.accept().is_err(), "somebody connected");
    }
}

/// Stores a provider behind the API's back, as an older version or a changed configuration may have left it.
fn store(fixture: &Fixture, base_url: &str) {
    let settings = json!({"base_url": base_url, "format": "openai"}).to_string();
    let connection = rusqlite::Connection::open(fixture.folder.database_path()).expect("opens");
    connection
        .execute("INSERT OR REPLACE INTO providers SELECT id, 'own', ?1, 1 FROM accounts LIMIT 1", [settings])
        .expect("writes");
}

/// R262: the spelling of an address makes no difference, and neither does how the provider came to be stored.
#[tokio::test]
async fn this_machine_is_out_of_reach_in_every_spelling() {
    let canary = Canary::start();
    let names = vec![("localhost", "127.0.0.1")];
    let fixture = Fixture::set_up(Setup { names, ..Setup::default() }).await;
    for host in SPELLINGS {
        let base_url = format!("http://{host}:{}", canary.port());
        let put = fixture.ask("PUT", "/api/v1/providers/own", json!({"base_url": base_url, "format": "openai"})).await;
        assert_eq!((put.status, put.problem()), (StatusCode::FORBIDDEN, ProblemCode::AddressRefused), "{host}");
        store(&fixture, &base_url);
        let chat = fixture.ask("POST", "/api/v1/providers/own/chat", json!({})).await;
        assert_eq!((chat.status, chat.problem()), (StatusCode::FORBIDDEN, ProblemCode::AddressRefused), "{host}");
    }
    canary.is_untouched();
}

/// R262: a public name that leads to this machine is found out when it is looked up, whoever chose it.
#[tokio::test]
async fn a_public_name_does_not_lead_inside() {
    let canary = Canary::start();
    let names = [
        ("one.example", "127.0.0.1"),
        ("two.example", "::ffff:127.0.0.1"),
        ("three.example", "0.0.0.0"),
        ("four.example", "::1"),
        ("five.example", "127.8.8.8"),
    ];
    let provider = |(name, _): &(&str, &str)| {
        format!(
            "[[provider]]\nname = \"{name}\"\nbase_url = \"http://{name}:{}\"\nformat = \"openai\"\n",
            canary.port()
        )
    };
    let config = names.iter().map(provider).collect();
    let fixture = Fixture::set_up(Setup { config, names: names.to_vec(), ..Setup::default() }).await;
    for (name, _) in names {
        let own = json!({"base_url": format!("https://{name}:{}", canary.port()), "format": "openai"});
        let put = fixture.ask("PUT", "/api/v1/providers/own", own).await;
        assert_eq!(put.status, StatusCode::OK, "{name} looks public: {}", put.text());
        for provider in [name, "own"] {
            let chat = fixture.ask("POST", &format!("/api/v1/providers/{provider}/chat"), json!({})).await;
            assert_eq!((chat.status, chat.problem()), (StatusCode::FORBIDDEN, ProblemCode::AddressRefused), "{name}");
        }
    }
    canary.is_untouched();
}

/// F18: of several addresses only those are used that may be; a model in the operator's own network works once it is listed.
#[tokio::test]
async fn a_listed_host_is_reached() {
    let upstream = Upstream::start().await;
    let names = vec![("model.lan", "127.0.0.1")];
    let config = format!("[outbound]\nprivate_hosts = [\"model.lan:{}\"]\n", upstream.port());
    let fixture = Fixture::set_up(Setup { config, names, ..Setup::default() }).await;
    let own = json!({"base_url": format!("http://MODEL.lan:{}/v1", upstream.port()), "format": "openai"});
    let put = fixture.ask("PUT", "/api/v1/providers/own", own).await;
    assert_eq!(put.status, StatusCode::OK, "{}", put.text());
    let provider = async {
        let mut call = upstream.call().await;
        assert!(call.head.starts_with("POST /v1/chat/completions "), "{}", call.head);
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").await;
    };
    let (chat, ()) = tokio::join!(fixture.ask("POST", "/api/v1/providers/own/chat", json!({})), provider);
    assert_eq!((chat.status, chat.text()), (StatusCode::OK, "{}"));
}

/// A connection that the operator's provider has left open is not there for an account's own provider at the same address.
#[tokio::test]
async fn an_operators_connection_is_not_lent_to_accounts() {
    let upstream = Upstream::start().await;
    let config = upstream.provider("operators", "openai");
    let fixture = Fixture::set_up(Setup { config, ..Setup::default() }).await;
    let answer = async {
        let mut call = upstream.call().await;
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").await;
        call
    };
    let (chat, _open) = tokio::join!(fixture.ask("POST", "/api/v1/providers/operators/chat", json!({})), answer);
    assert_eq!(chat.status, StatusCode::OK);
    store(&fixture, &format!("http://127.0.0.1:{}", upstream.port()));
    let chat = fixture.ask("POST", "/api/v1/providers/own/chat", json!({})).await;
    assert_eq!((chat.status, chat.problem()), (StatusCode::FORBIDDEN, ProblemCode::AddressRefused));
}
