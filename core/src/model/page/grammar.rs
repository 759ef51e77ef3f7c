//! The grammar that an answer with tools has to follow, in llama.cpp's own notation (GBNF).
//!
//! An answer is either words, which do not begin with a brace, or one call on one line. The arguments follow the tool's schema as far as
//! a grammar of small size can say it: shapes, names, required fields, enumerations. What it cannot say (patterns, ranges, lengths) is
//! found when the call is checked, as with every other model.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::Offer;

/// How deep a schema is followed; below that, any JSON will do.
const MOST_DEEP: usize = 6;
/// How many optional fields an object may have for its shape to be written out: the rule grows with their square.
const MOST_OPTIONAL: usize = 16;
/// How many parts of a schema are looked at: one that refers to itself has no end.
const MOST_PARTS: usize = 500;
/// How long the rules of one tool may be; of one that needs more, any object will do.
const MOST_BYTES: usize = 16 << 10;

/// What every grammar ends with: JSON, on one line.
const JSON: &str = r#"value ::= object | array | string | number | boolean | null
object ::= "{" (string ":" " "? value ("," " "? string ":" " "? value)*)? "}"
array ::= "[" (value ("," " "? value)*)? "]"
string ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
integer ::= "-"? ("0" | [1-9] [0-9]{0,15})
number ::= integer ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,3})?
boolean ::= "true" | "false"
null ::= "null"
"#;

/// The grammar of an answer.
pub(super) fn of(offer: &Offer) -> String {
    let mut grammar = String::from(if offer.must_call { "root ::= call\n" } else { "root ::= call | words\n" });
    if !offer.must_call {
        grammar.push_str("words ::= [^{ \\t\\r\\n] .*\n");
    }
    let names: Vec<String> = (0..offer.tools.len()).map(|number| format!("call-{number}")).collect();
    line(&mut grammar, "call", &names.join(" | "));
    for (number, tool) in offer.tools.iter().enumerate() {
        let mut rules = Rules { root: &tool.parameters, number, written: String::new(), made: 0, seen: 0 };
        let arguments = rules.object(&tool.parameters, 0);
        let is_short = rules.written.len() + arguments.len() <= MOST_BYTES;
        let (arguments, rules) = if is_short { (arguments, rules.written) } else { ("object".into(), String::new()) };
        let begin = literal(&format!("{{\"tool\":{},\"arguments\":", Value::from(tool.name.as_str())));
        line(&mut grammar, &names[number], &format!("{begin} {arguments} \"}}\""));
        grammar.push_str(&rules);
    }
    grammar.push_str(JSON);
    grammar
}

/// The rules that one tool's arguments need.
struct Rules<'a> {
    /// The whole schema, which parts of it may refer to.
    root: &'a Value,
    /// The tool's number, which its rules are named by.
    number: usize,
    written: String,
    made: usize,
    seen: usize,
}

