//! An MCP server that costs nothing: streamable HTTP of the era that both proxies speak, answered as JSON at once. It stands on this machine,
//! in this process.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::{Value, json};

use crate::bench::exchange::Reader;
use crate::bench::stand_in;

/// The one tool that it has.
pub(crate) const TOOL: &str = "echo";
/// What every call of it gives; an answer without it did not come through.
pub(crate) const ANSWER: &str = "four words came back";
/// Where it is asked.
pub(crate) const PATH: &str = "/mcp";
pub(crate) const PROTOCOL: &str = "2025-06-18";

/// Starts it; where it is. It lives as long as the process.
pub(crate) fn start() -> io::Result<SocketAddr> {
    stand_in::listen(serve)
}

/// Answers one message after the other.
fn serve(connection: &TcpStream) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = Reader::new(connection);
    while let Some(head) = reader.head()? {
        let body = reader.body(&head)?;
        // It has nothing to say by itself, and no session that could be ended.
        let (status, body) = match head.starts_with("POST ").then(|| serde_json::from_slice(&body)) {
            Some(message) => said(&message?).map_or(("202 Accepted", String::new()), |said| ("200 OK", said)),
            None => ("405 Method Not Allowed", String::new()),
        };
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
        let mut connection = connection;
        connection.write_all((head + &body).as_bytes())?;
    }
    Ok(())
}

/// The answer to a message; none to a notification.
fn said(message: &Value) -> Option<String> {
    let id = message.get("id")?;
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": PROTOCOL,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "stand-in", "version": "1"},
        }),
        "ping" => json!({}),
        "tools/list" => json!({"tools": [{"name": TOOL, "description": "Echoes", "inputSchema": {"type": "object"}}]}),
        "tools/call" => json!({"content": [{"type": "text", "text": ANSWER}], "isError": false}),
        _ => {
            let error = json!({"code": -32601, "message": "there is no such method"});
            return Some(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
        }
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::exchange::Exchange;

    #[test]
    fn it_answers_calls_on_one_connection() {
        let address = start().expect("listens");
        let question = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": TOOL}}).to_string();
        let mut exchange = Exchange::asking(address, "", question).expect("connects");
        for _ in 0..2 {
            let answer: Value =
                serde_json::from_slice(&exchange.ask(PATH).expect("answers").body).expect("the answer is JSON");
            assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!(7), &json!(ANSWER)));
        }
        assert_eq!(said(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})), None);
    }
}
