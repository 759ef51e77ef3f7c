//! A branch of a chat as a Markdown document, for people and for other programs (R321).
//!
//! What was said stands as it was written; what a tool was called with and gave stands in fences that nothing in it can close.

use std::fmt::Write as _;

use serde_json::Value;

use super::{AnswerMetadata, MessageTree};
use crate::record::{Chat, Content, Message, Node, Part, Role};
use crate::tool_run::is_invoked_by_user;

/// The branch that ends with a node, as Markdown.
#[must_use]
pub fn markdown(chat: &Chat, tree: &MessageTree, leaf: &Node) -> String {
    let path = tree.path(leaf);
    let mut text = format!("# {}\n", one_line(&chat.title));
    let elsewhere = tree.messages().count() - path.len();
    if elsewhere > 0 {
        let (noun, verb) = if elsewhere == 1 { ("message", "is") } else { ("messages", "are") };
        push(
            &mut text,
            format_args!("\n*{elsewhere} {noun} on other branches of this chat {verb} not in this document.*\n"),
        );
    }
    let mut last = String::new();
    for message in path {
        if message.role == Role::Tool {
            push(&mut text, format_args!("\n**Result**\n\n{}", fenced(&pretty(&message.content.text()))));
            continue;
        }
        let speaker = speaker(message);
        // An answer in several rounds is one, unless another model has gone on with it.
        let goes_on = tree.parent(&message.id).is_some_and(|above| tree.is_within_answer(above));
        if !(goes_on && speaker == last) {
            push(&mut text, format_args!("\n## {speaker}\n"));
        }
        write_message(&mut text, message);
        last = speaker;
    }
    text
}

fn write_message(text: &mut String, message: &Message) {
    let said = said(&message.content);
    if !said.trim().is_empty() {
        push(text, format_args!("\n{}\n", said.trim_end()));
    }
    for call in &message.tool_calls {
        push(
            text,
            format_args!(
                "\n**Called** `{}`\n\n{}",
                one_line(&call.function.name),
                fenced(&pretty(&call.function.arguments))
            ),
        );
    }
}

fn speaker(message: &Message) -> String {
    match message.role {
        Role::User => "You".into(),
        Role::Assistant if is_invoked_by_user(message) => "You".into(),
        Role::Assistant => match AnswerMetadata::of(message).model {
            Some(model) => format!("Assistant ({})", one_line(&model)),
            None => "Assistant".into(),
        },
        Role::System => "System".into(),
        Role::Tool => "Tool".into(),
    }
}

fn said(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Parts(parts) => {
            let parts = parts.iter().map(|part| match part {
                Part::Text { text } => text.clone(),
                Part::Image { media_type, .. } => format!("*(a picture, {media_type})*"),
            });
            parts.collect::<Vec<_>>().join("\n\n")
        }
    }
}

/// A text in a fence that is longer than any inside; JSON is said to be that.
fn fenced((language, text): &(&str, String)) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// JSON over several lines, anything else as it is.
fn pretty(text: &str) -> (&'static str, String) {
    let read = serde_json::from_str::<Value>(text).ok();
    match read.filter(|value| value.is_object() || value.is_array()) {
        Some(value) => ("json", serde_json::to_string_pretty(&value).unwrap_or_else(|_| text.to_owned())),
        None => ("", text.to_owned()),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn push(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.write_fmt(more).expect("writing into a text does not fail");
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::super::sample::{chat, chat_id, message, node};
    use super::*;
    use crate::digest::BlobId;
    use crate::record::{CallKind, RequestedCall, RequestedFunction};

    fn text_of(messages: Vec<Message>, leaf: u32) -> String {
        markdown(&chat(), &MessageTree::new(&chat_id(1), messages), &node(leaf))
    }

    /// R321
    #[test]
    fn a_branch_becomes_a_document() {
        let function =
            RequestedFunction { name: "toolset__mine__count".into(), arguments: "{\"path\":\"a.csv\"}".into() };
        let asking = Message {
            role: Role::Assistant,
            content: Content::Text("I will count.".into()),
            tool_calls: vec![RequestedCall { id: "1".into(), kind: CallKind::Function, function }],
            metadata: Map::from_iter([("model".into(), json!("small"))]),
            ..message(2, Some(1))
        };
        let answer = Message {
            role: Role::Tool,
            content: Content::Text("12 rows\n```\nand a fence".into()),
            tool_call_id: Some("1".into()),
            ..message(3, Some(2))
        };
        let parts = vec![
            Part::Text { text: "How many rows?".into() },
            Part::Image { sha256: BlobId::of(b"png"), media_type: "image/png".into() },
        ];
        let question = Message { content: Content::Parts(parts), ..message(1, None) };
        let round = |number: u32, model: &str| Message {
            role: Role::Assistant,
            metadata: Map::from_iter([("model".into(), json!(model))]),
            ..message(number, Some(number - 1))
        };
        let rows = [question, asking, answer, round(4, "small"), round(5, "large"), message(6, Some(1))];
        let document = text_of(rows.into(), 5);
        insta::assert_snapshot!(document, @r#"
        # Rows

        *1 message on other branches of this chat is not in this document.*

        ## You

        How many rows?

        *(a picture, image/png)*

        ## Assistant (small)

        I will count.

        **Called** `toolset__mine__count`

        ```json
        {
          "path": "a.csv"
        }
        ```

        **Result**

        ````
        12 rows
        ```
        and a fence
        ````

        message 4

        ## Assistant (large)

        message 5
        "#);
    }

    /// R321: a call made by hand is the user's, and a chat without messages is a title.
    #[test]
    fn who_speaks_is_told() {
        let by_hand = Message {
            role: Role::Assistant,
            content: Content::Text(String::new()),
            metadata: Map::from_iter([("invoked_by".into(), json!("user"))]),
            ..message(1, None)
        };
        assert_eq!(text_of(vec![by_hand], 1), "# Rows\n\n## You\n");
        assert_eq!(text_of(vec![], 1), "# Rows\n");
    }
}
