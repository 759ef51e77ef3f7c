//! Expressions in a renderer's configuration: `$args.path`, `$return.stats.0.name`, `$chat_id`.
//!
//! A text that is exactly one expression becomes the value, with its type; inside a longer text the value is put in as text.
//! What was put in is not looked at again, so nothing that a tool or a model wrote is ever taken for an expression.

use serde_json::Value;

use super::RenderLimits;

/// What expressions can name.
#[derive(Clone, Copy, Debug)]
pub struct ExpressionScope<'a> {
    /// `$args`: what the tool was called with.
    pub args: &'a Value,
    /// `$return`: what it gave.
    pub returned: &'a Value,
    /// `$chat_id`.
    pub chat_id: &'a str,
    /// `$workspace`: where the tool saw its files.
    pub workspace: &'a str,
    /// `$toolset`: where the tool saw its toolset.
    pub toolset: &'a str,
}

/// A configuration after its expressions were looked up.
#[derive(Clone, Debug, PartialEq)]
pub struct Interpolated {
    /// The configuration; expressions that name nothing are in it as they were written.
    pub value: Value,
    /// Those expressions, in order, once each.
    pub unresolved: Vec<String>,
}

/// The values put in would be larger than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the values its expressions name are larger than {limit} bytes together")]
pub struct TooLarge {
    limit: usize,
}

/// Puts values in for all expressions of a configuration, through its objects and lists; names of fields stay as they are.
pub fn interpolate(
    template: &Value,
    scope: &ExpressionScope<'_>,
    limits: RenderLimits,
) -> Result<Interpolated, TooLarge> {
    let mut filling = Filling { scope, left: limits.resolved_bytes, limits, unresolved: Vec::new() };
    let value = filling.fill(template)?;
    Ok(Interpolated { value, unresolved: filling.unresolved })
}

struct Filling<'a> {
    scope: &'a ExpressionScope<'a>,
    limits: RenderLimits,
    left: usize,
    unresolved: Vec<String>,
}

/// What an expression names.
#[derive(Clone, Copy)]
enum Found<'a> {
    Value(&'a Value),
    Text(&'a str),
}

impl<'a> Filling<'a> {
    fn fill(&mut self, template: &Value) -> Result<Value, TooLarge> {
        Ok(match template {
            Value::String(text) => self.fill_text(text)?,
            Value::Array(items) => Value::Array(items.iter().map(|item| self.fill(item)).collect::<Result<_, _>>()?),
            Value::Object(fields) => {
                let filled = fields.iter().map(|(name, value)| Ok((name.clone(), self.fill(value)?)));
                Value::Object(filled.collect::<Result<_, TooLarge>>()?)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => template.clone(),
        })
    }

    fn fill_text(&mut self, text: &str) -> Result<Value, TooLarge> {
        let pieces = pieces(text);
        if let [Piece::Expression(written)] = pieces[..] {
            return Ok(match self.look_up(written)? {
                Some(Found::Value(value)) => value.clone(),
                Some(Found::Text(found)) => Value::String(found.to_owned()),
                None => Value::String(text.to_owned()),
            });
        }
        let mut filled = String::new();
        for piece in pieces {
            match piece {
                Piece::Literal(literal) => filled.push_str(literal),
                Piece::Expression(written) => match self.look_up(written)? {
                    Some(Found::Text(text)) => filled.push_str(text),
                    Some(Found::Value(Value::String(text))) => filled.push_str(text),
                    Some(Found::Value(value)) => filled.push_str(&value.to_string()),
                    None => filled.push_str(written),
                },
            }
        }
        Ok(Value::String(filled))
    }

    fn look_up(&mut self, written: &str) -> Result<Option<Found<'a>>, TooLarge> {
        let found = resolve(written, self.scope);
        let bytes = match found {
            Some(Found::Value(value)) => weight(value),
            Some(Found::Text(text)) => text.len(),
            None => {
                if !self.unresolved.iter().any(|seen| seen == written) {
                    self.unresolved.push(written.to_owned());
                }
                0
            }
        };
        self.left = self.left.checked_sub(bytes).ok_or(TooLarge { limit: self.limits.resolved_bytes })?;
        Ok(found)
    }
}

fn resolve<'a>(written: &str, scope: &'a ExpressionScope<'a>) -> Option<Found<'a>> {
    let mut parts = written.strip_prefix('$')?.split('.');
    let text = match parts.next()? {
        "args" => return parts.try_fold(scope.args, step).map(Found::Value),
        "return" => return parts.try_fold(scope.returned, step).map(Found::Value),
        "chat_id" => scope.chat_id,
        "workspace" => scope.workspace,
        "toolset" => scope.toolset,
        _unknown => return None,
    };
    parts.next().is_none().then_some(Found::Text(text))
}

fn step<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    match value {
        Value::Object(fields) => fields.get(part),
        Value::Array(items) => part.parse().ok().and_then(|at: usize| items.get(at)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// About how many bytes a value takes as JSON.
fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| weight(item) + 1).sum::<usize>() + 2,
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + 4 + weight(value)).sum::<usize>() + 2,
    }
}

/// A stretch of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text that means itself.
    Literal(&'a str),
    /// An expression with its `$`.
    Expression(&'a str),
}

/// Cuts a text at its expressions, which are `\$\w+(\.\w+)*`; a `$` before anything else is only a `$`.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut literal_from, mut at) = (0, 0);
    while let Some(found) = text[at..].find('$') {
        let dollar = at + found;
        let end = expression_end(text, dollar);
        at = dollar + 1;
        if end > at {
            if literal_from < dollar {
                pieces.push(Piece::Literal(&text[literal_from..dollar]));
            }
            pieces.push(Piece::Expression(&text[dollar..end]));
            (literal_from, at) = (end, end);
        }
    }
    if literal_from < text.len() {
        pieces.push(Piece::Literal(&text[literal_from..]));
    }
    pieces
}

