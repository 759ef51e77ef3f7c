//! The rows of a form: one for each place that the value has or may have, in the order in which a person fills them in.

use serde_json::Value;

use super::Form;
use super::place::{member, names};
use super::shape::{Kind, Spot};
use crate::counted::counted;

/// How deep rows go. Deeper values are JSON.
const DEPTH: usize = 12;
/// How many items of a list have rows of their own.
const ITEMS: usize = 100;
/// Names of members that hold more than a line, as tools call them.
const LONG: [&str; 12] =
    ["body", "code", "content", "css", "diff", "html", "markdown", "patch", "script", "source", "svg", "text"];
/// From this many characters on, a text is thought to have lines.
const LONG_TEXT: u64 = 500;

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Where its value is, a JSON pointer.
    pub path: String,
    /// How far it is inside of others.
    pub depth: usize,
    /// What it is called.
    pub label: String,
    /// What the schema says about it.
    pub description: String,
    /// What is allowed, in a few words; empty where that is plain.
    pub hint: String,
    /// Whether there must be a value.
    pub required: bool,
    /// Whether it is an item of a list.
    pub is_item: bool,
    /// Whether it may be null, and whether it is.
    pub null: Option<bool>,
    /// How it is asked for.
    pub input: Input,
}

/// How the value of a row is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// By typing a text.
    Text {
        /// Whether more than one line is to be expected.
        has_lines: bool,
    },
    /// By typing a number.
    Number {
        /// Whether only a whole one will do.
        is_whole: bool,
    },
    /// By choosing a value.
    Choice {
        /// What can be chosen.
        options: Vec<ChoiceOption>,
    },
    /// By choosing what form it has; the rows of that form follow, at the same path or below it.
    Forms {
        /// What each is called.
        labels: Vec<String>,
        /// Which it is.
        chosen: usize,
    },
    /// By the rows below it.
    Group {
        /// Whether it is there.
        is_present: bool,
    },
    /// By the rows below it, one an item.
    List {
        /// How many.
        count: usize,
    },
    /// Not at all: it can be nothing else.
    Fixed {
        /// The value, in words.
        words: String,
    },
    /// By typing JSON.
    Json,
    /// Not at all: members that the form does not know. They are in the JSON.
    Rest {
        /// Their names.
        names: String,
    },
}

/// A value that can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct ChoiceOption {
    /// What it is called.
    pub label: String,
    /// The value.
    pub value: Value,
}

impl Row {
    /// Tells it from the other rows, and stays the same while it is filled in: only what a row is drawn from anew counts.
    #[must_use]
    pub fn key(&self) -> String {
        let input = match &self.input {
            Input::Text { .. } => "text".into(),
            Input::Number { .. } => "number".into(),
            Input::Choice { options } => {
                options.iter().fold("choice".into(), |key: String, option| key + "|" + &option.label)
            }
            Input::Forms { labels, .. } => labels.join("|"),
            Input::Group { .. } => "group".into(),
            Input::List { .. } => "list".into(),
            Input::Fixed { words } => format!("={words}"),
            Input::Json => "json".into(),
            Input::Rest { names } => format!("rest {names}"),
        };
        format!("{} {} {input}", self.path, self.depth)
    }
}

/// Where a row is and what is known of it before its value is looked at.
struct Head<'f> {
    path: String,
    depth: usize,
    label: String,
    required: bool,
    is_item: bool,
    value: Option<&'f Value>,
}

/// All rows of a form.
pub(super) fn rows(form: &Form) -> Vec<Row> {
    let mut rows = Vec::new();
    let spot = Spot::of(&form.schema, &form.schema);
    match spot.as_ref().map(Spot::kind) {
        Some(Kind::Object(_) | Kind::Forms(_)) => {
            let spot = spot.expect("it has a kind");
            below(form, &spot, "", 0, &mut rows);
        }
        // Without names there is nothing to ask for but the whole; if it takes nothing at all, not even that.
        _ if takes_nothing(&form.schema) => {}
        _ => rows.push(Row {
            path: String::new(),
            depth: 0,
            label: "All of it".into(),
            description: String::new(),
            hint: "JSON".into(),
            required: true,
            is_item: false,
            null: None,
            input: Input::Json,
        }),
    }
    rows
}

