//! A call of an HTTP tool that the server carries out, because it needs a secret of the vault or a host that lets no page read it.
//!
//! The definition travels with each call and nothing of it is kept. The answer has the shape of a fetch's: a head that says how it ended,
//! then the bytes of the last host's answer, in which no secret is to be read.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Body of `POST /api/v1/http-tools/call`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpToolCall {
    /// What to ask, as the tool's row has it.
    pub definition: Value,
    /// The names of the arguments that the tool declares: what else a placeholder names is a secret.
    pub declared: Vec<String>,
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// How long all of it may take, in milliseconds.
    pub time_limit_ms: u64,
}

/// Head of its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum HttpToolEnd {
    /// The last host answered, and that is a success; its body follows.
    Answered {
        /// Its status.
        status: u16,
        /// Its media type, empty where it says none.
        media_type: String,
    },
    /// There was no success, and the definition says that this is none to be told.
    Empty,
    /// It failed.
    Failed {
        /// What happened, as a sentence.
        message: String,
    },
    /// It took longer than its limit.
    TimedOut,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_on_the_wire() {
        let call = HttpToolCall {
            definition: json!({"allowedHosts": ["a.test"]}),
            declared: vec!["city".into()],
            arguments: Map::from_iter([("city".to_owned(), json!("Rome"))]),
            time_limit_ms: 60_000,
        };
        insta::assert_json_snapshot!(call, @r#"
        {
          "definition": {
            "allowedHosts": [
              "a.test"
            ]
          },
          "declared": [
            "city"
          ],
          "arguments": {
            "city": "Rome"
          },
          "time_limit_ms": 60000
        }
        "#);
        let ends = [
            HttpToolEnd::Answered { status: 200, media_type: "text/plain".into() },
            HttpToolEnd::Empty,
            HttpToolEnd::Failed { message: "no".into() },
            HttpToolEnd::TimedOut,
        ];
        assert_eq!(
            serde_json::to_string(&ends).expect("writes"),
            r#"[{"end":"answered","status":200,"media_type":"text/plain"},{"end":"empty"},{"end":"failed","message":"no"},{"end":"timed_out"}]"#
        );
    }
}
