//! `/api/v1/providers`: the operator's and the account's own.

use axum::http::StatusCode;
use satchel_core::protocol::ProblemCode;
use serde_json::{Value, json};

use crate::fixture::{Answer, Fixture, Setup};
use crate::sockets::Upstream;

const OPERATORS: &str = r#"
    [[provider]]
    name = "shared"
    base_url = "https://api.example.com/v1"
    format = "openai"
    key_env = "SHARED_KEY"

    [[provider]]
    name = "each their own"
    base_url = "https://api.anthropic.test"
    format = "anthropic"
    models = ["one", "two"]
    secret = "ANTHROPIC_API_KEY"

    [outbound]
    private_hosts = ["nas.local:11434"]
"#;

async fn fixture() -> Fixture {
    let environment = vec![("SHARED_KEY", "sk-operator")];
    Fixture::set_up(Setup { config: OPERATORS.to_owned(), environment, ..Setup::default() }).await
}

fn own(base_url: &str) -> Value {
    json!({"base_url": base_url, "format": "openai", "models": ["m"], "secret": "MY_KEY"})
}

fn refused(answer: &Answer, status: StatusCode, code: ProblemCode, expected: &str) {
    assert_eq!((answer.status, answer.problem()), (status, code), "{}", answer.text());
    assert!(answer.text().contains(expected), "{}", answer.text());
}

