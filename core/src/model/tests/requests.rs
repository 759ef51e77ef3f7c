//! Requests, as each provider wants them.

use serde_json::json;

use crate::digest::BlobId;
use crate::model::{
    AssistantTurn, InputPart, ModelCall, ModelMessage, ModelRequest, Reasoning, ToolAnswer, ToolDefinition,
};
use crate::protocol::ProviderFormat;

fn picture(bytes: &[u8]) -> InputPart {
    InputPart::Image { sha256: BlobId::of(bytes), media_type: "image/png".into() }
}

fn call(id: &str, name: &str) -> ModelCall {
    ModelCall { id: id.into(), name: name.into(), arguments: json!({"n": 1}), extra: None }
}

fn request() -> ModelRequest {
    let parts = vec![InputPart::Text("What is this?".into()), picture(b"png"), picture(b"gone")];
    let thought = Reasoning { text: "hm".into(), seal: Some("s".into()), hidden: None };
    let unsealed = Reasoning { text: "hm".into(), ..Reasoning::default() };
    let said = AssistantTurn {
        reasoning: vec![thought, unsealed],
        text: String::new(),
        calls: vec![
            call("call00001", "toolset__mine__count"),
            ModelCall { extra: Some(json!({"google": {}})), ..call("call00002", "toolset__mine__count") },
        ],
    };
    let answer = |id: &str, failed| ToolAnswer { call_id: id.into(), content: "{\"rows\":1}".into(), failed };
    ModelRequest {
        model: "small".into(),
        system: Some("Be brief.".into()),
        messages: vec![
            ModelMessage::User(parts),
            ModelMessage::Assistant(said),
            ModelMessage::Tool(answer("call00001", false)),
            ModelMessage::Tool(answer("call00002", true)),
            ModelMessage::User(vec![InputPart::Text("And?".into())]),
        ],
        tools: vec![ToolDefinition {
            name: "toolset__mine__count".into(),
            description: "Counts".into(),
            parameters: json!({"type": "object", "properties": {}}),
        }],
        temperature: Some(0.5),
        max_tokens: Some(100),
    }
}

fn written(format: ProviderFormat, request: &ModelRequest) -> serde_json::Value {
    format.body(request, &|id| (*id == BlobId::of(b"png")).then(|| b"png".to_vec()))
}

/// R181, R183, R189
#[test]
fn as_sent_to_openai() {
    insta::assert_json_snapshot!(written(ProviderFormat::OpenAi, &request()), @r#"
    {
      "model": "small",
      "messages": [
        {
          "role": "system",
          "content": "Be brief."
        },
        {
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "What is this?"
            },
            {
              "type": "image_url",
              "image_url": {
                "url": "data:image/png;base64,cG5n"
              }
            },
            {
              "type": "text",
              "text": "[a picture that is no longer stored]"
            }
          ]
        },
        {
          "role": "assistant",
          "content": null,
          "tool_calls": [
            {
              "id": "call00001",
              "type": "function",
              "function": {
                "name": "toolset__mine__count",
                "arguments": "{\"n\":1}"
              }
            },
            {
              "id": "call00002",
              "type": "function",
              "function": {
                "name": "toolset__mine__count",
                "arguments": "{\"n\":1}"
              },
              "extra_content": {
                "google": {}
              }
            }
          ]
        },
        {
          "role": "tool",
          "tool_call_id": "call00001",
          "content": "{\"rows\":1}"
        },
        {
          "role": "tool",
          "tool_call_id": "call00002",
          "content": "{\"rows\":1}"
        },
        {
          "role": "user",
          "content": "And?"
        }
      ],
      "stream": true,
      "stream_options": {
        "include_usage": true
      },
      "tools": [
        {
          "type": "function",
          "function": {
            "name": "toolset__mine__count",
            "description": "Counts",
            "parameters": {
              "type": "object",
              "properties": {}
            }
          }
        }
      ],
      "temperature": 0.5,
      "max_tokens": 100
    }
    "#);
}

/// R189
#[test]
fn as_sent_to_anthropic() {
    insta::assert_json_snapshot!(written(ProviderFormat::Anthropic, &request()), @r#"
    {
      "model": "small",
      "max_tokens": 100,
      "system": "Be brief.",
      "messages": [
        {
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "What is this?"
            },
            {
              "type": "image",
              "source": {
                "type": "base64",
                "media_type": "image/png",
                "data": "cG5n"
              }
            },
            {
              "type": "text",
              "text": "[a picture that is no longer stored]"
            }
          ]
        },
        {
          "role": "assistant",
          "content": [
            {
              "type": "thinking",
              "thinking": "hm",
              "signature": "s"
            },
            {
              "type": "tool_use",
              "id": "call00001",
              "name": "toolset__mine__count",
              "input": {
                "n": 1
              }
            },
            {
              "type": "tool_use",
              "id": "call00002",
              "name": "toolset__mine__count",
              "input": {
                "n": 1
              }
            }
          ]
        },
        {
          "role": "user",
          "content": [
            {
              "type": "tool_result",
              "tool_use_id": "call00001",
              "content": "{\"rows\":1}"
            },
            {
              "type": "tool_result",
              "tool_use_id": "call00002",
              "content": "{\"rows\":1}",
              "is_error": true
            },
            {
              "type": "text",
              "text": "And?"
            }
          ]
        }
      ],
      "stream": true,
      "tools": [
        {
          "name": "toolset__mine__count",
          "description": "Counts",
          "input_schema": {
            "type": "object",
            "properties": {}
          }
        }
      ],
      "temperature": 0.5
    }
    "#);
}

/// R184
#[test]
fn nothing_is_sent_of_what_is_not_there() {
    let bare = ModelRequest {
        model: "small".into(),
        messages: vec![ModelMessage::User(vec![InputPart::Text("Hello".into())])],
        ..ModelRequest::default()
    };
    insta::assert_json_snapshot!(written(ProviderFormat::OpenAi, &bare), @r#"
    {
      "model": "small",
      "messages": [
        {
          "role": "user",
          "content": "Hello"
        }
      ],
      "stream": true,
      "stream_options": {
        "include_usage": true
      }
    }
    "#);
    insta::assert_json_snapshot!(written(ProviderFormat::Anthropic, &bare), @r#"
    {
      "model": "small",
      "max_tokens": 8192,
      "messages": [
        {
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "Hello"
            }
          ]
        }
      ],
      "stream": true
    }
    "#);
}

#[test]
fn models_that_think_count_their_tokens_by_another_name() {
    let name = |model: &str| {
        let body = written(ProviderFormat::OpenAi, &ModelRequest { model: model.into(), ..request() });
        ["max_tokens", "max_completion_tokens"].map(|name| body.get(name).is_some())
    };
    assert_eq!(name("openai/gpt-5-mini"), [false, true]);
    assert_eq!(name("llama-3"), [true, false]);
}

#[test]
fn a_request_names_its_pictures() {
    assert_eq!(request().images(), [BlobId::of(b"png"), BlobId::of(b"gone")].into());
}
