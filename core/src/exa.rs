//! The web search that is built in: four tools that ask the API of Exa, and need its key (R096).
//!
//! They are HTTP tools like any other, of a toolset that is no row: it is made anew whenever it is asked for. What can be set about it is its
//! key, which is in the vault, its switches, and the address of the API, for whoever has one of their own.

use serde_json::{Value, json};

use crate::builtin::CompiledIn;
use crate::bundle::{Manifest, canonical_json};
use crate::catalog::{ToolId, ToolsetId};
use crate::digest::BlobId;
use crate::ids::{Uid, uuid_v7};
use crate::network::{Address, AddressFault};
use crate::record::{PackageId, Tool, Toolset};
use crate::time::Timestamp;

/// The toolset's id.
pub const EXA_ID: &str = crate::catalog::EXA;
/// The secret that holds the key.
pub const EXA_KEY: &str = "EXA_API_KEY";
/// Where the API is, unless the user says otherwise.
pub const EXA_BASE_URL: &str = "https://api.exa.ai";

/// Under this key of `kv` another address is kept.
pub const EXA_BASE_URL_KEY: &str = "exa_base_url";

/// The version of the tools' contracts.
const VERSION: &str = "1.0.0";
/// 17 November 2026, when they first came with the app.
const SINCE: Timestamp = Timestamp::from_millis(1_794_873_600_000);

/// Why an address cannot be that of the API.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlFault {
    /// It cannot be read.
    #[error(transparent)]
    Address(#[from] AddressFault),
    /// It has more than a path.
    #[error("the address must end with its path: no spaces, no \"?\", no \"#\" and no \"${{\"")]
    Path,
}

/// Reads an address of the API: without the slash at its end.
pub fn read_base_url(text: &str) -> Result<String, BaseUrlFault> {
    let text = text.trim().trim_end_matches('/');
    Address::parse(text)?;
    let plain = |char: char| char.is_ascii_graphic() && !matches!(char, '?' | '#' | '\\' | '$' | '{' | '}');
    if text.chars().all(plain) { Ok(text.to_owned()) } else { Err(BaseUrlFault::Path) }
}

/// The toolset as a bundle would declare it.
#[must_use]
pub fn manifest(id: &str, base_url: &str) -> Value {
    let host = Address::parse(base_url).map(|address| address.granted_as()).unwrap_or_default();
    let tool = |id: &str, name: &str, description: &str, path: &str, schema: Value, body: Value| {
        json!({
            "id": id,
            "name": name,
            "description": description,
            "category": "web",
            "type": "http",
            "tags": ["web", "search"],
            "timeout_seconds": 90,
            "input_schema": schema,
            "http": {
                "allowedHosts": [host],
                "request": {
                    "method": "POST",
                    "urlTemplate": format!("{base_url}/{path}"),
                    "auth": {"type": "apiKey", "in": "header", "name": "x-api-key", "valueTemplate": format!("${{{EXA_KEY}}}")},
                    "body": body,
                    "timeoutMS": 30_000,
                },
            },
        })
    };
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let count = || json!({"type": "integer", "minimum": 1, "maximum": 10, "description": "How many results to give, 5 unless said otherwise"});
    let text = |description: &str| json!({"type": "string", "minLength": 1, "description": description});
    json!({
        "manifest_version": "1",
        "id": id,
        "name": "Exa Web Search",
        "version": VERSION,
        "description": "Searches the web, finds similar pages, reads pages and answers questions, by the API of Exa. It needs a key.",
        "secrets": [{"name": EXA_KEY, "description": "Key of the Exa API, from dashboard.exa.ai"}],
        "tools": [
            tool(
                "search_web", "Search", "Searches the web and gives the pages that fit best, each with its address and the beginning of its text.", "search",
                object(json!({"query": text("What to look for, in words or as a question"), "num_results": count()}), json!(["query"])),
                json!({"query": "${query}", "numResults": "${num_results}", "contents": {"text": {"maxCharacters": 2_000}}}),
            ),
            tool(
                "find_similar", "Find similar", "Finds pages that are like a given page.", "findSimilar",
                object(
                    json!({
                        "url": text("The address of the page"),
                        "num_results": count(),
                        "exclude_source_domain": {"type": "boolean", "description": "Whether to leave out pages of the same site"},
                    }),
                    json!(["url"]),
                ),
                json!({"url": "${url}", "numResults": "${num_results}", "excludeSourceDomain": "${exclude_source_domain}", "contents": {"text": {"maxCharacters": 2_000}}}),
            ),
            tool(
                "get_contents", "Get contents", "Reads pages and gives their text.", "contents",
                object(
                    json!({
                        "urls": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1, "maxItems": 10, "description": "The addresses of the pages"},
                        "max_characters": {"type": "integer", "minimum": 1, "maximum": 100_000, "description": "The most of each page's text"},
                    }),
                    json!(["urls"]),
                ),
                json!({"urls": "${urls}", "text": {"maxCharacters": "${max_characters}"}}),
            ),
            tool(
                "answer", "Answer", "Answers a question from the web, with the pages that the answer comes from.", "answer",
                object(json!({"query": text("The question"), "num_results": count()}), json!(["query"])),
                json!({"query": "${query}", "numResults": "${num_results}", "text": true}),
            ),
        ],
    })
}

