//! The contract with the cage, where Python runs: what the page tells it and what it answers.
//!
//! Types only. The cage's own script (`public/cage.html`) speaks the same words in JavaScript, and
//! `app/src/browser/python_cage` carries them over a message port. Bytes (the runtime's own files) travel beside these
//! messages as transferable buffers, never inside them.

use serde::{Deserialize, Serialize};

/// What the page tells the cage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToCage {
    /// Run this source in a fresh namespace and answer with the JSON text it leaves in `result`.
    Evaluate {
        /// Names the request in the answer.
        request: u32,
        /// Python source.
        source: String,
        /// Given to the source as `arguments`, a JSON text.
        arguments: String,
    },
}

/// What the cage answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromCage {
    /// Python is loaded and waits.
    Ready {
        /// What `sys.version` says.
        python: String,
        /// How long loading took, in milliseconds.
        load_millis: u32,
    },
    /// Python could not be loaded.
    Failed {
        /// What the runtime said.
        message: String,
    },
    /// The source ran to its end.
    Evaluated {
        /// The request.
        request: u32,
        /// What it left in `result`, a JSON text.
        result: String,
    },
    /// The source raised.
    Raised {
        /// The request.
        request: u32,
        /// The traceback.
        traceback: String,
    },
}

/// What the cage's own check found: one line for each way out that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CageReport {
    /// What `sys.version` says inside.
    pub python: String,
    /// How long loading took, in milliseconds.
    pub load_millis: u32,
    /// Every way out that was tried.
    pub probes: Vec<Probe>,
}

/// One way out of the cage that was tried from inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// The way, for example `fetch`.
    pub way: String,
    /// Whether it was refused, as it must be.
    pub refused: bool,
    /// What the browser said.
    pub detail: String,
}

impl CageReport {
    /// Whether every way out was refused.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        !self.probes.is_empty() && self.probes.iter().all(|probe| probe.refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_on_the_port() {
        let to = ToCage::Evaluate { request: 3, source: "result = 1".into(), arguments: "{}".into() };
        insta::assert_json_snapshot!(to, @r#"
        {
          "type": "evaluate",
          "request": 3,
          "source": "result = 1",
          "arguments": "{}"
        }
        "#);
        let from = [
            FromCage::Ready { python: "3.14".into(), load_millis: 2_600 },
            FromCage::Failed { message: "no WebAssembly".into() },
            FromCage::Evaluated { request: 3, result: "1".into() },
            FromCage::Raised { request: 4, traceback: "ZeroDivisionError".into() },
        ];
        insta::assert_json_snapshot!(from, @r#"
        [
          {
            "type": "ready",
            "python": "3.14",
            "load_millis": 2600
          },
          {
            "type": "failed",
            "message": "no WebAssembly"
          },
          {
            "type": "evaluated",
            "request": 3,
            "result": "1"
          },
          {
            "type": "raised",
            "request": 4,
            "traceback": "ZeroDivisionError"
          }
        ]
        "#);
    }

    #[test]
    fn a_cage_with_one_open_way_is_not_closed() {
        let probe = |refused| Probe { way: "fetch".into(), refused, detail: String::new() };
        let report = |probes| CageReport { python: "3.14".into(), load_millis: 0, probes };
        assert!(report(vec![probe(true)]).is_closed());
        assert!(!report(vec![probe(true), probe(false)]).is_closed());
        assert!(!report(Vec::new()).is_closed(), "nothing tried shows nothing");
    }
}
