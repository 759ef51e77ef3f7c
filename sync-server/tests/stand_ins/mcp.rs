//! An MCP server on standard input and output whose every move a test decides, the bad ones too.
//!
//! It is written by hand and not with a library, because a library would keep it from misbehaving. Arguments: `--touch FILE` makes a file
//! as proof that it was started, `--note FILE` adds a line for each message that it receives, `--modern` makes it one of the newer era,
//! `--silent` one that never answers, `--die` one that ends at once with a complaint.

use std::fs::OpenOptions;
use std::io::Write as _;

use serde_json::{Value, json};

/// What it was asked to be.
#[derive(Default)]
struct StandIn {
    note: Option<String>,
    is_modern: bool,
    is_silent: bool,
    has_changed: bool,
    /// The call that waits for an answer to a form, and whether it asks for ever.
    asking: Option<(Value, bool)>,
    asked: u32,
    /// The call that is answered only when another one comes.
    late: Option<Value>,
    /// The request that wants to hear of changes.
    listening: Option<Value>,
}

fn main() {
    let mut stand_in = StandIn::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--touch" => std::fs::write(arguments.next().expect("a file"), "started").expect("writes"),
            "--note" => stand_in.note = arguments.next(),
            "--modern" => stand_in.is_modern = true,
            "--silent" => stand_in.is_silent = true,
            "--die" => {
                eprintln!("the key {} is wrong", std::env::var("KEY").unwrap_or_default());
                std::process::exit(3);
            }
            _ => {}
        }
    }
    for line in std::io::stdin().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line.expect("reads")) else { continue };
        stand_in.take(&message);
    }
}

fn send(message: &Value) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{message}").and_then(|()| out.flush()).unwrap_or_else(|_| std::process::exit(0));
}

fn answer(id: &Value, result: Value) {
    send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

impl StandIn {
    fn take(&mut self, message: &Value) {
        if let Some(note) = &self.note {
            let mut file = OpenOptions::new().create(true).append(true).open(note).expect("opens");
            writeln!(file, "{message}").expect("writes");
        }
        if self.is_silent {
            return;
        }
        let id = &message["id"];
        match message["method"].as_str() {
            None => self.take_answer(message),
            Some("initialize") => {
                let version = &message["params"]["protocolVersion"];
                println!("a program that prints what it should not");
                answer(
                    id,
                    json!({"protocolVersion": version, "serverInfo": {"name": "stand-in", "version": "1.2.3"},
                    "capabilities": {"tools": {"listChanged": true}}}),
                );
            }
            Some("server/discover") if self.is_modern => answer(
                id,
                json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
                "capabilities": {"tools": {"listChanged": true}},
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "stand-in", "version": "1.2.3"}}}),
            ),
            Some("subscriptions/listen") => {
                self.listening = Some(id.clone());
                self.tell(
                    "notifications/subscriptions/acknowledged",
                    json!({"notifications": {"toolsListChanged": true}}),
                );
            }
            Some("tools/list") => answer(id, self.tools(&message["params"])),
            Some("tools/call") => self.call(id, &message["params"]),
            Some(_) if id.is_null() => {}
            Some(_) => {
                send(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no such method"}}))
            }
        }
    }

    fn tell(&self, method: &str, mut params: Value) {
        if let Some(listening) = &self.listening {
            params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": listening});
        }
        send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// In two pages, with a key that nobody knows and an order that nobody expects.
    fn tools(&self, params: &Value) -> Value {
        let more = json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
        let page = if params["cursor"].is_null() {
            json!({"tools": [{"x-zeta": {"b": 1, "a": 2}, "name": "echo", "inputSchema": {"type": "object"}}], "nextCursor": "2"})
        } else {
            let description = if self.has_changed { "changed" } else { "as it was" };
            json!({"tools": [{"name": "change", "description": description, "inputSchema": {"type": "object"}}]})
        };
        let members = page.as_object().into_iter().chain(more.as_object().filter(|_| self.is_modern)).flatten();
        Value::Object(members.map(|(key, value)| (key.clone(), value.clone())).collect())
    }

    fn call(&mut self, id: &Value, params: &Value) {
        let arguments = &params["arguments"];
        match params["name"].as_str().unwrap_or_default() {
            "echo" => answer(id, text(&arguments.to_string())),
            "environment" => {
                let mut names: Vec<_> = std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
                names.sort();
                let folder = std::env::current_dir().expect("a folder");
                answer(id, json!({"content": [], "structuredContent": {"variables": names, "folder": folder}}));
            }
            "content" => answer(
                id,
                json!({"isError": true, "content": arguments["content"], "structuredContent": {"z": 1, "a": 2}}),
            ),
            "progress" => {
                let token = &params["_meta"]["progressToken"];
                for step in [1, 2] {
                    send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params":
                        {"progressToken": token, "progress": step, "total": step, "message": arguments["say"]}}));
                }
                answer(id, text("done"));
            }
            "hang" => {}
            "late" => self.late = Some(id.clone()),
            "after" => {
                let late = self.late.take();
                answer(&late.unwrap_or_default(), text("late"));
                answer(id, text("after"));
            }
            "twice" => {
                answer(id, text("first"));
                answer(id, text("second"));
            }
            "flood" => {
                for _ in 0..2000 {
                    eprintln!("{}", "noise ".repeat(100));
                }
                answer(id, text("flooded"));
            }
            "huge" => {
                let megabytes = arguments["megabytes"].as_u64().unwrap_or_default();
                answer(id, text(&"x".repeat(usize::try_from(megabytes).expect("fits") * 1024 * 1024)));
            }
            "die" => {
                eprintln!("this is the end");
                std::process::exit(1);
            }
            "change" => {
                self.has_changed = true;
                self.tell("notifications/tools/list_changed", json!({}));
                answer(id, text("changed"));
            }
            "ask" if self.is_modern => self.ask_in_the_newer_way(id, params),
            "ask" => self.ask(id, false),
            "ask for ever" => self.ask(id, true),
            _ => send(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": "no such tool"}})),
        }
    }

    fn ask(&mut self, id: &Value, for_ever: bool) {
        self.asking = Some((id.clone(), for_ever));
        self.asked += 1;
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
        send(&json!({"jsonrpc": "2.0", "id": format!("question {}", self.asked), "method": "elicitation/create",
            "params": {"message": "Who are you?", "requestedSchema": schema}}));
    }

    fn ask_in_the_newer_way(&self, id: &Value, params: &Value) {
        if params["requestState"] == "the state" {
            return answer(id, text(&params["inputResponses"].to_string()));
        }
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        answer(
            id,
            json!({"resultType": "input_required", "requestState": "the state", "inputRequests":
            {"who": {"method": "elicitation/create", "params": {"mode": "form", "message": "Who are you?", "requestedSchema": schema}}}}),
        );
    }

    fn take_answer(&mut self, message: &Value) {
        match self.asking.take() {
            Some((id, true)) => self.ask(&id, true),
            Some((id, false)) => {
                let said = if message["result"].is_null() { &message["error"] } else { &message["result"] };
                answer(&id, text(&said.to_string()));
            }
            None => {}
        }
    }
}
