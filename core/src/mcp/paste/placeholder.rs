//! What a configuration leaves open: the inputs of VS Code, and variables in every program's spelling. Each becomes `${NAME}`.

use std::collections::{BTreeMap, BTreeSet};

use super::node::Node;
use super::{AskedValue, PasteError, PasteLimits};
use crate::bundle::secrets::variable;
use crate::protocol::SecretName;

/// The inputs that are declared, and everything that was found to be open.
pub(super) struct Placeholders {
    inputs: BTreeMap<String, Input>,
    /// In the order in which they were found.
    open: Vec<AskedValue>,
}

/// An item of `inputs`.
struct Input {
    description: Option<String>,
    hidden: bool,
    options: Vec<String>,
    default: Option<String>,
}

impl Placeholders {
    pub(super) fn of(inputs: Option<Node<'_>>, limits: &PasteLimits) -> Result<Self, PasteError> {
        let mut declared = BTreeMap::new();
        for input in inputs.map(|inputs| inputs.items(limits)).transpose()?.unwrap_or_default() {
            let Some(id) = input.get("id") else { continue };
            let text = |key: &str| input.get(key).map(|found| found.scalar(limits)).transpose();
            let options = input.get("options").map(|found| found.items(limits)).transpose()?.unwrap_or_default();
            // An option is a text, or an object with a label for people.
            let option = |option: &Node<'_>| option.get("value").unwrap_or_else(|| option.clone()).scalar(limits);
            let read = Input {
                description: text("description")?,
                hidden: input.get("password").map_or(Ok(false), |found| found.flag())?,
                options: options.iter().map(option).collect::<Result<_, _>>()?,
                default: text("default")?,
            };
            declared.insert(id.text(limits)?.to_owned(), read);
        }
        Ok(Self { inputs: declared, open: Vec::new() })
    }

    /// A text with its placeholders in our spelling; what they stand for is asked for on behalf of this server.
    pub(super) fn normal(&mut self, text: &str, server: &str) -> String {
        let mut normal = String::new();
        let mut rest = text;
        while let Some((before, inside, after)) = next(rest) {
            normal.push_str(before);
            normal.push_str(&format!("${{{}}}", self.found(inside, server)));
            rest = after;
        }
        normal + rest
    }

    /// The names so far.
    pub(super) fn names(&self) -> BTreeSet<String> {
        self.open.iter().map(|open| open.name.to_string()).collect()
    }

    /// What has to be asked for: what nobody `has` yet.
    pub(super) fn into_asked(self, has: impl Fn(&str) -> bool, is_secret: impl Fn(&str) -> bool) -> Vec<AskedValue> {
        let open = self.open.into_iter().filter(|open| !has(open.name.as_str()));
        open.map(|open| AskedValue { hidden: open.hidden || is_secret(open.name.as_str()), ..open }).collect()
    }

    /// Notes what is between the braces, and gives the name it has from now on.
    fn found(&mut self, inside: &str, server: &str) -> String {
        let (name, description, input, default) = match inside.split_once(':') {
            Some(("input", id)) => (variable(id), None, self.inputs.get(id), None),
            Some(("env", name)) => (name.to_owned(), None, None, None),
            Some(("file", path)) => (variable(path), Some(format!("the content of the file {path}")), None, None),
            // `${NAME:-default}`, as shells and Claude have it.
            Some((name, default)) if default.starts_with('-') => {
                (name.to_owned(), None, None, Some(default[1..].to_owned()))
            }
            Some(_) => (variable(inside), Some(format!("what ${{{inside}}} stood for")), None, None),
            None => (inside.to_owned(), None, None, None),
        };
        let name = SecretName::parse(&name).or_else(|_| SecretName::parse(&variable(&name)));
        let name = name.unwrap_or_else(|_| SecretName::parse("VALUE").expect("is a name"));
        match self.open.iter_mut().find(|open| open.name == name) {
            Some(open) if open.servers.iter().any(|known| known == server) => {}
            Some(open) => open.servers.push(server.to_owned()),
            None => self.open.push(AskedValue {
                name: name.clone(),
                description: input.and_then(|input| input.description.clone()).or(description),
                hidden: input.is_some_and(|input| input.hidden),
                options: input.map(|input| input.options.clone()).unwrap_or_default(),
                default: input.and_then(|input| input.default.clone()).or(default),
                servers: vec![server.to_owned()],
            }),
        }
        name.into()
    }
}

/// The text before the next placeholder, what is in it, and the text after it. `{env:NAME}` and `{file:path}` are OpenCode's.
fn next(text: &str) -> Option<(&str, &str, &str)> {
    let starts = ["${", "{env:", "{file:"].into_iter().filter_map(|mark| Some((text.find(mark)?, mark)));
    let (at, mark) = starts.min()?;
    let skipped = if mark == "${" { 2 } else { 1 };
    let inside = &text[at + skipped..];
    let length = inside.find('}').filter(|length| *length > 0)?;
    Some((&text[..at], &inside[..length], &inside[length + 1..]))
}