/// The schema of a place, going down by the forms that are in effect.
pub(super) fn spot<'f>(form: &'f Form, path: &str) -> Option<Spot<'f>> {
    let mut spot = Spot::of(&form.schema, &form.schema)?;
    let mut at = String::new();
    for name in names(path) {
        spot = in_form(form, &at, spot);
        spot = match spot.kind() {
            Kind::Object(members) => members.into_iter().find(|member| member.name == name)?.spot?,
            Kind::List(item) => item,
            _ => return None,
        };
        at = member(&at, &name);
    }
    Some(spot)
}

/// The form that a value has, of several.
fn in_form<'f>(form: &Form, path: &str, spot: Spot<'f>) -> Spot<'f> {
    match spot.kind() {
        Kind::Forms(mut forms) => {
            let at = chosen(form, path, &forms.iter().map(|form| &form.spot).collect::<Vec<_>>());
            forms.swap_remove(at).spot
        }
        _ => spot,
    }
}

/// Which of several forms a value has: the one that was chosen, as long as the value may have it, else the first it may have.
fn chosen(form: &Form, path: &str, forms: &[&Spot<'_>]) -> usize {
    let value = form.value.pointer(path).filter(|value| !value.is_null());
    let remembered = form.chosen.get(path).copied().filter(|at| *at < forms.len());
    let Some(value) = value else { return remembered.unwrap_or(0) };
    let fits = |at: &usize| likeness(forms[*at], value) > 0;
    let best = || (0..forms.len()).rev().max_by_key(|at| likeness(forms[*at], value));
    remembered.filter(fits).or_else(best).unwrap_or(0)
}

/// How much a value looks like having a form: 0 for not at all. Only looked at from above.
fn likeness(spot: &Spot<'_>, value: &Value) -> u32 {
    match (spot.kind(), value) {
        (Kind::Fixed(fixed), value) if fixed == value => 9,
        (Kind::Choice(options), value) if options.iter().any(|(_, option)| *option == value) => 8,
        (Kind::Object(members), Value::Object(object)) => {
            let fixed = |name: &str, spot: &Option<Spot<'_>>| {
                let wanted = spot.as_ref().and_then(|spot| spot.get("const"));
                wanted.is_none_or(|wanted| object.get(name) == Some(wanted))
            };
            if !members.iter().all(|member| fixed(member.name, &member.spot)) {
                return 0;
            }
            let has_all = members.iter().all(|member| !member.is_required || object.contains_key(member.name));
            let known = object.keys().filter(|name| members.iter().any(|member| member.name == *name)).count();
            2 + 3 * u32::from(has_all) + u32::from(known == object.len() && known > 0)
        }
        (Kind::Text, Value::String(_))
        | (Kind::Number { is_whole: false }, Value::Number(_))
        | (Kind::Boolean, Value::Bool(_))
        | (Kind::List(_), Value::Array(_)) => 5,
        (Kind::Number { is_whole: true }, Value::Number(number)) => {
            if number.is_f64() {
                0
            } else {
                6
            }
        }
        (Kind::Forms(forms), value) => forms.iter().map(|form| likeness(&form.spot, value)).max().unwrap_or(0),
        (Kind::Json, _) => 1,
        _ => 0,
    }
}

