//! Manifests that are read, and those that are refused with the reason, the key and the line.

use serde_json::json;

use super::*;
use crate::record::{RendererKind, ToolKind};

const HEAD: &str = "manifest_version: \"1\"\nid: a\nname: A\nversion: \"1.0.0\"\n";

fn read(text: &str) -> Manifest {
    Manifest::parse(text.as_bytes(), &BundleLimits::default()).expect("is read")
}

fn refused(text: &str) -> String {
    let error = Manifest::parse(text.as_bytes(), &BundleLimits::default()).expect_err("is refused");
    error.to_string().strip_prefix("toolset.yaml").expect("names the file").trim_start_matches([':', ' ']).to_owned()
}

/// Checks a refusal of what comes after four good lines.
fn check(rest: &str, expected: &str) {
    assert_eq!(refused(&format!("{HEAD}{rest}")), expected);
}

fn check_tool(rest: &str, expected: &str) {
    check(&format!("tools:\n  - id: t\n    entrypoint: t:run\n{rest}"), expected);
}

/// R047–R050, C65
#[test]
fn every_key_is_read() {
    let manifest = read(
        r#"
manifest_version: "1"
id: weather
name: Weather
version: 2.1.0-rc.1
description: Asks a service
tools:
  - id: plot
    name: Plot
    description: Draws
    entrypoint: tools.plot:run
    category: charts
    input_schema: {type: object, properties: {city: {type: string}}, required: [city]}
    requires_confirmation: true
    enabled: false
    timeout_seconds: 30
    output_schema: {type: string}
    tags: [chart]
    renderer: {type: markdown, content: "$return.text", editable: true}
  - id: fetch
    type: http
    description: Fetches
    input_schema: {type: object, properties: {city: {type: string}}}
    http:
      request: {urlTemplate: "https://api.example.com/${city}", headers: {X-Key: "${WEATHER_KEY}"}}
      allowedHosts: [API.example.com]
tool_overrides:
  - {tool_id: plot, renderer: html, renderer_config: {artifact: artifacts/p.html, data: "$return"}}
  - {tool_id: "files:list", name_override: Files, description_override: All, requires_confirmation: false, enabled: true}
python_packages: [attrs, "numpy>=2"]
network: {hosts: [data.example.com, "localhost:8080"]}
secrets: [{name: WEATHER_KEY, description: Key of the service}]
mcp_servers:
  - {id: files, command: npx, args: ["-y", pkg, 8080], env: {ROOT: "${ROOT_DIR}", N: 1}, cwd: null, requires_confirmation: false}
  - {id: remote, url: "https://x/mcp", transport: streamableHttp, headers: {Authorization: "Bearer ${TOKEN}"}}
x-color: teal
"#,
    );
    let [plot, fetch] = &manifest.tools[..] else { panic!("there are two tools") };
    assert_eq!((plot.name.as_str(), plot.category.as_deref(), plot.enabled), ("Plot", Some("charts"), false));
    assert_eq!((plot.requires_confirmation, plot.timeout_seconds, plot.kind), (true, Some(30), ToolKind::Python));
    assert_eq!(plot.module_files()[..2], ["tools/plot/__init__.py", "tools/plot.py"]);
    let renderer = plot.renderer.as_ref().expect("has a renderer");
    assert_eq!(renderer.kind, RendererKind::Document);
    assert_eq!(renderer.config, json!({"content": "$return.text", "editable": true}));
    assert_eq!((fetch.kind, fetch.name.as_str()), (ToolKind::Http, "fetch"));
    assert_eq!(manifest.version.to_string(), "2.1.0-rc.1");
    assert_eq!(manifest.overrides.len(), 2);
    assert_eq!(manifest.hosts, ["data.example.com", "localhost:8080", "api.example.com"]);
    assert_eq!(manifest.python_packages, ["attrs", "numpy>=2"]);
    assert_eq!(manifest.unknown_keys, ["x-color"]);
    assert_eq!(manifest.json["x-color"], "teal");
    // The argument `city` is not a secret (C37, C49).
    let names: Vec<&str> = manifest.secrets.iter().map(|secret| secret.name.as_str()).collect();
    assert_eq!(names, ["WEATHER_KEY", "ROOT_DIR", "TOKEN"]);
    let [files, remote] = &manifest.servers[..] else { panic!("there are two servers") };
    assert_eq!(files.line(), r#"ROOT="${ROOT_DIR}" N=1 npx -y pkg 8080"#);
    assert_eq!(
        files.config,
        json!({"command": "npx", "args": ["-y", "pkg", "8080"], "env": {"ROOT": "${ROOT_DIR}", "N": "1"}})
    );
    assert!(!files.requires_confirmation && remote.requires_confirmation);
    assert_eq!(remote.config["transport"], "streamable-http");
    assert_eq!(manifest.remarks, []);
    // What is stored reads as the same, but for the lines.
    assert_eq!(Manifest::from_json(&manifest.json), Ok(manifest));
}

/// R051
#[test]
fn what_is_missing_or_wrong_at_the_top_is_told() {
    let without = |key: &str| -> String {
        HEAD.lines().filter(|line| !line.starts_with(&format!("{key}:"))).map(|line| format!("{line}\n")).collect()
    };
    for key in ["manifest_version", "id", "name", "version"] {
        assert_eq!(refused(&without(key)), format!("line 1: {key:?} is missing"));
    }
    let with = |key: &str, value: &str| refused(&format!("{}{key}: {value}\n", without(key)));
    assert_eq!(
        with("manifest_version", "\"2\""),
        "line 4, manifest_version: manifest_version \"2\" is not supported; only \"1\" is"
    );
    assert_eq!(with("id", "mcp"), "line 4, id: the toolset id \"mcp\" is reserved");
    assert_eq!(
        with("id", "a~b"),
        "line 4, id: the toolset id \"a~b\" must begin with a letter and have at most 64 letters, digits, \"_\" and \"-\""
    );
    assert_eq!(with("name", "''"), "line 4, name: it must not be empty");
    assert_eq!(
        with("version", "1.0"),
        "line 4, version: expected a text, found a number (write it in quotes if it is a text)"
    );
    assert_eq!(
        with("version", "one"),
        "line 4, version: \"one\" is not a semantic version such as \"1.0.0\": unexpected character 'o' while parsing major version number"
    );
    assert_eq!(refused(""), "line 1: expected a map, found nothing");
    assert_eq!(refused("- a"), "line 1: expected a map, found a list");
    check("tools: {}\n", "line 5, tools: expected a list, found a map");
    check(
        "network: {hosts: [\"https://a/b\"]}",
        "line 5, network.hosts[0]: \"https://a/b\" is not a host such as \"api.example.com\" or \"localhost:8080\"",
    );
    check(
        "python_packages: [\"https://evil/x.whl\"]",
        "line 5, python_packages[0]: \"https://evil/x.whl\" is not the name of a Python package, with or without a version",
    );
    check(
        "secrets: [\"1x\"]",
        "line 5, secrets[0]: \"1x\" is not the name of a secret, which has letters, digits and \"_\" and begins with no digit",
    );
}

/// R051, R022, R024, C03, C05
#[test]
fn tools_that_are_refused_say_why() {
    check("tools:\n  - name: x\n", "line 6, tools[0]: \"id\" is missing");
    check(
        "tools:\n  - id: x\n",
        "line 6, tools[0]: a Python tool needs an \"entrypoint\" such as \"tools.analyze:run\"",
    );
    check("tools:\n  - {id: search, entrypoint: \"a:b\"}", "line 6, tools[0].id: the tool id \"search\" is reserved");
    check(
        "tools:\n  - {id: x, entrypoint: run}",
        "line 6, tools[0].entrypoint: \"run\" is not an entrypoint, which is \"module.path:function\"",
    );
    check(
        "tools:\n  - {id: x, entrypoint: \"a:b\"}\n  - {id: x, entrypoint: \"a:b\"}",
        "line 7, tools[1].id: the tool id \"x\" occurs twice",
    );
    check(
        "tools:\n  - {id: x_y, entrypoint: \"a:b\"}\n  - {id: x-y, entrypoint: \"a:b\"}",
        "line 7, tools[1].id: the tool ids \"x_y\" and \"x-y\" both become \"x-y\" of one version in the tools interface",
    );
    check_tool(
        "    version: 1 beta",
        "line 8, tools[0].version: \"1 beta\" is not a version, which has 1 to 64 letters, digits and \"-\" and \".\"",
    );
    check_tool(
        "    type: wasm",
        "line 8, tools[0].type: \"wasm\" is not a type of tool; \"python\", \"http\" and \"builtin\" are",
    );
    check_tool(
        "    type: go",
        "line 6, tools[0]: a tool of type builtin needs \"builtin\" with \"func\", such as \"read_file\"",
    );
    check_tool("    type: builtin\n    builtin: {}", "line 9, tools[0].builtin: \"func\" is missing");
    check_tool("    type: http", "line 6, tools[0]: a tool of type http needs \"http\" with \"request\" or \"steps\"");
    check_tool(
        "    type: http\n    http: {request: {urlTemplate: \"https://a\"}}",
        "line 9, tools[0].http: \"allowedHosts\" is missing",
    );
    check_tool("    timeout_seconds: 601", "line 8, tools[0].timeout_seconds: the limit must be from 1 to 600 seconds");
    check_tool(
        "    requires_confirmation: yes",
        "line 8, tools[0].requires_confirmation: expected true or false, found a text",
    );
}

/// R051
#[test]
fn schemas_that_are_refused_say_why() {
    let check = |schema: &str, key: &str, expected: &str| {
        check_tool(
            &format!("    input_schema: {schema}"),
            &format!("line 8, tools[0].input_schema{key}: not a JSON schema for an object: {expected}"),
        );
    };
    check("[]", "", "it is not a map");
    check("{type: string}", ".type", "its \"type\" is not \"object\"");
    check("{title: x}", "", "it has no \"type\"");
    check("{type: object, properties: []}", ".properties", "its \"properties\" are not a map");
    check("{type: object, properties: {a: string}}", ".properties.a", "a property is not a map");
    check("{type: object, required: a}", ".required", "its \"required\" is not a list of names");
    check("{type: object, required: [1]}", ".required[0]", "its \"required\" is not a list of names");
    check_tool(
        "    input_schema: {type: object, properties: {KEY: {}}}\nsecrets: [KEY]",
        "line 6, tools[0]: the argument \"KEY\" has the name of a secret",
    );
}

/// R010, C19
#[test]
fn renderers_that_are_refused_say_why() {
    let check = |renderer: &str, key: &str, expected: &str| {
        check_tool(&format!("    renderer: {renderer}"), &format!("line 8, tools[0].renderer{key}: {expected}"));
    };
    check("{type: table}", ".type", "\"table\" is not a renderer; \"code\", \"document\", \"html\", \"frame\" are");
    check("{file: x}", "", "\"type\" is missing");
    check("{type: code}", "", "the code renderer needs \"file\" or \"content\"");
    check("{type: document, file: a, content: b}", "", "the document renderer takes \"file\" or \"content\", not both");
    check("{type: html}", "", "the html renderer needs \"artifact\"");
    check("{type: html, artifact: ../x.html}", ".artifact", "\"../x.html\" is not a path inside the toolset");
    check("{type: frame}", "", "the frame renderer needs \"url\" or \"port\"");
    check(
        "{type: html, artifact: x, url: y}",
        ".url",
        "the html renderer has no \"url\"; it has \"artifact\", \"data\"",
    );
    check("{type: code, file: a, editable: 1}", ".editable", "\"editable\" of the code renderer must be true or false");
    super::tests::check(
        "tool_overrides:\n  - {tool_id: a, renderer: html, renderer_config: {}}",
        "line 6, tool_overrides[0].renderer_config: the html renderer needs \"artifact\"",
    );
}

/// R049
#[test]
fn servers_that_are_refused_say_why() {
    let check = |server: &str, expected: &str| {
        check(&format!("mcp_servers:\n  - {{{server}}}"), &format!("line 6, mcp_servers[0]{expected}"));
    };
    check("id: s", ": a server needs either \"command\" or \"url\", not neither");
    check("id: s, command: a, url: b", ": a server needs either \"command\" or \"url\", not both");
    check("id: a__b, command: a", ".id: the server id \"a__b\" must not contain \"__\"");
    check("id: s, url: \"file:///x\"", ".url: the address must begin with \"http://\" or \"https://\"");
    check(
        "id: s, url: \"https://x\", transport: stdio",
        ".transport: \"stdio\" is not a transport of a server with a url; \"streamable-http\" and \"sse\" are",
    );
    check("id: s, command: x, type: sse", ".type: \"sse\" is not a transport of a server with a command; \"stdio\" is");
    check("id: s, command: x, args: [[]]", ".args[0]: expected a text, found a list");
    super::tests::check(
        "mcp_servers:\n  - {id: s, command: x}\n  - {id: s, command: x}",
        "line 7, mcp_servers[1].id: the server id \"s\" occurs twice",
    );
}

#[test]
fn what_is_odd_is_remarked() {
    let manifest = read(&format!("{HEAD}tool_overrides: [{{tool_id: nobody}}]"));
    let remarks: Vec<String> = manifest.remarks.iter().map(|(place, text)| format!("{place}: {text}")).collect();
    assert_eq!(remarks, [" line 5, tool_overrides[0]: no tool or server of this toolset is called \"nobody\""]);
}

/// C65: a key that is not known is kept and said, wherever it is; misspelled, it would take a guard away without a word.
#[test]
fn keys_that_are_not_known_are_remarked() {
    let check = |rest: &str, expected: &[&str]| {
        let manifest = read(&format!("{HEAD}{rest}"));
        let remarks: Vec<String> = manifest.remarks.iter().map(|(place, text)| format!("{place}: {text}")).collect();
        assert_eq!(remarks, expected, "{rest}");
        manifest
    };
    let unknown = "Satchel does not know this key and does nothing with it";
    let tool = check(
        "tools:\n  - id: t\n    entrypoint: t:run\n    requires_confirmaton: true\n    x-team: data\n",
        &[
            &format!(" line 8, tools[0].requires_confirmaton: {unknown}; did you mean \"requires_confirmation\"?"),
            &format!(" line 9, tools[0].x-team: {unknown}"),
        ],
    );
    assert_eq!(tool.json["tools"][0]["x-team"], "data");
    let server = check(
        "mcp_servers: [{id: s, url: \"https://x/mcp\", disabled: true, args: [a]}, {id: p, command: x, headers: {}}]",
        &[
            &format!(" line 5, mcp_servers[0].disabled: {unknown}"),
            " line 5, mcp_servers[0].args: it does nothing for a server with a url",
            " line 5, mcp_servers[1].headers: it does nothing for a server with a command",
        ],
    );
    assert_eq!(server.servers[0].config["disabled"], true);
    check(
        "tools: [{id: t, entrypoint: \"t:run\"}]\ntool_overrides: [{tool_id: t, enable: false}]",
        &[&format!(" line 6, tool_overrides[0].enable: {unknown}; did you mean \"enabled\"?")],
    );
    check("network: {host: [a.example]}", &[&format!(" line 5, network.host: {unknown}; did you mean \"hosts\"?")]);
    check("secrets: [{name: KEY, default: x}]", &[&format!(" line 5, secrets[0].default: {unknown}")]);
}

/// A command is shown whole, and an argument with a space is not two (R057, C39).
#[test]
fn command_lines_show_every_argument() {
    let manifest =
        read(&format!("{HEAD}mcp_servers: [{{id: s, command: sh, args: [-c, \"rm -rf ~; echo \\u202e\", \"\"]}}]"));
    assert_eq!(manifest.servers[0].line(), r#"sh -c "rm -rf ~; echo \u{202e}" """#);
    let env = "env: {LD_PRELOAD: ./evil.so, API_KEY: \"${KEY}\"}";
    let manifest = read(&format!("{HEAD}mcp_servers: [{{id: s, command: ls, {env}}}]"));
    assert_eq!(manifest.servers[0].line(), r#"LD_PRELOAD=./evil.so API_KEY="${KEY}" ls"#);
}

/// R051: bad YAML.
#[test]
fn yaml_that_is_refused_says_why() {
    check("x: [", "line 6: it is not YAML: while parsing a node, did not find expected node content");
    check("name: B", "line 5: the key \"name\" occurs twice");
    check("? [a]\n: b", "line 5: a key must be a text");
    check("x: !ruby/object y", "line 5: the tag !ruby/object is not known");
    check("x: .nan", "line 5: .nan is not a number that can be stored");
    check("x: &a [*a]", "line 5: an alias names the value that it is in");
    check("---\nid: b", "line 5: there is a second document, and only one is read");
    let error = Manifest::parse(b"id: \xff", &BundleLimits::default()).expect_err("is refused");
    assert_eq!(error.to_string(), "toolset.yaml: it is not UTF-8 text");
    let long = format!("{HEAD}x: {}", "y".repeat(1 << 20));
    assert_eq!(refused(&long), format!("it has {} bytes, and the limit is 1048576", long.len()));
}

/// F19: a few lines that would become millions of values, or a value too deep to walk.
#[test]
fn yaml_bombs_are_refused() {
    let mut laughs = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..10 {
        let below = format!("*a{}, ", level - 1).repeat(9);
        laughs.push_str(&format!("a{level}: &a{level} [{below}]\n"));
    }
    check(&laughs, "line 8: aliases repeat more than 1000 values");
    check(&format!("x: {}", "[".repeat(10_000)), "line 5: lists and maps are more than 64 deep");
    check(&format!("x: {}", "{a: ".repeat(10_000)), "line 5: lists and maps are more than 64 deep");
    check(&format!("x:\n{}", "- ".repeat(10_000)), "line 6: lists and maps are more than 64 deep");
    let steps: String = (0..100).map(|at| format!("{}a:\n", " ".repeat(at))).collect();
    check(&format!("x:\n{}", steps.replace("a:", " a:")), "line 69: lists and maps are more than 64 deep");
    // Depth that only aliases make counts as well.
    let mut deep = format!("a0: &a0 {}{}\n", "[".repeat(50), "]".repeat(50));
    deep.push_str(&format!("a1: {}*a0{}", "[".repeat(50), "]".repeat(50)));
    check(&deep, "line 6: lists and maps are more than 64 deep");
}

/// A repeated value is read like one that is written twice.
#[test]
fn a_few_aliases_are_read() {
    let manifest = read(&format!("{HEAD}x: &x {{a: [1, 2.5, 0x10, ~, yes]}}\ny: *x"));
    assert_eq!(manifest.json["y"], json!({"a": [1, 2.5, 16, null, "yes"]}));
}
