//! Markers: whether a requirement holds here (PEP 508), such as `python_version < "3.9" and extra == "socks"`.
//!
//! They come out of wheels of strangers, so they are bounded while they are read.

use super::environment;
use super::name::PackageName;
use super::version::{Specifiers, Version};

/// A condition on the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Any(Vec<Marker>),
    All(Vec<Marker>),
    Compare { left: Value, operator: String, right: Value },
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Variable(String),
    Text(String),
}

/// How many brackets may be open at once, so that nothing overflows the stack.
const DEPTH: usize = 32;

impl Marker {
    /// Reads one; nothing where it makes no sense.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut reader = Reader { rest: text };
        let marker = reader.any(0)?;
        reader.skip_space();
        reader.rest.is_empty().then_some(marker)
    }

    /// Whether it holds in the cage, with these extras asked for.
    pub(super) fn holds(&self, extras: &[String]) -> bool {
        match self {
            Self::Any(parts) => parts.iter().any(|part| part.holds(extras)),
            Self::All(parts) => parts.iter().all(|part| part.holds(extras)),
            Self::Compare { left, operator, right } => compare(left, operator, right, extras),
        }
    }
}

fn compare(left: &Value, operator: &str, right: &Value, extras: &[String]) -> bool {
    let extra = |value: &Value| matches!(value, Value::Variable(name) if name == "extra");
    if extra(left) || extra(right) {
        let wanted = normal(if extra(left) { right.text() } else { left.text() });
        let is_asked_for = extras.iter().any(|extra| normal(extra) == wanted);
        return if operator == "!=" { !is_asked_for } else { is_asked_for };
    }
    let (left, right) = (left.text(), right.text());
    match operator {
        "in" => return right.contains(left),
        "not in" => return !right.contains(left),
        _ => {}
    }
    if let (Ok(version), Ok(specifiers)) = (Version::parse(left), Specifiers::parse(&format!("{operator}{right}"))) {
        return specifiers.allow(&version);
    }
    match operator {
        "==" | "===" => left == right,
        "!=" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        ">=" => left >= right,
        _ => false,
    }
}

fn normal(extra: &str) -> String {
    PackageName::parse(extra).map_or_else(|_not_a_name| extra.to_owned(), String::from)
}

impl Value {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Variable(name) => environment::variable(name),
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn any(&mut self, depth: usize) -> Option<Marker> {
        let mut parts = vec![self.all(depth)?];
        while self.take_word("or") {
            parts.push(self.all(depth)?);
        }
        Some(if parts.len() == 1 { parts.swap_remove(0) } else { Marker::Any(parts) })
    }

    fn all(&mut self, depth: usize) -> Option<Marker> {
        let mut parts = vec![self.one(depth)?];
        while self.take_word("and") {
            parts.push(self.one(depth)?);
        }
        Some(if parts.len() == 1 { parts.swap_remove(0) } else { Marker::All(parts) })
    }

    fn one(&mut self, depth: usize) -> Option<Marker> {
        if self.take("(") {
            let inner = if depth < DEPTH { self.any(depth + 1)? } else { return None };
            return self.take(")").then_some(inner);
        }
        Some(Marker::Compare { left: self.value()?, operator: self.operator()?, right: self.value()? })
    }

    fn value(&mut self) -> Option<Value> {
        self.skip_space();
        let quote = self.rest.chars().next()?;
        if matches!(quote, '"' | '\'') {
            let (text, rest) = self.rest[1..].split_once(quote)?;
            self.rest = rest;
            return Some(Value::Text(text.to_owned()));
        }
        let word = self.word();
        // Before PEP 508 some were spelled with dots.
        (!word.is_empty()).then(|| Value::Variable(word.replace('.', "_")))
    }

    fn operator(&mut self) -> Option<String> {
        if let Some(symbol) =
            ["===", "~=", "==", "!=", "<=", ">=", "<", ">"].into_iter().find(|symbol| self.take(symbol))
        {
            return Some(symbol.to_owned());
        }
        if self.take_word("in") {
            return Some("in".into());
        }
        (self.take_word("not") && self.take_word("in")).then(|| "not in".into())
    }

    fn word(&mut self) -> &'t str {
        self.skip_space();
        let is_of_word = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.');
        let end = self.rest.find(|char| !is_of_word(char)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn take_word(&mut self, wanted: &str) -> bool {
        let before = self.rest;
        let found = self.word() == wanted;
        if !found {
            self.rest = before;
        }
        found
    }

    fn take(&mut self, wanted: &str) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_hold_or_not() {
        let check = |text: &str, extras: &[&str], expected: bool| {
            let extras: Vec<String> = extras.iter().map(|extra| (*extra).to_owned()).collect();
            assert_eq!(Marker::parse(text).expect("is a marker").holds(&extras), expected, "{text}");
        };
        check("python_version < '3.9'", &[], false);
        check("python_version >= \"3.10\"", &[], true);
        check("'3.9' <= python_version", &[], true);
        check("python_full_version=='3.14.*'", &[], true);
        check("sys_platform == 'win32' or sys_platform == 'emscripten'", &[], true);
        check("sys.platform != 'win32' and (os_name == 'nt' or platform_machine == 'wasm32')", &[], true);
        check("platform_system in 'Linux Emscripten'", &[], true);
        check("platform_system not in 'Linux'", &[], true);
        check("extra == 'socks'", &[], false);
        check("extra == 'SOCKS_x'", &["socks-x"], true);
        check("python_version < '3' and extra == 'socks'", &["socks"], false);
        check("unknown_variable == ''", &[], true);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let deep = format!("{}os_name == 'a'{}", "(".repeat(1_000), ")".repeat(1_000));
        for text in ["", "os_name", "os_name ==", "os_name == 'a", "(os_name == 'a'", "os_name == 'a' b", &deep] {
            assert_eq!(Marker::parse(text), None, "{text}");
        }
    }
}