/// The rows of a place that has a row of its own already, or none.
fn below(form: &Form, spot: &Spot<'_>, path: &str, depth: usize, rows: &mut Vec<Row>) {
    match spot.kind() {
        Kind::Object(members) => {
            let object = form.value.pointer(path).and_then(Value::as_object);
            for one in &members {
                let place = member(path, one.name);
                let head = Head {
                    value: form.value.pointer(&place),
                    path: place,
                    depth,
                    label: one.name.into(),
                    required: one.is_required,
                    is_item: false,
                };
                add(form, one.spot.as_ref(), head, rows);
            }
            let unknown = object.into_iter().flatten().map(|(name, _)| name.as_str());
            let unknown: Vec<&str> = unknown.filter(|name| !members.iter().any(|one| one.name == *name)).collect();
            if !unknown.is_empty() {
                rows.push(rest(path, depth, &unknown));
            }
        }
        Kind::List(item) => {
            let count = form.value.pointer(path).and_then(Value::as_array).map_or(0, Vec::len);
            let name = names(path).last().unwrap_or_default();
            for index in 0..count.min(ITEMS) {
                let place = member(path, &index.to_string());
                let head = Head {
                    value: form.value.pointer(&place),
                    path: place,
                    depth,
                    label: format!("{name} {}", index + 1),
                    required: true,
                    is_item: true,
                };
                add(form, Some(&item), head, rows);
            }
            if count > ITEMS {
                rows.push(rest(path, depth, &[&counted(count - ITEMS, "more item")]));
            }
        }
        Kind::Forms(_) => {
            // The forms of the whole: the choice has a row, which belongs to no member.
            let head = Head {
                path: path.into(),
                depth,
                label: "Form".into(),
                required: true,
                is_item: false,
                value: form.value.pointer(path),
            };
            add(form, Some(spot), head, rows);
        }
        Kind::Text | Kind::Number { .. } | Kind::Choice(_) | Kind::Boolean | Kind::Fixed(_) | Kind::Json => {}
    }
}

/// The row of a place, and the rows below it.
fn add(form: &Form, spot: Option<&Spot<'_>>, head: Head<'_>, rows: &mut Vec<Row>) {
    let kind = spot.map_or(Kind::Json, Spot::kind);
    let value = head.value.filter(|value| !value.is_null());
    let may_be_null = spot.is_some_and(Spot::is_nullable);
    // Elsewhere null stands for what was asked for and is not given yet.
    let is_null = may_be_null && head.value.is_some_and(Value::is_null);
    let path = head.path.clone();
    let depth = head.depth;
    let mut row = plain(spot, head);
    row.null = may_be_null.then_some(is_null);
    let is_other = value.is_some_and(|value| spot.is_none_or(|spot| likeness(spot, value) == 0));
    if (is_other && !matches!(kind, Kind::Forms(_) | Kind::Choice(_))) || depth >= DEPTH {
        // A value of another kind than the form would ask for: it is shown as it is.
        rows.push(Row { input: Input::Json, ..row });
        return;
    }
    match kind {
        Kind::Text => {
            let has_lines = has_lines(spot, &row, value);
            rows.push(Row { input: Input::Text { has_lines }, ..row });
        }
        Kind::Number { is_whole } => rows.push(Row { input: Input::Number { is_whole }, ..row }),
        Kind::Boolean => {
            let option = |label: &str, value| ChoiceOption { label: label.into(), value: Value::Bool(value) };
            rows.push(Row { input: Input::Choice { options: vec![option("yes", true), option("no", false)] }, ..row });
        }
        Kind::Choice(options) => {
            let mut options: Vec<ChoiceOption> =
                options.into_iter().map(|(label, value)| ChoiceOption { label, value: value.clone() }).collect();
            if let Some(value) = value.filter(|_| is_other) {
                // What is there and not allowed can be seen, and chosen away.
                options.push(ChoiceOption { label: format!("{value} (not allowed)"), value: value.clone() });
            }
            rows.push(Row { input: Input::Choice { options }, ..row });
        }
        Kind::Object(_) => {
            // What must be there is there as soon as one of its rows is filled in.
            let is_present = value.is_some() || (row.required && !row.is_item && !is_null);
            rows.push(Row { input: Input::Group { is_present }, ..row });
            if let (true, Some(spot)) = (is_present, spot) {
                below(form, spot, &path, depth + 1, rows);
            }
        }
        Kind::List(_) => {
            let count = value.and_then(Value::as_array).map_or(0, Vec::len);
            rows.push(Row { input: Input::List { count }, ..row });
            if let Some(spot) = spot {
                below(form, spot, &path, depth + 1, rows);
            }
        }
        Kind::Forms(forms) => {
            let at = chosen(form, &path, &forms.iter().map(|form| &form.spot).collect::<Vec<_>>());
            let labels = forms.iter().map(|form| form.label.clone()).collect();
            let (required, is_item, label) = (row.required, row.is_item, row.label.clone());
            let is_wanted = required || value.is_some() || form.chosen.contains_key(&path);
            rows.push(Row { input: Input::Forms { labels, chosen: at }, ..row });
            let of = &forms[at];
            if is_null || !is_wanted {
                return;
            }
            match of.spot.kind() {
                Kind::Object(_) | Kind::List(_) => below(form, &of.spot, &path, depth + 1, rows),
                _ => {
                    let head = Head { path, depth: depth + 1, label, required, is_item, value };
                    add(form, Some(&of.spot), head, rows);
                }
            }
        }
        Kind::Fixed(value) => {
            let words = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            rows.push(Row { input: Input::Fixed { words }, ..row });
        }
        Kind::Json => {
            row.hint = if row.hint.is_empty() { "JSON".into() } else { row.hint };
            rows.push(Row { input: Input::Json, ..row });
        }
    }
}

