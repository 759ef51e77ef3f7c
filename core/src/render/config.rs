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
    #[error("the configuration of a {} renderer must be an object", .0.name())]
    NotAnObject(RendererKind),
    /// Neither of two fields is there.
    #[error("a {} renderer needs \"{first}\" or \"{second}\"", kind.name())]
    Neither {
        /// The renderer.
        kind: RendererKind,
        /// One field.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// Both of two fields are there.
    #[error("a {} renderer takes \"{first}\" or \"{second}\", not both", kind.name())]
    Both {
        /// The renderer.
        kind: RendererKind,
        /// One field.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// A field is not there.
    #[error("a {} renderer needs \"{field}\"", kind.name())]
    Missing {
        /// The renderer.
        kind: RendererKind,
        /// The field.
        field: &'static str,
    },
    /// A field has another type.
    #[error("\"{field}\" of a {} renderer must be {expected}", kind.name())]
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

impl RenderConfig {
    /// Reads a configuration whose expressions are resolved.
    pub fn read(kind: RendererKind, config: &Value) -> Result<Self, ConfigError> {
        Fields { kind, fields: object(kind, config)?, declared: false }.read()
    }

    /// Checks a configuration as a manifest or an override declares it: an expression may stand for any value.
    pub fn check_declared(kind: RendererKind, config: &Value) -> Result<(), ConfigError> {
        Fields { kind, fields: object(kind, config)?, declared: true }.read().map(drop)
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
                artifact: self
                    .optional_text("artifact")?
                    .ok_or(ConfigError::Missing { kind: self.kind, field: "artifact" })?,
                data: self.fields.get("data").cloned().unwrap_or_default(),
            },
            RendererKind::Frame => RenderConfig::Frame(self.target()?),
        })
    }

    fn source(&self) -> Result<Source, ConfigError> {
        Ok(match self.one_of("file", "content")? {
            "file" => Source::File(self.text("file")?),
            _content => Source::Content(self.text("content")?),
        })
    }

    fn target(&self) -> Result<FrameTarget, ConfigError> {
        if self.one_of("url", "port")? == "port" {
            return self.port().map(|port| FrameTarget::Address(FrameAddress::of_port(port)));
        }
        let url = self.text("url")?;
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
            json!({"file": "a.py", "language": "auto", "editable": true, "of_the_future": 1}),
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

    /// R010, C55
    #[test]
    fn every_refusal_says_what_is_wrong() {
        let check = |kind, config, expected: &str| assert_eq!(refused(kind, config), expected);
        check(RendererKind::Code, json!("a.py"), "the configuration of a code renderer must be an object");
        check(RendererKind::Code, json!({}), r#"a code renderer needs "file" or "content""#);
        check(
            RendererKind::Document,
            json!({"file": "$args.path", "content": "x"}),
            r#"a document renderer takes "file" or "content", not both"#,
        );
        check(RendererKind::Code, json!({"content": {"a": 1}}), r#""content" of a code renderer must be text"#);
        check(
            RendererKind::Code,
            json!({"content": "x", "editable": "yes"}),
            r#""editable" of a code renderer must be true or false"#,
        );
        check(RendererKind::Html, json!({"data": "$return"}), r#"a html renderer needs "artifact""#);
        check(RendererKind::Frame, json!({}), r#"a frame renderer needs "url" or "port""#);
        check(
            RendererKind::Frame,
            json!({"port": 0}),
            r#""port" of a frame renderer must be a number from 1 to 65535"#,
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