#[tokio::test]
async fn the_operators_come_first_and_then_the_accounts_own() {
    let fixture = fixture().await;
    let put = fixture.ask("PUT", "/api/v1/providers/my%20own", own("https://API.example.org:443/v1/")).await;
    let mine = json!({
        "name": "my own", "base_url": "https://api.example.org/v1", "format": "openai", "models": ["m"],
        "secret": "MY_KEY", "read_only": false, "key": "missing",
    });
    assert_eq!((put.status, put.json()), (StatusCode::OK, mine.clone()));
    fixture.ask("PUT", "/api/v1/secrets/ANTHROPIC_API_KEY", json!({"value": "sk-account"})).await;

    let list = fixture.ask("GET", "/api/v1/providers", Value::Null).await;
    let expected = json!({"providers": [
        {"name": "shared", "base_url": "https://api.example.com/v1", "format": "openai", "models": [], "secret": null,
         "read_only": true, "key": "set"},
        {"name": "each their own", "base_url": "https://api.anthropic.test", "format": "anthropic",
         "models": ["one", "two"], "secret": "ANTHROPIC_API_KEY", "read_only": true, "key": "set"},
        mine,
    ]});
    assert_eq!(list.json(), expected);
    assert!(!list.text().contains("sk-"), "{}", list.text());

    fixture.ask("DELETE", "/api/v1/providers/my%20own", Value::Null).await;
    let list = fixture.ask("GET", "/api/v1/providers", Value::Null).await;
    assert_eq!(list.json()["providers"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn the_operators_cannot_be_changed_from_the_app() {
    let fixture = fixture().await;
    let expected = "choose another name";
    let put = fixture.ask("PUT", "/api/v1/providers/shared", own("https://evil.example")).await;
    refused(&put, StatusCode::CONFLICT, ProblemCode::Conflict, expected);
    let deleted = fixture.ask("DELETE", "/api/v1/providers/shared", Value::Null).await;
    refused(&deleted, StatusCode::CONFLICT, ProblemCode::Conflict, expected);
}

#[tokio::test]
async fn accounts_do_not_see_each_others_providers() {
    let fixture = Fixture::start().await;
    let other = fixture.second_account();
    fixture.ask("PUT", "/api/v1/providers/mine", own("https://api.example.org")).await;
    let list = fixture.ask_as(&other, "GET", "/api/v1/providers", Value::Null).await;
    assert_eq!(list.json(), json!({"providers": []}));
    for path in ["/api/v1/providers/mine/models", "/api/v1/providers/%2e%2e/models"] {
        let models = fixture.ask_as(&other, "GET", path, Value::Null).await;
        refused(&models, StatusCode::NOT_FOUND, ProblemCode::NotFound, "no provider with this name");
    }
    let chat = fixture.ask_as(&other, "POST", "/api/v1/providers/mine/chat", json!({})).await;
    refused(&chat, StatusCode::NOT_FOUND, ProblemCode::NotFound, "no provider with this name");
}

/// R262: private addresses are the operator's to allow, in whatever spelling they come.
#[tokio::test]
async fn a_private_address_is_refused_when_it_is_entered() {
    let fixture = fixture().await;
    for host in
        ["127.0.0.1:11434", "localhost:11434", "192.168.1.9", "0x7f.1", "[::1]", "[::ffff:10.0.0.1]", "nas.local"]
    {
        let put = fixture.ask("PUT", "/api/v1/providers/lan", own(&format!("https://{host}/v1"))).await;
        refused(&put, StatusCode::FORBIDDEN, ProblemCode::AddressRefused, "private_hosts in satchel.toml");
    }
    let put = fixture.ask("PUT", "/api/v1/providers/lan", own("http://nas.local:11434/v1")).await;
    assert_eq!(put.status, StatusCode::OK, "{}", put.text());
}

#[tokio::test]
async fn settings_that_make_no_sense_are_refused() {
    let fixture = fixture().await;
    let refuses = async |name: &str, settings: Value, expected: &str| {
        let put = fixture.ask("PUT", &format!("/api/v1/providers/{name}"), settings).await;
        refused(&put, StatusCode::BAD_REQUEST, ProblemCode::BadRequest, expected);
    };
    refuses("p", own("api.example.org"), "has to begin with http").await;
    refuses("p", own("https://me:sk-1@api.example.org"), "user name or a password").await;
    refuses("p", own("http://api.example.org/v1"), "others could read").await;
    refuses("p", json!({"base_url": "https://a.test", "format": "morse"}), "not the JSON").await;
    refuses("p", json!({"base_url": "https://a.test", "format": "openai", "secret": "a b"}), "not the JSON").await;
    refuses("p", json!({"base_url": "https://a.test", "format": "openai", "models": [" "]}), "models").await;
    refuses("%20p", own("https://api.example.org"), "a provider's name").await;
}

#[tokio::test]
async fn models_that_are_set_are_told_without_asking() {
    let fixture = fixture().await;
    let models = fixture.ask("GET", "/api/v1/providers/each%20their%20own/models", Value::Null).await;
    assert_eq!(models.json(), json!({"models": [{"id": "one"}, {"id": "two"}]}));
}

#[tokio::test]
async fn a_provider_without_a_list_is_asked_for_its_models() {
    let upstream = Upstream::start().await;
    let config = format!("{}key_env = \"KEY\"\n", upstream.provider("local", "openai"));
    let environment = vec![("KEY", "sk-operator")];
    let fixture = Fixture::set_up(Setup { config, environment, ..Setup::default() }).await;
    let provider = async {
        let mut call = upstream.call().await;
        assert!(call.head.starts_with("GET /models HTTP/1.1\r\n"), "{}", call.head);
        assert_eq!(call.header("authorization"), Some("Bearer sk-operator"));
        let body = r#"{"data": [{"id": "llama", "context_length": 4096}]}"#;
        call.send(&format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())).await;
    };
    let (models, ()) = tokio::join!(fixture.ask("GET", "/api/v1/providers/local/models", Value::Null), provider);
    assert_eq!(models.json(), json!({"models": [{"id": "llama", "context_length": 4096}]}));
}

#[tokio::test]
async fn a_list_of_models_without_end_is_given_up() {
    let upstream = Upstream::start().await;
    let fixture = Fixture::set_up(Setup { config: upstream.provider("local", "openai"), ..Setup::default() }).await;
    let provider = async {
        let mut call = upstream.call().await;
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n").await;
        call.send(&"x".repeat(4 * 1024 * 1024 + 1)).await;
        call.is_left().await;
    };
    let (models, ()) = tokio::join!(fixture.ask("GET", "/api/v1/providers/local/models", Value::Null), provider);
    refused(&models, StatusCode::BAD_GATEWAY, ProblemCode::BadAnswer, "too long");
}