/// A row as far as it does not depend on its kind.
fn plain(spot: Option<&Spot<'_>>, head: Head<'_>) -> Row {
    let Head { path, depth, label, required, is_item, value: _ } = head;
    let title = spot.and_then(|spot| spot.text("title")).filter(|_| !is_item);
    Row {
        path,
        depth,
        label: title.map_or(label, str::to_owned),
        description: spot.and_then(|spot| spot.text("description")).unwrap_or_default().to_owned(),
        hint: spot.map(hint).unwrap_or_default(),
        required,
        is_item,
        null: None,
        input: Input::Json,
    }
}

fn rest(path: &str, depth: usize, names: &[&str]) -> Row {
    Row {
        path: member(path, ""),
        depth,
        label: "Also given".into(),
        description: String::new(),
        hint: String::new(),
        required: false,
        is_item: false,
        null: None,
        input: Input::Rest { names: names.join(", ") },
    }
}

/// What is allowed, in a few words.
fn hint(spot: &Spot<'_>) -> String {
    let mut parts = Vec::new();
    parts.extend(spot.text("format").map(str::to_owned));
    let number = |keyword: &str| spot.get(keyword).filter(|value| value.is_number());
    let least = number("minimum").map(|least| format!("at least {least}"));
    let most = number("maximum").map(|most| format!("at most {most}"));
    let above = number("exclusiveMinimum").map(|least| format!("more than {least}"));
    let under = number("exclusiveMaximum").map(|most| format!("less than {most}"));
    parts.extend([least, above, most, under].into_iter().flatten());
    parts.extend(number("maxLength").map(|most| format!("at most {most} characters")));
    parts.extend(spot.text("pattern").map(|pattern| format!("like {pattern}")));
    if let Some(example) = spot.get("examples").and_then(Value::as_array).and_then(|all| all.first()) {
        parts.push(format!("such as {}", example.as_str().map_or_else(|| example.to_string(), str::to_owned)));
    }
    parts.join(", ")
}

fn has_lines(spot: Option<&Spot<'_>>, row: &Row, value: Option<&Value>) -> bool {
    let Some(spot) = spot else { return false };
    let name = names(&row.path).last().unwrap_or_default();
    let is_long = spot.get("maxLength").and_then(Value::as_u64).is_some_and(|most| most >= LONG_TEXT);
    let is_named = LONG.iter().any(|long| name == *long || name.ends_with(&format!("_{long}")));
    let is_short = spot.get("format").is_some() || spot.get("pattern").is_some();
    let has_some = value.and_then(Value::as_str).is_some_and(|text| text.contains('\n'));
    has_some || (!is_short && (is_long || is_named || spot.get("contentMediaType").is_some()))
}

fn takes_nothing(schema: &Value) -> bool {
    let says_object = schema.get("type").is_none_or(|name| name == "object");
    let has_members = ["additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some_and(|value| *value != Value::Bool(false)));
    schema.is_object() && says_object && !has_members
}
