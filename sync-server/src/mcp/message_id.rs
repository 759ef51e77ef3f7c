//! The id of a message that is too large to be read: found while its bytes go by, without keeping them.

use serde_json::Value;

/// Longest key or id that is looked at.
const KEPT: usize = 128;

/// Looks for `id` and `method` among the members of the outermost object.
#[derive(Debug, Default)]
pub(super) struct MessageId {
    depth: u32,
    in_text: bool,
    escaped: bool,
    /// Whether the text that is being read, or was read last, stands where a key does.
    is_key: bool,
    /// The key, or the value of `id`, as far as it is kept.
    kept: Vec<u8>,
    /// Whether what is kept is the value of `id`.
    in_id: bool,
    id: Option<Value>,
    is_request: bool,
}

impl MessageId {
    /// Looks at some bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.look_at(*byte);
        }
    }

    /// The id of the request that the message answers; none when it is no answer.
    pub(super) fn answer_to(self) -> Option<Value> {
        if self.is_request { None } else { self.id }
    }

    fn look_at(&mut self, byte: u8) {
        let keeps = self.depth == 1 && (self.is_key || self.in_id) && self.kept.len() < KEPT;
        if self.in_text {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            if keeps {
                self.kept.push(byte);
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_text = true;
                if keeps {
                    self.kept.push(byte);
                }
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.begin_key(self.depth == 1);
            }
            b'}' | b']' => {
                self.end_member();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => {
                self.end_member();
                self.begin_key(self.depth == 1);
            }
            b':' if self.depth == 1 && self.is_key => {
                self.is_key = false;
                self.is_request |= self.kept == b"\"method\"";
                self.in_id = self.kept == b"\"id\"";
                self.kept.clear();
            }
            _ if keeps && !byte.is_ascii_whitespace() => self.kept.push(byte),
            _ => {}
        }
    }

    fn begin_key(&mut self, is_key: bool) {
        if self.depth == 1 {
            self.is_key = is_key;
            self.kept.clear();
        }
    }

    fn end_member(&mut self) {
        if self.depth == 1 && std::mem::take(&mut self.in_id) {
            self.id = serde_json::from_slice(&self.kept).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(text: &str) -> Option<Value> {
        let mut looked = MessageId::default();
        // Byte by byte: it does not matter where the pieces end.
        text.as_bytes().chunks(1).for_each(|piece| looked.feed(piece));
        looked.answer_to()
    }

    #[test]
    fn the_id_of_an_answer_is_found_wherever_it_stands() {
        assert_eq!(found(r#"{"jsonrpc":"2.0","id":3,"result":{"id":4}}"#), Some(json!(3)));
        assert_eq!(found(r#"{"result":{"id":4,"a":["id",5]},"jsonrpc":"2.0","id":"a\"b"}"#), Some(json!("a\"b")));
        assert_eq!(found(r#" { "id" : 12 , "error" : { } } "#), Some(json!(12)));
        assert_eq!(found(r#"{"result":"{\"id\":1}","id":2}"#), Some(json!(2)));
    }

    #[test]
    fn what_is_no_answer_has_none() {
        for text in [
            r#"{"method":"ping","id":3}"#,
            r#"{"id":3,"method":"ping"}"#,
            r#"{"result":{"id":4}}"#,
            r#"{"id":{"a":1},"result":1}"#,
            r#"[{"id":1}]"#,
            "not JSON",
            "}}}}]",
            "",
        ] {
            let id = found(text);
            assert!(id.is_none() || id == Some(Value::Null), "{text} {id:?}");
        }
    }
}
