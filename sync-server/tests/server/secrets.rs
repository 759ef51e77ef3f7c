//! `/api/v1/secrets`: what goes in does not come out (I8).

use axum::http::StatusCode;
use satchel_core::protocol::{ProblemCode, SecretList};
use serde_json::{Value, json};

use crate::fixture::{Answer, Fixture};
use crate::log::Log;

async fn names(fixture: &Fixture) -> Vec<String> {
    let answer = fixture.ask("GET", "/api/v1/secrets", Value::Null).await;
    let list: SecretList = serde_json::from_slice(&answer.body).expect("a list");
    list.secrets.iter().map(|secret| secret.name.to_string()).collect()
}

fn refused(answer: &Answer, expected: &str) {
    assert_eq!((answer.status, answer.problem()), (StatusCode::BAD_REQUEST, ProblemCode::BadRequest));
    assert!(answer.text().contains(expected), "{}", answer.text());
}

#[tokio::test]
async fn secrets_come_and_go_and_are_never_shown() {
    let fixture = Fixture::start().await;
    let put = fixture.ask("PUT", "/api/v1/secrets/B_KEY", json!({"value": "sk-canary"})).await;
    assert_eq!(
        (put.status, &put.json()["name"], &put.json()["has_value"]),
        (StatusCode::OK, &json!("B_KEY"), &json!(true))
    );
    assert_eq!(put.header("cache-control"), "no-store");
    fixture.ask("PUT", "/api/v1/secrets/A_KEY", json!({"value": "sk-canary"})).await;
    let list = fixture.ask("GET", "/api/v1/secrets", Value::Null).await;
    assert_eq!(names(&fixture).await, ["A_KEY", "B_KEY"]);
    for answer in [&put, &list] {
        assert!(!answer.text().contains("sk-canary"), "{}", answer.text());
    }
    for _ in 0..2 {
        let deleted = fixture.ask("DELETE", "/api/v1/secrets/B_KEY", Value::Null).await;
        assert_eq!((deleted.status, deleted.text()), (StatusCode::NO_CONTENT, ""));
    }
    assert_eq!(names(&fixture).await, ["A_KEY"]);
}

/// C38: the app knows by it which toolsets can be used.
#[tokio::test]
async fn the_policy_names_those_that_have_a_value() {
    let fixture = Fixture::start().await;
    let named = async || fixture.ask("GET", "/api/v1/policy", Value::Null).await.json()["secrets"].clone();
    assert_eq!(named().await, json!([]));
    fixture.ask("PUT", "/api/v1/secrets/KEY", json!({"value": "sk-canary"})).await;
    assert_eq!(named().await, json!(["KEY"]));
    let other = fixture.second_account();
    let policy = fixture.ask_as(&other, "GET", "/api/v1/policy", Value::Null).await;
    assert_eq!(policy.json()["secrets"], json!([]));
    fixture.ask("DELETE", "/api/v1/secrets/KEY", Value::Null).await;
    assert_eq!(named().await, json!([]));
}

#[tokio::test]
async fn there_is_no_way_to_read_one() {
    let fixture = Fixture::start().await;
    fixture.ask("PUT", "/api/v1/secrets/KEY", json!({"value": "sk-canary"})).await;
    let answer = fixture.ask("GET", "/api/v1/secrets/KEY", Value::Null).await;
    assert_eq!((answer.status, answer.header("allow")), (StatusCode::METHOD_NOT_ALLOWED, "PUT,DELETE"));
    assert!(!answer.text().contains("sk-canary"));
}

#[tokio::test]
async fn accounts_do_not_see_each_others_secrets() {
    let fixture = Fixture::start().await;
    let other = fixture.second_account();
    fixture.ask("PUT", "/api/v1/secrets/KEY", json!({"value": "mine"})).await;
    let list = fixture.ask_as(&other, "GET", "/api/v1/secrets", Value::Null).await;
    assert_eq!(list.json(), json!({"secrets": []}));
    fixture.ask_as(&other, "DELETE", "/api/v1/secrets/KEY", Value::Null).await;
    assert_eq!(names(&fixture).await, ["KEY"]);
}

#[tokio::test]
async fn what_cannot_be_kept_is_said_without_being_repeated() {
    let log = Log::start();
    let fixture = Fixture::start().await;
    let put = async |name: &str, body: Value| fixture.ask("PUT", &format!("/api/v1/secrets/{name}"), body).await;
    refused(&put("no-name", json!({"value": "sk-canary"})).await, "a secret's name has");
    refused(&put("KEY", json!({"value": ""})).await, "the secret is empty");
    refused(&put("KEY", json!({"value": "sk-canary".repeat(2000)})).await, "longer than 16384 bytes");
    for body in [json!({"value": 987_654_321}), json!({"sk-canary": "sk-canary"}), json!("sk-canary")] {
        let answer = put("KEY", body).await;
        refused(&answer, "is not the JSON that this address takes");
        assert!(!answer.text().contains("canary") && !answer.text().contains("987"), "{}", answer.text());
    }
    assert_eq!(names(&fixture).await, [""; 0]);
    assert!(!log.text().contains("canary"), "a secret was logged");
}

#[tokio::test]
async fn an_account_has_so_many_and_no_more() {
    let fixture = Fixture::start().await;
    for number in 0..256 {
        let answer = fixture.ask("PUT", &format!("/api/v1/secrets/KEY_{number}"), json!({"value": "x"})).await;
        assert_eq!(answer.status, StatusCode::OK);
    }
    let answer = fixture.ask("PUT", "/api/v1/secrets/ONE_MORE", json!({"value": "x"})).await;
    assert_eq!((answer.status, answer.problem()), (StatusCode::CONFLICT, ProblemCode::Conflict));
    let answer = fixture.ask("PUT", "/api/v1/secrets/KEY_7", json!({"value": "y"})).await;
    assert_eq!(answer.status, StatusCode::OK, "one that is there can be changed");
}
