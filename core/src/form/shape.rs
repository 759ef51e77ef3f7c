//! What a schema wants at one place, as far as a form can ask for it.

use serde_json::{Map, Value};

use crate::percent;

/// How many schemas may say something about one place, by references and `allOf`.
const LAYERS: usize = 32;
/// How many members, options and forms a form shows; beyond, it asks for JSON.
const MOST: usize = 200;

static NULL: Value = Value::Null;

/// All that is said about one place.
#[derive(Clone, Debug)]
pub(super) struct Spot<'s> {
    root: &'s Value,
    /// Nearest first: what a schema says itself goes before what it refers to.
    layers: Vec<&'s Map<String, Value>>,
    /// One of several types, where a form of the value was chosen by it.
    chosen_type: Option<&'s str>,
    /// Whether a choice between several forms was made already.
    is_one_form: bool,
    /// Whether null is one of the forms.
    has_null: bool,
}

/// What a form can ask for.
#[derive(Debug)]
pub(super) enum Kind<'s> {
    Text,
    Number { is_whole: bool },
    Choice(Vec<(String, &'s Value)>),
    Boolean,
    Object(Vec<Member<'s>>),
    List(Spot<'s>),
    Forms(Vec<FormOf<'s>>),
    Fixed(&'s Value),
    Json,
}

/// A member of an object.
#[derive(Debug)]
pub(super) struct Member<'s> {
    pub(super) name: &'s str,
    pub(super) is_required: bool,
    /// None where nothing can be known of it.
    pub(super) spot: Option<Spot<'s>>,
}

/// One of several forms that a value may have.
#[derive(Debug)]
pub(super) struct FormOf<'s> {
    pub(super) label: String,
    pub(super) spot: Spot<'s>,
}

impl<'s> Spot<'s> {
    /// What a schema says; none where it says nothing, or refers to what is not in it.
    pub(super) fn of(root: &'s Value, schema: &'s Value) -> Option<Self> {
        let mut layers = Vec::new();
        add_layers(root, schema, &mut layers)?;
        let mut spot = Self { root, layers, chosen_type: None, is_one_form: false, has_null: false };
        spot.settle()?;
        Some(spot)
    }

    /// Where there is one form beside null, it is the form: that is how a value that may be null is often written.
    fn settle(&mut self) -> Option<()> {
        let Some(forms) = self.forms() else { return Some(()) };
        let others: Vec<&'s Value> = forms.iter().filter(|form| !is_null(self.root, form)).collect();
        self.has_null = others.len() < forms.len();
        if let [only] = others.as_slice() {
            self.is_one_form = true;
            add_layers(self.root, only, &mut self.layers)?;
        }
        Some(())
    }

    /// The forms of which one is to be chosen.
    fn forms(&self) -> Option<&'s Vec<Value>> {
        let list = |keyword| self.get(keyword).and_then(Value::as_array);
        list("oneOf").or_else(|| list("anyOf")).filter(|_| !self.is_one_form)
    }

    /// What the nearest schema says that says anything about it.
    pub(super) fn get(&self, keyword: &str) -> Option<&'s Value> {
        self.layers.iter().find_map(|layer| layer.get(keyword))
    }

    pub(super) fn text(&self, keyword: &str) -> Option<&'s str> {
        self.get(keyword).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }

    /// Whether null is a value here beside others.
    pub(super) fn is_nullable(&self) -> bool {
        let in_enum = self.get("enum").and_then(Value::as_array).is_some_and(|all| all.contains(&Value::Null));
        let in_type = self.get("type").and_then(Value::as_array).is_some_and(|all| all.contains(&"null".into()));
        self.has_null || in_enum || (in_type && self.chosen_type.is_none())
    }

    /// What can be asked for.
    pub(super) fn kind(&self) -> Kind<'s> {
        if let Some(value) = self.get("const") {
            return Kind::Fixed(value);
        }
        if let Some(values) = self.get("enum").and_then(Value::as_array) {
            let options: Vec<_> = values.iter().filter(|value| !value.is_null()).map(option).collect();
            return if options.is_empty() || options.len() > MOST { Kind::Json } else { Kind::Choice(options) };
        }
        if let Some(forms) = self.forms() {
            return self.kind_of_forms(forms);
        }
        self.kind_of_type()
    }

    fn kind_of_forms(&self, schemas: &'s [Value]) -> Kind<'s> {
        let others: Vec<&'s Value> = schemas.iter().filter(|schema| !is_null(self.root, schema)).collect();
        if others.is_empty() || others.len() > MOST {
            return Kind::Json;
        }
        let forms: Option<Vec<Self>> = others.iter().map(|schema| self.as_form(schema)).collect();
        let Some(forms) = forms else { return Kind::Json };
        // A list of named constants is an enumeration with words to it.
        let constant = |form: &Self| {
            let value = form.get("const")?;
            let label = form.text("title").or_else(|| form.text("description"));
            Some((label.map_or_else(|| option(value).0, str::to_owned), value))
        };
        let own = others.iter().filter(|schema| schema.get("const").is_some()).count();
        if own == others.len() {
            return Kind::Choice(forms.iter().filter_map(constant).collect());
        }
        let named = |(at, spot): (usize, Self)| FormOf { label: spot.form_label(others[at], at), spot };
        Kind::Forms(forms.into_iter().enumerate().map(named).collect())
    }

    fn kind_of_type(&self) -> Kind<'s> {
        let types: Vec<&'s str> = match (self.chosen_type, self.get("type")) {
            (Some(one), _) => vec![one],
            (None, Some(Value::String(one))) => vec![one.as_str()],
            (None, Some(Value::Array(several))) => {
                several.iter().filter_map(Value::as_str).filter(|one| *one != "null").collect()
            }
            (None, _) if self.get("properties").is_some() => vec!["object"],
            (None, _) if self.get("items").is_some() => vec!["array"],
            (None, _) => vec![],
        };
        match types.as_slice() {
            ["string"] => Kind::Text,
            ["integer"] => Kind::Number { is_whole: true },
            ["number"] | ["integer", "number"] | ["number", "integer"] => Kind::Number { is_whole: false },
            ["boolean"] => Kind::Boolean,
            ["null"] => Kind::Fixed(&NULL),
            ["object"] => self.object(),
            ["array"] => self.list(),
            [] | [_] => Kind::Json,
            several => {
                let form = |one: &&'s str| FormOf {
                    label: type_label(one).into(),
                    spot: Self { chosen_type: Some(one), ..self.clone() },
                };
                Kind::Forms(several.iter().map(form).collect())
            }
        }
    }

    fn object(&self) -> Kind<'s> {
        let members = self.members();
        if members.is_empty() || members.len() > MOST { Kind::Json } else { Kind::Object(members) }
    }

    /// The members that have a name, in the author's order, those that must be there first.
    fn members(&self) -> Vec<Member<'s>> {
        let lists = self.layers.iter().filter_map(|layer| layer.get("required")?.as_array());
        let required: Vec<&str> = lists.flatten().filter_map(Value::as_str).collect();
        let named = || self.layers.iter().filter_map(|layer| layer.get("properties")?.as_object()).flatten();
        let mut names: Vec<&'s str> = Vec::new();
        let in_order = required.iter().filter_map(|name| named().find(|(known, _)| known == name));
        for (name, _) in in_order.chain(named()) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let member = |name: &'s str| {
            let schema = named().find(|(known, _)| *known == name).map(|(_, schema)| schema);
            let spot = schema.and_then(|schema| Self::of(self.root, schema));
            Member { name, is_required: required.contains(&name), spot }
        };
        names.into_iter().map(member).collect()
    }

    fn list(&self) -> Kind<'s> {
        if self.get("prefixItems").is_some() {
            return Kind::Json;
        }
        let item = self.get("items").filter(|items| items.is_object()).and_then(|items| Self::of(self.root, items));
        item.map_or(Kind::Json, Kind::List)
    }

    /// The same place, where one of its forms was chosen. What the form says goes before what is said around it, but for the choice itself.
    fn as_form(&self, schema: &'s Value) -> Option<Self> {
        let mut form = Self::of(self.root, schema)?;
        let has_choice = form.get("oneOf").is_some() || form.get("anyOf").is_some();
        if !has_choice {
            form.layers.extend(self.layers.iter().copied());
            form.is_one_form = true;
        }
        form.has_null = false;
        Some(form)
    }

    /// What a form is called: by itself, by what it holds, or by its number.
    fn form_label(&self, schema: &'s Value, at: usize) -> String {
        let own = Self::of(self.root, schema);
        let own = own.as_ref();
        if let Some(title) = own.and_then(|own| own.text("title")) {
            return title.to_owned();
        }
        let members = own.map(Self::members).unwrap_or_default();
        let fixed = members.iter().find_map(|member| member.spot.as_ref()?.get("const").map(|value| option(value).0));
        let by_type = || own.and_then(|own| own.text("type")).filter(|name| *name != "object");
        let required =
            || members.iter().find(|member| member.is_required).map(|member| format!("with {}", member.name));
        fixed
            .or_else(|| by_type().map(|name| type_label(name).to_owned()))
            .or_else(required)
            .unwrap_or_else(|| format!("form {}", at + 1))
    }
}

