//! Configurations as the programs write them.

use serde_json::{Value, json};

use super::{AskedValue, PasteKnown, PasteLimits, Pasted, Renamed};
use crate::protocol::SecretName;

fn read(text: &str) -> Pasted {
    Pasted::read(text, &PasteKnown::default(), &PasteLimits::default()).expect("is read")
}

/// The one server of a configuration.
fn check(text: &str, name: &str, config: Value) {
    let read = read(text);
    let servers: Vec<(&str, &Value)> = read.servers.iter().map(|one| (one.name.as_str(), &one.config)).collect();
    assert_eq!(servers, [(name, &config)], "{text}");
}

fn refused(text: &str, expected: &str) {
    let error = Pasted::read(text, &PasteKnown::default(), &PasteLimits::default()).expect_err("is refused");
    assert_eq!(error.to_string(), expected, "{text}");
}

fn asked(name: &str, servers: &[&str]) -> AskedValue {
    AskedValue {
        name: SecretName::parse(name).expect("is a name"),
        description: None,
        hidden: false,
        options: vec![],
        default: None,
        servers: servers.iter().map(ToString::to_string).collect(),
    }
}

/// R318: Claude and Cursor.
#[test]
fn mcp_servers_are_read() {
    check(
        r#"{"mcpServers": {"memory": {"command": "npx", "args": ["-y", "server-memory", 7], "cwd": "/srv"}}}"#,
        "memory",
        json!({"command": "npx", "args": ["-y", "server-memory", "7"], "cwd": "/srv"}),
    );
    for transport in ["http", "streamable-http", "streamableHttp", "streamable_http"] {
        check(
            &format!(r#"{{"mcpServers": {{"web": {{"type": "{transport}", "url": "https://x.test/mcp"}}}}}}"#),
            "web",
            json!({"url": "https://x.test/mcp", "transport": "streamable-http"}),
        );
    }
    check(
        r#"{"mcpServers": {"old": {"transport": "sse", "url": "http://x.test/sse", "headers": {"X-Team": "a"}}}}"#,
        "old",
        json!({"url": "http://x.test/sse", "transport": "sse", "headers": {"X-Team": "a"}}),
    );
    let read = read(r#"{"mcpServers": {"off": {"command": "x", "disabled": true, "autoApprove": ["read"]}}}"#);
    assert!(!read.servers[0].enabled);
    assert_eq!(
        read.remarks,
        ["off: autoApprove is not taken over: here you choose tool by tool which may run without asking"]
    );
}

/// R318: VS Code, whose inputs are asked for.
#[test]
fn inputs_are_asked_for() {
    let text = r#"
    {
      // the team's servers
      "inputs": [
        {"type": "promptString", "id": "perplexity-key", "description": "Perplexity API key", "password": true},
        {"type": "pickString", "id": "region", "options": ["eu", {"label": "America", "value": "us"}], "default": "eu"},
      ],
      "servers": {
        "perplexity": {"type": "stdio", "command": "npx", "args": ["--region=${input:region}"],
                       "env": {"PERPLEXITY_API_KEY": "${input:perplexity-key}", "HOME_DIR": "${env:HOME}"}},
        "second": {"type": "http", "url": "https://x.test/${input:region}/mcp", "envFile": ".env"},
      },
    }"#;
    let read = read(text);
    assert_eq!(
        read.servers[0].config,
        json!({
            "command": "npx",
            "args": ["--region=${REGION}"],
            "env": {"PERPLEXITY_API_KEY": "${PERPLEXITY_KEY}", "HOME_DIR": "${HOME}"},
        })
    );
    let key = AskedValue {
        description: Some("Perplexity API key".into()),
        hidden: true,
        ..asked("PERPLEXITY_KEY", &["perplexity"])
    };
    let region = AskedValue {
        options: vec!["eu".into(), "us".into()],
        default: Some("eu".into()),
        ..asked("REGION", &["perplexity", "second"])
    };
    assert_eq!(read.asked, [region, key, asked("HOME", &["perplexity"])]);
    assert_eq!(read.remarks, ["second: the file of envFile cannot be read here: enter its values as secrets"]);
    // The same below `mcp` of the settings.
    check(r#"{"mcp": {"servers": {"a": {"command": "x"}}}}"#, "a", json!({"command": "x", "args": []}));
}

/// R318: OpenCode.
#[test]
fn open_code_is_read() {
    check(
        r#"{"$schema": "x", "mcp": {"local": {"type": "local", "command": ["bun", "x", "server"], "environment": {"A": "{env:B}"}, "enabled": true}}}"#,
        "local",
        json!({"command": "bun", "args": ["x", "server"], "env": {"A": "${B}"}}),
    );
    check(
        r#"{"mcp": {"far": {"type": "remote", "url": "https://x.test/mcp", "headers": {"Authorization": "Bearer {env:KEY}"}}}}"#,
        "far",
        json!({"url": "https://x.test/mcp", "transport": "streamable-http", "headers": {"Authorization": "Bearer ${KEY}"}}),
    );
}

/// What people copy out of a page: one server with or without its name, and with the braces left out.
#[test]
fn parts_are_read() {
    check(
        r#"{"command": "uvx", "args": ["mcp-server-fetch"]}"#,
        "mcp-server-fetch",
        json!({"command": "uvx", "args": ["mcp-server-fetch"]}),
    );
    check(r#"{"fetch": {"command": "uvx"}}"#, "fetch", json!({"command": "uvx", "args": []}));
    check(r#""fetch": {"command": "uvx",},"#, "fetch", json!({"command": "uvx", "args": []}));
}

/// R318, I8: a secret that is written out goes to the vault, and a placeholder stands for it; what has that name already keeps it.
#[test]
fn secrets_are_taken_out() {
    let text = r#"{"mcpServers": {
        "one": {"command": "x", "env": {"API_KEY": "hunter2hunter2", "MODE": "fast"}},
        "two": {"command": "y", "env": {"API_KEY": "other-secret"}},
        "web": {"url": "https://x.test/mcp?token=abc", "headers": {"Authorization": "Bearer s3cret"}}}}"#;
    let read = read(text);
    let configs: Vec<&Value> = read.servers.iter().map(|one| &one.config).collect();
    assert_eq!(configs[0], &json!({"command": "x", "args": [], "env": {"API_KEY": "${API_KEY}", "MODE": "fast"}}));
    assert_eq!(configs[1], &json!({"command": "y", "args": [], "env": {"API_KEY": "${TWO_API_KEY}"}}));
    assert_eq!(
        configs[2],
        &json!({
            "url": "https://x.test/mcp?token=${WEB_TOKEN}",
            "transport": "streamable-http",
            "headers": {"Authorization": "Bearer ${WEB_AUTHORIZATION}"},
        })
    );
    let secrets: Vec<(&str, &str)> = (read.servers.iter().flat_map(|one| &one.secrets))
        .map(|(name, value)| (name.as_str(), value.reveal()))
        .collect();
    let expected = [
        ("API_KEY", "hunter2hunter2"),
        ("TWO_API_KEY", "other-secret"),
        ("WEB_TOKEN", "abc"),
        ("WEB_AUTHORIZATION", "s3cret"),
    ];
    assert_eq!(secrets, expected);
    assert!(!format!("{read:?}").contains("hunter2"), "a secret shows itself");
    assert_eq!(read.asked, []);
}

/// R318: a name that is taken is offered another one, and what has a value is not asked for again.
#[test]
fn what_is_there_counts() {
    let known = PasteKnown { toolsets: ["memory".to_owned()].into(), secrets: ["TOKEN".to_owned()].into() };
    let text = r#"{"mcpServers": {"memory": {"command": "x", "args": ["${TOKEN}", "${OTHER:-7}"]}, "me mory": {"command": "x"}}}"#;
    let read = Pasted::read(text, &known, &PasteLimits::default()).expect("is read");
    let ids: Vec<(&str, Option<Renamed>)> = read.servers.iter().map(|one| (one.id.as_str(), one.renamed)).collect();
    assert_eq!(ids, [("memory-2", Some(Renamed::Taken)), ("me-mory", Some(Renamed::Spelling))]);
    assert_eq!(read.asked, [AskedValue { default: Some("7".into()), ..asked("OTHER", &["memory"]) }]);
}

/// A fault says where it is, and nothing is taken over of a configuration with a fault.
#[test]
fn faults_name_their_place() {
    refused("{", "this is not JSON: EOF while parsing an object at line 1 column 1");
    refused("[]", "the configuration: this must be an object");
    refused("{}", "no servers are in it; they are expected under \"mcpServers\", \"servers\" or \"mcp\"");
    refused(r#"{"a": 1}"#, "no servers are in it; they are expected under \"mcpServers\", \"servers\" or \"mcp\"");
    refused(r#"{"mcpServers": {"a": {}}}"#, "mcpServers.a: a server needs a \"command\" or a \"url\"");
    refused(
        r#"{"mcpServers": {"a": {"command": "x", "url": "https://x.test"}}}"#,
        "mcpServers.a: a server has a \"command\" or a \"url\", and this has both",
    );
    refused(r#"{"servers": {"a": {"command": "x", "args": ["y", {}]}}}"#, "servers.a.args[1]: this must be a text");
    refused(r#"{"mcp": {"a": {"url": "ftp://x"}}}"#, "mcp.a.url: the address must begin with http:// or https://");
    refused(
        r#"{"mcp": {"a": {"url": "https://x", "type": "carrier-pigeon"}}}"#,
        "mcp.a.type: \"carrier-pigeon\" is not a transport of a server with a url",
    );
    let limits = PasteLimits { servers: 1, ..PasteLimits::default() };
    let two = r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "x"}}}"#;
    let error = Pasted::read(two, &PasteKnown::default(), &limits).expect_err("is refused");
    assert_eq!(error.to_string(), "it has 2 servers, and the limit is 1");
    let limits = PasteLimits { text_bytes: 10, ..PasteLimits::default() };
    assert!(Pasted::read(two, &PasteKnown::default(), &limits).is_err());
}
