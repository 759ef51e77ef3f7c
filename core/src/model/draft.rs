//! An answer that is still coming.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CallDelta, Delta, Finish, ModelError, ModelLimits, Usage};

/// What has come of an answer so far. It is saved while it grows, so that a tab that dies loses little of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// What the model thinks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<Reasoning>,
    /// What it says.
    #[serde(default)]
    pub text: String,
    /// What it wants called, in the order in which the calls began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<DraftCall>,
    /// What it cost.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
}

/// A thought.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasoning {
    /// What is thought; empty where only the provider can read it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The provider's seal under it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<String>,
    /// A thought that only the provider can read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
}

/// A call that is still coming.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DraftCall {
    /// The model's id of it; empty where it gave none.
    pub id: String,
    /// The wire name of the tool.
    pub name: String,
    /// The arguments so far, as text.
    pub arguments: String,
    /// What the provider attached to it and wants back unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Value>,
}

impl Draft {
    /// Puts a piece in its place.
    pub fn add(&mut self, delta: Delta, limits: &ModelLimits) -> Result<(), ModelError> {
        match delta {
            Delta::Text(text) => self.text.push_str(&text),
            Delta::Reasoning(text) => self.open_thought().text.push_str(&text),
            Delta::ReasoningSeal(seal) => match self.reasoning.last_mut() {
                // A seal may come in pieces too.
                Some(thought) if thought.hidden.is_none() => thought.seal.get_or_insert_default().push_str(&seal),
                Some(_) | None => self.reasoning.push(Reasoning { seal: Some(seal), ..Reasoning::default() }),
            },
            Delta::HiddenReasoning(hidden) => {
                self.reasoning.push(Reasoning { hidden: Some(hidden), ..Reasoning::default() });
            }
            Delta::Call(call) => self.add_to_call(call, limits)?,
            Delta::Usage(usage) => self.usage = self.usage.then(usage),
            Delta::Finish(finish) => self.finish = Some(finish),
        }
        if self.bytes() > limits.answer_bytes {
            return Err(ModelError::TooLong { limit: limits.answer_bytes });
        }
        Ok(())
    }

    /// Whether nothing has come that a user or a model could use.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.calls.is_empty()
    }

    /// The thought that goes on: a sealed or hidden one is over.
    fn open_thought(&mut self) -> &mut Reasoning {
        if self.reasoning.last().is_none_or(|thought| thought.seal.is_some() || thought.hidden.is_some()) {
            self.reasoning.push(Reasoning::default());
        }
        self.reasoning.last_mut().expect("one was just put there if there was none")
    }

    fn add_to_call(&mut self, delta: CallDelta, limits: &ModelLimits) -> Result<(), ModelError> {
        if delta.slot >= limits.calls {
            return Err(ModelError::TooManyCalls { limit: limits.calls });
        }
        while self.calls.len() <= delta.slot {
            self.calls.push(DraftCall::default());
        }
        let call = &mut self.calls[delta.slot];
        if let Some(id) = delta.id {
            call.id = id;
        }
        if let Some(name) = delta.name {
            call.name = name;
        }
        call.arguments.push_str(&delta.arguments);
        call.extra = delta.extra.or(call.extra.take());
        Ok(())
    }

    fn bytes(&self) -> usize {
        let thought = |thought: &Reasoning| {
            let [seal, hidden] = [&thought.seal, &thought.hidden].map(|text| text.as_ref().map_or(0, String::len));
            thought.text.len() + seal + hidden
        };
        let call = |call: &DraftCall| call.id.len() + call.name.len() + call.arguments.len();
        self.text.len() + self.reasoning.iter().map(thought).sum::<usize>() + self.calls.iter().map(call).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(deltas: impl IntoIterator<Item = Delta>) -> Draft {
        let mut draft = Draft::default();
        for delta in deltas {
            draft.add(delta, &ModelLimits::default()).expect("is small");
        }
        draft
    }

    fn call(slot: usize, id: Option<&str>, name: Option<&str>, arguments: &str) -> Delta {
        let (id, name) = (id.map(str::to_owned), name.map(str::to_owned));
        Delta::Call(CallDelta { slot, id, name, arguments: arguments.into(), extra: None })
    }

    /// R185: calls in pieces, several at once.
    #[test]
    fn pieces_find_their_place() {
        let draft = collect([
            Delta::Reasoning("hm".into()),
            Delta::Reasoning("m".into()),
            Delta::ReasoningSeal("s".into()),
            Delta::ReasoningSeal("1".into()),
            Delta::HiddenReasoning("xyz".into()),
            Delta::Reasoning("again".into()),
            Delta::Text("I ".into()),
            call(0, Some("a"), Some("one"), "{"),
            call(1, None, Some("two"), "{}"),
            Delta::Text("count.".into()),
            call(0, None, None, "\"n\":1}"),
            Delta::Usage(Usage { input_tokens: Some(7), ..Usage::default() }),
            Delta::Usage(Usage { output_tokens: Some(3), ..Usage::default() }),
            Delta::Finish(Finish::ToolCalls),
        ]);
        insta::assert_json_snapshot!(draft, @r#"
        {
          "reasoning": [
            {
              "text": "hmm",
              "seal": "s1"
            },
            {
              "hidden": "xyz"
            },
            {
              "text": "again"
            }
          ],
          "text": "I count.",
          "calls": [
            {
              "id": "a",
              "name": "one",
              "arguments": "{\"n\":1}"
            },
            {
              "id": "",
              "name": "two",
              "arguments": "{}"
            }
          ],
          "usage": {
            "input_tokens": 7,
            "output_tokens": 3
          },
          "finish": "tool_calls"
        }
        "#);
        let stored = serde_json::to_string(&draft).expect("serialises");
        assert_eq!(serde_json::from_str::<Draft>(&stored).expect("reads"), draft);
    }

    #[test]
    fn an_answer_is_bounded() {
        let limits = ModelLimits { answer_bytes: 4, calls: 1, ..ModelLimits::default() };
        let mut draft = Draft::default();
        draft.add(Delta::Text("1234".into()), &limits).expect("fits");
        let error = draft.add(Delta::Reasoning("5".into()), &limits).expect_err("is too long");
        assert_eq!(error.to_string(), "the answer was longer than 4 bytes and was cut off there");
        let error = draft.add(call(1, None, None, ""), &limits).expect_err("is one too many");
        assert_eq!(
            error.to_string(),
            "the model asked for more than 1 calls at once and was stopped; send the message again"
        );
    }
}
