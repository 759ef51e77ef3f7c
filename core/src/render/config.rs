//! What each renderer must be told (R010), read once before and once after its expressions are resolved.

use serde_json::{Map, Value};

use super::address::{AddressError, FrameAddress};
use super::expression::{Piece, pieces};
use crate::record::RendererKind;

/// The configuration of a renderer, its expressions resolved. Fields that we do not know are left to the row.
#[derive(Clone, Debug, PartialEq)]
pub enum RenderConfig {
    /// Source code.
    Code {
        /// What to show.
        source: Source,
        /// Its language; none for `auto`, which asks the file's name.
        language: Option<String>,
        /// Whether it can be edited.
        editable: bool,
    },
    /// Markdown or plain text.
    Document {
        /// What to show.
        source: Source,
        /// Whether it can be edited.
        editable: bool,
    },
    /// A page of the toolset.
    Html {
        /// The page's path, as it was written.
        artifact: String,
        /// What it is given.
        data: Value,
    },
    /// A page at an address.
    Frame(FrameTarget),
}

/// Where the text of a view comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file of the workspace, its path as it was written.
    File(String),
    /// The text itself.
    Content(String),
}

/// What a frame shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameTarget {
    /// A page somewhere.
    Address(FrameAddress),
    /// A page of the workspace, its path as it was written after `workspace:`.
    Workspace(String),
}

/// What is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// It is not an object.
    #[error("the configuration of the {} renderer must be an object", .0.name())]
    NotAnObject(RendererKind),
    /// Neither of two fields is there.
    #[error("the {} renderer needs \"{first}\" or \"{second}\"", kind.name())]
    Neither {
        /// The renderer.
        kind: RendererKind,
        /// One field.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// Both of two fields are there.
    #[error("the {} renderer takes \"{first}\" or \"{second}\", not both", kind.name())]
    Both {
        /// The renderer.
        kind: RendererKind,
        /// One field.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// A field is not there.
    #[error("the {} renderer needs \"{field}\"", kind.name())]
    Missing {
        /// The renderer.
        kind: RendererKind,
        /// The field.
        field: &'static str,
    },
    /// A field that the renderer does not have.
    #[error("the {} renderer has no {field:?}; it has {}", kind.name(), quoted(fields_of(*.kind)))]
    Unknown {
        /// The renderer.
        kind: RendererKind,
        /// The field.
        field: String,
    },
    /// A field is empty.
    #[error("\"{field}\" of the {} renderer is empty", kind.name())]
    Empty {
        /// The renderer.
        kind: RendererKind,
        /// The field.
        field: &'static str,
    },
    /// The page of an html renderer is not in the toolset.
    #[error("{0:?} is not a path inside the toolset")]
    Artifact(String),
    /// A field has another type.
    #[error("\"{field}\" of the {} renderer must be {expected}", kind.name())]
    WrongType {
        /// The renderer.
        kind: RendererKind,
        /// The field.
        field: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// A frame cannot show the address.
    #[error(transparent)]
    Address(#[from] AddressError),
}

impl ConfigError {
    /// The field it is about, if it is one that is there.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::NotAnObject(_) | Self::Neither { .. } | Self::Both { .. } | Self::Missing { .. } => None,
            Self::Unknown { field, .. } => Some(field),
            Self::Empty { field, .. } | Self::WrongType { field, .. } => Some(field),
            Self::Artifact(_) => Some("artifact"),
            Self::Address(_) => Some("url"),
        }
    }
}

/// The fields that a renderer has.
const fn fields_of(kind: RendererKind) -> &'static [&'static str] {
    match kind {
        RendererKind::Code => &["file", "content", "language", "editable"],
        RendererKind::Document => &["file", "content", "editable"],
        RendererKind::Html => &["artifact", "data"],
        RendererKind::Frame => &["url", "port"],
    }
}

fn quoted(fields: &[&str]) -> String {
    fields.iter().map(|field| format!("\"{field}\"")).collect::<Vec<_>>().join(", ")
}