/// The rows that the toolset would have, were it installed, and what its manifest says.
#[must_use]
pub fn rows(base_url: &str) -> (Toolset, Vec<Tool>, Manifest) {
    let json = manifest(EXA_ID, base_url);
    let manifest = Manifest::from_json(&json).expect("our own manifest is a good one");
    let package = PackageId::of(format!("satchel exa 1\n{}", canonical_json(&json)).as_bytes());
    let id = ToolsetId::parse(EXA_ID).expect("is a name");
    let toolset = CompiledIn {
        id: id.clone(),
        uid: toolset_uid(),
        name: &manifest.name,
        version: VERSION,
        description: &manifest.description,
        package,
        since: SINCE,
    };
    let toolset = toolset.row();
    let row = |tool: &crate::bundle::manifest::ToolDeclaration| {
        // The one name that no bundle can give to a tool (C05).
        let name = if tool.id.as_str() == "search_web" { "search" } else { tool.id.as_str() };
        Tool {
            package,
            tool_id: ToolId::parse(&format!("{EXA_ID}:{name}")).expect("is a tool id"),
            toolset_id: Some(id.clone()),
            uid: uid(name),
            slug: name.replace('_', "-"),
            version: VERSION.into(),
            name: tool.name.clone(),
            description: tool.description.clone(),
            category: tool.category.clone(),
            input_schema: tool.input_schema.clone(),
            output_schema: None,
            requires_confirmation: false,
            enabled: true,
            kind: tool.kind,
            entrypoint: None,
            http: tool.http.clone(),
            timeout_seconds: tool.timeout_seconds,
            tags: tool.tags.clone(),
            created_at: SINCE,
            modified_at: SINCE,
        }
    };
    let tools = manifest.tools.iter().map(row).collect();
    (toolset, tools, manifest)
}

/// The id of a copy that can be changed (C52).
#[must_use]
pub fn copy_id(number: u32) -> ToolsetId {
    let end = if number == 1 { String::new() } else { format!("-{number}") };
    ToolsetId::parse(format!("my-exa-web-search{end}")).expect("is a name")
}

/// Such a copy.
#[must_use]
pub fn copy_manifest(manifest: &Value, id: &ToolsetId) -> Value {
    let mut copy = manifest.clone();
    copy["id"] = json!(id.as_str());
    copy["name"] = json!("My Exa Web Search");
    copy
}

/// The second name of the toolset (C02).
#[must_use]
pub fn toolset_uid() -> Uid {
    uid("toolset")
}

/// A second name, the same on every device (C02).
fn uid(name: &str) -> Uid {
    let digest = BlobId::of(format!("satchel exa {name}").as_bytes());
    let random = digest.as_bytes().first_chunk().expect("a digest has 32 bytes");
    Uid::parse(uuid_v7(SINCE, *random)).expect("is spelled as a UUID")
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::http_tool::{Effect, Event, HttpLimits, HttpTool, Run, argument_names};

    /// R096
    #[test]
    fn four_tools_need_one_key() {
        let (toolset, tools, manifest) = rows(EXA_BASE_URL);
        assert_eq!((toolset.id.as_str(), toolset.name.as_str()), ("builtin-exa-web-search", "Exa Web Search"));
        let ids: Vec<String> = tools.iter().map(|tool| tool.tool_id.to_string()).collect();
        let expected = ["search", "find_similar", "get_contents", "answer"];
        assert_eq!(ids, expected.map(|name| format!("builtin-exa-web-search:{name}")));
        let wanted: Vec<&str> = manifest.secrets.iter().map(|secret| secret.name.as_str()).collect();
        assert_eq!(wanted, ["EXA_API_KEY"]);
        for tool in &tools {
            let arguments = argument_names(tool.input_schema.as_ref());
            let http = tool.http.as_ref().expect("is a request");
            let read = HttpTool::read(http, &arguments, &HttpLimits::default()).expect("is a definition");
            assert_eq!(
                (read.secrets(), read.allowed_hosts.clone()),
                (BTreeSet::from(["EXA_API_KEY"]), vec!["api.exa.ai".to_owned()])
            );
        }
    }

    #[test]
    fn a_search_is_asked_as_the_api_wants_it() {
        let (_, tools, _) = rows("http://127.0.0.1:9/exa");
        let arguments = argument_names(tools[0].input_schema.as_ref());
        let tool = HttpTool::read(tools[0].http.as_ref().expect("is a request"), &arguments, &HttpLimits::default());
        let tool = tool.expect("is a definition");
        let values = serde_json::Map::from_iter([("query".to_owned(), json!("rust"))]);
        let secrets = BTreeMap::from([("EXA_API_KEY".to_owned(), "k-1".to_owned())]);
        let mut run = Run::new(&tool, &values, &secrets, HttpLimits::default());
        let Effect::Send(request) = run.handle(Event::Begin, SINCE, 0) else { unreachable!("it is sent") };
        assert_eq!((request.method.as_str(), request.url.as_str()), ("POST", "http://127.0.0.1:9/exa/search"));
        assert!(request.headers.contains(&("x-api-key".to_owned(), "k-1".to_owned())));
        let body: Value = serde_json::from_slice(&request.body).expect("is JSON");
        assert_eq!(body, json!({"query": "rust", "contents": {"text": {"maxCharacters": 2_000}}}));
    }

    #[test]
    fn an_address_of_the_api_is_plain() {
        assert_eq!(read_base_url(" https://x.test/exa/ ").as_deref(), Ok("https://x.test/exa"));
        for bad in ["", "x.test", "https://x.test/?a", "https://x.test/${A}", "https://me@x.test", "https://x.test/a b"]
        {
            assert!(read_base_url(bad).is_err(), "{bad}");
        }
    }
}