fn add_layers<'s>(root: &'s Value, schema: &'s Value, layers: &mut Vec<&'s Map<String, Value>>) -> Option<()> {
    if layers.len() >= LAYERS {
        return None;
    }
    let schema = schema.as_object()?;
    layers.push(schema);
    if let Some(reference) = schema.get("$ref") {
        let fragment = reference.as_str()?.strip_prefix('#')?;
        add_layers(root, root.pointer(&decoded(fragment)?)?, layers)?;
    }
    for one in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        // `true` says nothing.
        if one.is_object() {
            add_layers(root, one, layers)?;
        }
    }
    Some(())
}

/// A pointer as a reference writes it; names of anchors are not followed.
fn decoded(fragment: &str) -> Option<String> {
    let pointer = percent::decode(fragment).ok()?;
    (pointer.is_empty() || pointer.starts_with('/')).then_some(pointer)
}

fn is_null(root: &Value, schema: &Value) -> bool {
    let mut layers = Vec::new();
    let says = |layer: &&Map<String, Value>| {
        layer.get("type").is_some_and(|name| name == "null") || layer.get("const") == Some(&Value::Null)
    };
    add_layers(root, schema, &mut layers).is_some() && layers.iter().any(says)
}

fn option(value: &Value) -> (String, &Value) {
    (value.as_str().map_or_else(|| value.to_string(), str::to_owned), value)
}

fn type_label(name: &str) -> &str {
    match name {
        "string" => "text",
        "integer" => "whole number",
        "boolean" => "yes or no",
        "array" => "list",
        other => other,
    }
}