impl RenderConfig {
    /// Reads a configuration whose expressions are resolved.
    pub fn read(kind: RendererKind, config: &Value) -> Result<Self, ConfigError> {
        Fields { kind, fields: object(kind, config)?, declared: false }.read()
    }

    /// Checks a configuration as a manifest or an override declares it: an expression may stand for any value, and a field that
    /// the renderer does not have is a mistake of its author.
    pub fn check_declared(kind: RendererKind, config: &Value) -> Result<(), ConfigError> {
        let fields = object(kind, config)?;
        if let Some(field) = fields.keys().find(|field| !fields_of(kind).contains(&field.as_str())) {
            return Err(ConfigError::Unknown { kind, field: field.chars().take(80).collect() });
        }
        Fields { kind, fields, declared: true }.read().map(drop)
    }
}

fn object(kind: RendererKind, config: &Value) -> Result<&Map<String, Value>, ConfigError> {
    config.as_object().ok_or(ConfigError::NotAnObject(kind))
}

struct Fields<'a> {
    kind: RendererKind,
    fields: &'a Map<String, Value>,
    /// Expressions are not resolved yet. What is read is then only good for its errors.
    declared: bool,
}

impl Fields<'_> {
    fn read(&self) -> Result<RenderConfig, ConfigError> {
        Ok(match self.kind {
            RendererKind::Code => RenderConfig::Code {
                source: self.source()?,
                language: self.optional_text("language")?.filter(|name| !matches!(name.as_str(), "" | "auto")),
                editable: self.flag("editable")?,
            },
            RendererKind::Document => {
                RenderConfig::Document { source: self.source()?, editable: self.flag("editable")? }
            }
            RendererKind::Html => RenderConfig::Html {
                artifact: self.artifact()?,
                data: self.fields.get("data").cloned().unwrap_or_default(),
            },
            RendererKind::Frame => RenderConfig::Frame(self.target()?),
        })
    }

    fn source(&self) -> Result<Source, ConfigError> {
        Ok(match self.one_of("file", "content")? {
            "file" => Source::File(self.some_text("file")?),
            _content => Source::Content(self.text("content")?),
        })
    }

    /// The page. That it is inside the toolset is known before the call where its path is written out.
    fn artifact(&self) -> Result<String, ConfigError> {
        let path = self.some_text("artifact")?;
        let is_open = pieces(&path).iter().any(|piece| matches!(piece, Piece::Expression(_)));
        if self.declared && !is_open {
            let inside = path.strip_prefix("./").unwrap_or(&path);
            let leaves = inside.starts_with('/') || inside.split('/').any(|name| matches!(name, "" | "." | ".."));
            if leaves || inside.contains(['\\', ':']) {
                return Err(ConfigError::Artifact(path.chars().take(120).collect()));
            }
        }
        Ok(path)
    }

    fn target(&self) -> Result<FrameTarget, ConfigError> {
        if self.one_of("url", "port")? == "port" {
            return self.port().map(|port| FrameTarget::Address(FrameAddress::of_port(port)));
        }
        let url = self.some_text("url")?;
        let pieces = pieces(&url);
        if self.declared && pieces.iter().any(|piece| matches!(piece, Piece::Expression(_))) {
            // Before the values are known only a scheme that is written out can be wrong.
            let scheme = match pieces[0] {
                Piece::Literal(literal) => literal.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase()),
                Piece::Expression(_) => None,
            };
            let known = scheme.is_none_or(|scheme| ["http", "https", "workspace"].contains(&scheme.as_str()));
            return if known { Ok(FrameTarget::Workspace(url)) } else { Err(AddressError::Scheme(url).into()) };
        }
        Ok(match url.strip_prefix("workspace:") {
            Some(path) => FrameTarget::Workspace(path.to_owned()),
            None => FrameTarget::Address(FrameAddress::parse(&url)?),
        })
    }

    fn port(&self) -> Result<u16, ConfigError> {
        let value = &self.fields["port"];
        let number = match value {
            Value::Number(number) => number.as_u64().and_then(|number| u16::try_from(number).ok()),
            Value::String(_) if self.stands_for_any(value) => Some(1),
            Value::String(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => digits.parse().ok(),
            _other => None,
        };
        number.filter(|port| *port != 0).ok_or(self.wrong("port", "a number from 1 to 65535"))
    }

    /// Which of two fields is there; null counts as not there.
    fn one_of(&self, first: &'static str, second: &'static str) -> Result<&'static str, ConfigError> {
        match (self.has(first), self.has(second)) {
            (true, false) => Ok(first),
            (false, true) => Ok(second),
            (true, true) => Err(ConfigError::Both { kind: self.kind, first, second }),
            (false, false) => Err(ConfigError::Neither { kind: self.kind, first, second }),
        }
    }

    fn has(&self, field: &str) -> bool {
        self.fields.get(field).is_some_and(|value| !value.is_null())
    }

    fn text(&self, field: &'static str) -> Result<String, ConfigError> {
        self.optional_text(field)?.ok_or(ConfigError::Missing { kind: self.kind, field })
    }

    fn some_text(&self, field: &'static str) -> Result<String, ConfigError> {
        let text = self.text(field)?;
        if text.is_empty() { Err(ConfigError::Empty { kind: self.kind, field }) } else { Ok(text) }
    }

    fn optional_text(&self, field: &'static str) -> Result<Option<String>, ConfigError> {
        match self.fields.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_other) => Err(self.wrong(field, "text")),
        }
    }

    fn flag(&self, field: &'static str) -> Result<bool, ConfigError> {
        match self.fields.get(field) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(value) if self.stands_for_any(value) => Ok(false),
            Some(_other) => Err(self.wrong(field, "true or false")),
        }
    }

    fn stands_for_any(&self, value: &Value) -> bool {
        self.declared && value.as_str().is_some_and(|text| matches!(pieces(text)[..], [Piece::Expression(_)]))
    }

    fn wrong(&self, field: &'static str, expected: &'static str) -> ConfigError {
        ConfigError::WrongType { kind: self.kind, field, expected }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(kind: RendererKind, config: Value) -> String {
        let read = RenderConfig::read(kind, &config).expect_err("is wrong").to_string();
        let declared = RenderConfig::check_declared(kind, &config).expect_err("is wrong").to_string();
        assert_eq!(read, declared);
        read
    }

    /// R010
    #[test]
    fn each_renderer_reads_its_own_fields() {
        let check = |kind, config: Value, expected| {
            assert_eq!(RenderConfig::read(kind, &config), Ok(expected));
            assert_eq!(RenderConfig::check_declared(kind, &config), Ok(()));
        };
        check(
            RendererKind::Code,
            json!({"file": "a.py", "language": "auto", "editable": true}),
            RenderConfig::Code { source: Source::File("a.py".into()), language: None, editable: true },
        );
        check(
            RendererKind::Code,
            json!({"content": "ls", "language": "shell", "file": null}),
            RenderConfig::Code {
                source: Source::Content("ls".into()),
                language: Some("shell".into()),
                editable: false,
            },
        );
        check(
            RendererKind::Document,
            json!({"content": ""}),
            RenderConfig::Document { source: Source::Content(String::new()), editable: false },
        );
        check(
            RendererKind::Html,
            json!({"artifact": "./artifacts/viz.html", "data": [1]}),
            RenderConfig::Html { artifact: "./artifacts/viz.html".into(), data: json!([1]) },
        );
        let address = |url| RenderConfig::Frame(FrameTarget::Address(FrameAddress::parse(url).expect("is an address")));
        check(RendererKind::Frame, json!({"url": "https://example.com/x"}), address("https://example.com/x"));
        check(RendererKind::Frame, json!({"port": 8000}), address("http://localhost:8000"));
        check(RendererKind::Frame, json!({"port": "8000"}), address("http://localhost:8000"));
        check(
            RendererKind::Frame,
            json!({"url": "workspace:index.html"}),
            RenderConfig::Frame(FrameTarget::Workspace("index.html".into())),
        );
    }

    /// A stored configuration may come from a later version; one that is declared now may not name what nobody reads.
    #[test]
    fn fields_that_are_not_known_are_refused_only_where_they_are_declared() {
        let config = json!({"content": "x", "of_the_future": 1});
        let source = Source::Content("x".into());
        let expected = RenderConfig::Document { source, editable: false };
        assert_eq!(RenderConfig::read(RendererKind::Document, &config), Ok(expected));
        let refused = RenderConfig::check_declared(RendererKind::Document, &config).expect_err("is not known");
        assert_eq!(refused.field(), Some("of_the_future"));
        assert_eq!(
            refused.to_string(),
            r#"the document renderer has no "of_the_future"; it has "file", "content", "editable""#
        );
    }

    /// R010, R044: where a page is written out, it must be inside its toolset.
    #[test]
    fn a_page_outside_of_the_toolset_is_refused_when_it_is_declared() {
        let check = |artifact: &str, is_fine: bool| {
            let declared = RenderConfig::check_declared(RendererKind::Html, &json!({"artifact": artifact}));
            let expected = if is_fine { Ok(()) } else { Err(ConfigError::Artifact(artifact.into())) };
            assert_eq!(declared, expected);
        };
        check("artifacts/page.html", true);
        check("./page.html", true);
        check("$toolset/page.html", true);
        for outside in ["../page.html", "/page.html", "a//b.html", "a\\b.html", "https://example.com/"] {
            check(outside, false);
        }
    }

    /// R010, C55
    #[test]
    fn every_refusal_says_what_is_wrong() {
        let check = |kind, config, expected: &str| assert_eq!(refused(kind, config), expected);
        check(RendererKind::Code, json!("a.py"), "the configuration of the code renderer must be an object");
        check(RendererKind::Code, json!({}), r#"the code renderer needs "file" or "content""#);
        check(
            RendererKind::Document,
            json!({"file": "$args.path", "content": "x"}),
            r#"the document renderer takes "file" or "content", not both"#,
        );
        check(RendererKind::Code, json!({"content": {"a": 1}}), r#""content" of the code renderer must be text"#);
        check(
            RendererKind::Code,
            json!({"content": "x", "editable": "yes"}),
            r#""editable" of the code renderer must be true or false"#,
        );
        check(RendererKind::Code, json!({"file": ""}), r#""file" of the code renderer is empty"#);
        check(RendererKind::Html, json!({"data": "$return"}), r#"the html renderer needs "artifact""#);
        check(RendererKind::Frame, json!({}), r#"the frame renderer needs "url" or "port""#);
        check(
            RendererKind::Frame,
            json!({"port": 0}),
            r#""port" of the frame renderer must be a number from 1 to 65535"#,
        );
        check(
            RendererKind::Frame,
            json!({"url": "javascript:alert(1)"}),
            r#"a frame shows http, https and "workspace:" addresses only, not "javascript:alert(1)""#,
        );
    }

    /// An expression may stand for any value until it is resolved.
    #[test]
    fn declarations_may_leave_values_open() {
        let check = |kind, config: Value, expected: Result<(), &str>| {
            let found = RenderConfig::check_declared(kind, &config).map_err(|error| error.to_string());
            assert_eq!(found, expected.map_err(str::to_owned), "{config}");
        };
        check(RendererKind::Code, json!({"file": "$args.path", "editable": "$args.edit"}), Ok(()));
        check(RendererKind::Frame, json!({"url": "http://localhost:$return.port"}), Ok(()));
        check(RendererKind::Frame, json!({"url": "$return.url"}), Ok(()));
        check(RendererKind::Frame, json!({"url": "workspace:$args.path"}), Ok(()));
        check(RendererKind::Frame, json!({"port": "$return.port"}), Ok(()));
        check(
            RendererKind::Frame,
            json!({"url": "file://$workspace/x"}),
            Err(r#"a frame shows http, https and "workspace:" addresses only, not "file://$workspace/x""#),
        );
    }
}