impl Rules<'_> {
    /// What a value must look like: an expression that can stand anywhere.
    fn value(&mut self, schema: &Value, depth: usize) -> String {
        self.seen += 1;
        if depth > MOST_DEEP || self.seen > MOST_PARTS {
            return "value".into();
        }
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array).filter(|allowed| !allowed.is_empty()) {
            return one_of(allowed.iter().map(|allowed| literal(&allowed.to_string())).collect());
        }
        if let Some(only) = schema.get("const") {
            return literal(&only.to_string());
        }
        if let Some(place) = schema.get("$ref").and_then(Value::as_str) {
            let meant = place.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)).cloned();
            return meant.map_or_else(|| "value".into(), |meant| self.value(&meant, depth + 1));
        }
        let choices =
            ["anyOf", "oneOf", "allOf"].iter().find_map(|word| schema.get(word)?.as_array().map(|list| (word, list)));
        match choices {
            Some((&"allOf", list)) if list.len() != 1 => return "value".into(),
            Some((_, list)) if !list.is_empty() => {
                return one_of(list.iter().map(|choice| self.value(choice, depth + 1)).collect());
            }
            Some(_) | None => {}
        }
        match schema.get("type") {
            Some(Value::String(kind)) => self.kind(kind, schema, depth),
            Some(Value::Array(kinds)) => {
                one_of(kinds.iter().filter_map(Value::as_str).map(|kind| self.kind(kind, schema, depth)).collect())
            }
            _ if schema.get("properties").is_some() => self.object(schema, depth),
            _ => "value".into(),
        }
    }

    fn kind(&mut self, kind: &str, schema: &Value, depth: usize) -> String {
        match kind {
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            "string" | "integer" | "number" | "boolean" | "null" => kind.into(),
            _ => "value".into(),
        }
    }

    fn array(&mut self, schema: &Value, depth: usize) -> String {
        let Some(items) = schema.get("items").filter(|items| items.is_object()) else { return "array".into() };
        let item = self.value(items, depth + 1);
        let item = self.rule(&item);
        let number = |name: &str| schema.get(name).and_then(Value::as_u64);
        let list = match (number("minItems").unwrap_or_default(), number("maxItems")) {
            (_, Some(0)) => String::new(),
            (0, Some(most)) => format!(" ({item} (\",\" \" \"? {item}){{0,{}}})?", most - 1),
            (0, None) => format!(" ({item} (\",\" \" \"? {item})*)?"),
            (least, Some(most)) if most >= least => {
                format!(" {item} (\",\" \" \"? {item}){{{},{}}}", least - 1, most - 1)
            }
            (least, _) => format!(" {item} (\",\" \" \"? {item}){{{},}}", least - 1),
        };
        format!("\"[\"{list} \"]\"")
    }

    /// Required fields first, then the others, each set in the order of the schema.
    fn object(&mut self, schema: &Value, depth: usize) -> String {
        let schema = match schema.get("$ref").and_then(Value::as_str).and_then(|place| place.strip_prefix('#')) {
            Some(pointer) if depth <= MOST_DEEP => self.root.pointer(pointer).cloned().unwrap_or(Value::Null),
            Some(_) | None => schema.clone(),
        };
        let none = Map::new();
        let properties = match schema.get("properties") {
            Some(properties) => properties.as_object().unwrap_or(&none),
            None => return "object".into(),
        };
        let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let is_required = |name: &str| required.iter().any(|required| required == name);
        let (mut always, mut perhaps) = (Vec::new(), Vec::new());
        for (name, schema) in properties {
            let value = self.value(schema, depth + 1);
            let field = format!("{} \" \"? {value}", literal(&format!("{}:", Value::from(name.as_str()))));
            let field = self.rule(&field);
            if is_required(name) { always.push(field) } else { perhaps.push(field) }
        }
        if perhaps.len() > MOST_OPTIONAL {
            return "object".into();
        }
        let next = |fields: &[String]| -> String {
            fields.iter().fold(String::new(), |mut text, field| {
                write!(text, " (\",\" \" \"? {field})?").expect("writing to a text does not fail");
                text
            })
        };
        if always.is_empty() {
            let begins = perhaps.iter().enumerate().map(|(at, first)| format!("{first}{}", next(&perhaps[at + 1..])));
            let begins: Vec<String> = begins.collect();
            return if begins.is_empty() {
                "\"{}\"".into()
            } else {
                format!("\"{{\" ({})? \"}}\"", begins.join(" | "))
            };
        }
        format!("\"{{\" {}{} \"}}\"", always.join(" \",\" \" \"? "), next(&perhaps))
    }

    /// Names an expression, so that it can be used more than once.
    fn rule(&mut self, expression: &str) -> String {
        let is_name = expression.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if is_name {
            return expression.into();
        }
        let name = format!("part-{}-{}", self.number, self.made);
        self.made += 1;
        line(&mut self.written, &name, expression);
        name
    }
}

fn line(grammar: &mut String, name: &str, expression: &str) {
    writeln!(grammar, "{name} ::= {expression}").expect("writing to a text does not fail");
}

fn one_of(choices: Vec<String>) -> String {
    match <[String; 1]>::try_from(choices) {
        Ok([only]) => only,
        Err(choices) if choices.is_empty() => "value".into(),
        Err(choices) => format!("({})", choices.join(" | ")),
    }
}

/// A text that stands for itself. JSON has no line breaks in it.
fn literal(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