fn expression_end(text: &str, dollar: usize) -> usize {
    let word_end = |from: usize| {
        let rest = &text[from..];
        from + rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len())
    };
    let mut end = word_end(dollar + 1);
    while end > dollar + 1 && text[end..].starts_with('.') && word_end(end + 1) > end + 1 {
        end = word_end(end + 1);
    }
    end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, prop, prop_assert_eq, prop_oneof, proptest};
    use serde_json::json;

    use super::*;

    fn filled(template: &Value, args: &Value, returned: &Value) -> Interpolated {
        let scope = ExpressionScope { args, returned, chat_id: "c1", workspace: "/workspace", toolset: "/toolset" };
        interpolate(template, &scope, RenderLimits::default()).expect("is small")
    }

    fn check(template: Value, expected: Value) {
        let (args, returned) = (
            json!({"path": "src/a.py", "n": 3, "deep": {"list": [{"name": "first"}, [true]]}}),
            json!({"port": 8000, "none": null, "text": "$args.path", "stats": {"rows": 100}}),
        );
        assert_eq!(filled(&template, &args, &returned), Interpolated { value: expected, unresolved: vec![] });
    }

    /// R206
    #[test]
    fn every_root_resolves() {
        check(json!("$args.path"), json!("src/a.py"));
        check(json!("$return.port"), json!(8000));
        check(json!("$chat_id"), json!("c1"));
        check(json!("$workspace"), json!("/workspace"));
        check(json!("$toolset"), json!("/toolset"));
        check(json!("$toolset/artifacts/x.html in $chat_id"), json!("/toolset/artifacts/x.html in c1"));
        check(
            json!({"a": ["$return", "$args.n"]}),
            json!({"a": [{"port": 8000, "none": null, "text": "$args.path", "stats": {"rows": 100}}, 3]}),
        );
    }

    /// R207
    #[test]
    fn alone_it_keeps_its_type_and_within_text_it_is_text() {
        check(json!("http://localhost:$return.port/x"), json!("http://localhost:8000/x"));
        check(json!("$args.n$args.n"), json!("33"));
        check(json!("rows: $return.stats."), json!(r#"rows: {"rows":100}."#));
        check(json!("$return.none"), json!(null));
        check(json!(" $return.none"), json!(" null"));
        check(json!(["$", "$$", "100 $ and $-", "$$args.n"]), json!(["$", "$$", "100 $ and $-", "$3"]));
    }

    /// R208: nested paths, lists by index.
    #[test]
    fn paths_go_through_objects_and_lists() {
        check(json!("$args.deep.list.0.name"), json!("first"));
        check(json!("$args.deep.list.1.0"), json!(true));
    }

    /// What a tool gave is never read as an expression.
    #[test]
    fn values_are_not_expanded_again() {
        check(json!("$return.text"), json!("$args.path"));
        check(json!("<$return.text>"), json!("<$args.path>"));
    }

    /// R208
    #[test]
    fn what_names_nothing_stays_and_is_reported() {
        let template =
            json!({"a": "$return.missing", "b": "x $nobody.a y $return.missing", "c": "$args.0", "d": "$chat_id.x"});
        let result = filled(&template, &json!([]), &json!({}));
        assert_eq!(result.value, template);
        assert_eq!(result.unresolved, ["$return.missing", "$nobody.a", "$args.0", "$chat_id.x"]);
    }

    #[test]
    fn a_short_template_cannot_make_a_huge_plan() {
        let large = json!("x".repeat(1000));
        let scope = ExpressionScope { args: &large, returned: &large, chat_id: "", workspace: "", toolset: "" };
        let limits = RenderLimits { resolved_bytes: 5000, ..RenderLimits::default() };
        assert!(interpolate(&json!(["$args", "$return", "and $args"]), &scope, limits).is_ok());
        for template in [json!("$args".repeat(10)), json!(vec!["$return"; 10])] {
            let refused = interpolate(&template, &scope, limits).expect_err("is too large").to_string();
            assert_eq!(refused, "the values its expressions name are larger than 5000 bytes together");
        }
    }

    fn any_json(text: &'static str) -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            proptest::bool::ANY.prop_map(Value::from),
            proptest::num::i64::ANY.prop_map(Value::from),
            text.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z]{1,4}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn without_a_dollar_nothing_changes(template in any_json("[^$]{0,12}")) {
            let expected = Interpolated { value: template.clone(), unresolved: vec![] };
            prop_assert_eq!(filled(&template, &Value::Null, &Value::Null), expected);
        }

        /// R207
        #[test]
        fn the_typed_value_is_kept(value in any_json(".{0,12}")) {
            let expected = Interpolated { value: value.clone(), unresolved: vec![] };
            prop_assert_eq!(filled(&json!("$return"), &Value::Null, &value), expected.clone());
            prop_assert_eq!(filled(&json!("$args.a.1"), &json!({"a": [0, value]}), &Value::Null), expected);
        }

        /// Any text whatever is cut into pieces that make it up again.
        #[test]
        fn pieces_join_to_the_text(text in r"[$a.ü_1 /\-]{0,24}") {
            let joined: String = pieces(&text)
                .into_iter()
                .map(|piece| match piece {
                    Piece::Literal(literal) => literal,
                    Piece::Expression(written) => written,
                })
                .collect();
            prop_assert_eq!(joined, text);
        }
    }
}
