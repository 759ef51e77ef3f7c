//! What can be wrong with a manifest, and where.

use std::fmt;

use crate::catalog::NameError;
use crate::catalog::SlugError;
use crate::http_tool::HttpFault;
use crate::record::RendererKind;
use crate::render::ConfigError;

/// A manifest that is refused: what is wrong, at which key, in which line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("toolset.yaml{place}: {fault}")]
pub struct ManifestError {
    /// Where.
    pub place: Place,
    /// What.
    pub fault: Fault,
}

/// A place in a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The path of keys, such as `tools[0].renderer`; empty for the whole.
    pub key: String,
    /// The line, from 1; none where the manifest was not read from a text.
    pub line: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, " line {line}")?;
        }
        if !self.key.is_empty() {
            write!(f, ", {}", self.key)?;
        }
        Ok(())
    }
}

/// What is wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The text is too long.
    #[error("it has {bytes} bytes, and the limit is {limit}")]
    TooLarge {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        limit: usize,
    },
    /// The text is not text.
    #[error("it is not UTF-8 text")]
    NotText,
    /// The text is not YAML.
    #[error("it is not YAML: {0}")]
    Syntax(String),
    /// Lists and maps are too deep inside one another.
    #[error("lists and maps are more than {0} deep")]
    TooDeep(usize),
    /// Aliases repeat so much that a small text would become a huge value.
    #[error("aliases repeat more than {0} values")]
    TooManyAliases(usize),
    /// An alias inside the value it names.
    #[error("an alias names the value that it is in")]
    SelfAlias,
    /// A second document.
    #[error("there is a second document, and only one is read")]
    SecondDocument,
    /// A tag that gives a value a type of its own.
    #[error("the tag {0} is not known")]
    Tag(String),
    /// A key that is a list, a map or nothing.
    #[error("a key must be a text")]
    KeyNotText,
    /// A key twice in one map, of which readers take one or the other.
    #[error("the key {0:?} occurs twice")]
    DuplicateKey(String),
    /// A number that JSON does not have.
    #[error("{0} is not a number that can be stored")]
    Number(String),
    /// A key that must be there is not.
    #[error("{0:?} is missing")]
    Missing(&'static str),
    /// A value of another kind than expected.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What should be there.
        expected: &'static str,
        /// What is.
        found: &'static str,
    },
    /// A text with nothing in it.
    #[error("it must not be empty")]
    Empty,
    /// A version of the format that is not known.
    #[error("manifest_version {0:?} is not supported; only \"1\" is")]
    ManifestVersion(String),
    /// A version that is not semantic (C04).
    #[error("{version:?} is not a semantic version such as \"1.0.0\": {reason}")]
    Version {
        /// What it says.
        version: String,
        /// Why not.
        reason: String,
    },
    /// A name that is not allowed.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Two tools with one id.
    #[error("the tool id {0:?} occurs twice")]
    DuplicateTool(String),
    /// Two tools with one slug (C03).
    #[error("the tool ids {0:?} and {1:?} both become {slug:?} of one version in the tools interface", slug = crate::catalog::Slug::of_id(.0).as_str())]
    SlugClash(String, String),
    /// A Python tool that does not say where its function is.
    #[error("a Python tool needs an \"entrypoint\" such as \"tools.analyze:run\"")]
    NoEntrypoint,
    /// An entrypoint that is spelled wrong.
    #[error("{0:?} is not an entrypoint, which is \"module.path:function\"")]
    Entrypoint(String),
    /// A kind of tool that a manifest cannot declare.
    #[error("{0:?} is not a type of tool; \"python\", \"http\" and \"builtin\" are")]
    ToolType(String),
    /// A tool of type http that says something wrong.
    #[error("{0}")]
    Http(HttpFault),
    /// A tool of type http that does not say what to call.
    #[error("a tool of type http needs \"http\" with \"request\" or \"steps\"")]
    NoRequest,
    /// A built-in tool that does not say which (C30).
    #[error("a tool of type builtin needs \"builtin\" with \"func\", such as \"read_file\"")]
    NoFunction,
    /// A tool's version that is no label (R022).
    #[error(transparent)]
    ToolVersion(SlugError),
    /// A time limit out of bounds.
    #[error("the limit must be from 1 to 600 seconds")]
    Timeout,
    /// A renderer that there is not (C19).
    #[error("{0:?} is not a renderer; {list} are", list = renderer_list())]
    Renderer(String),
    /// A renderer that is not told what it must be told (R010).
    #[error(transparent)]
    RenderConfig(ConfigError),
    /// A JSON schema that cannot describe arguments.
    #[error("not a JSON schema for an object: {0}")]
    Schema(&'static str),
    /// An argument with the name of a secret, which it could then pretend to be (C37).
    #[error("the argument {0:?} has the name of a secret")]
    ShadowsSecret(String),
    /// An override of the same tool twice.
    #[error("the tool {0:?} is overridden twice")]
    DuplicateOverride(String),
    /// Two servers with one id.
    #[error("the server id {0:?} occurs twice")]
    DuplicateServer(String),
    /// A server that says neither or both of how to reach it.
    #[error("a server needs either \"command\" or \"url\", not {0}")]
    CommandOrUrl(&'static str),
    /// A transport that is not known or does not fit.
    #[error("{transport:?} is not a transport of a server with a {with}; {allowed}")]
    Transport {
        /// What it says.
        transport: String,
        /// How the server is reached.
        with: &'static str,
        /// What would do.
        allowed: &'static str,
    },
    /// An address that is not of the web.
    #[error("the address must begin with \"http://\" or \"https://\"")]
    Url,
    /// A host with more than a name and a port.
    #[error("{0:?} is not a host such as \"api.example.com\" or \"localhost:8080\"")]
    Host(String),
    /// A package that is not named as packages are.
    #[error("{0:?} is not the name of a Python package, with or without a version")]
    PythonPackage(String),
    /// A name that cannot be that of a secret or variable.
    #[error("{0:?} is not the name of a secret, which has letters, digits and \"_\" and begins with no digit")]
    SecretName(String),
}

fn renderer_list() -> String {
    RendererKind::ALL.map(|kind| format!("\"{}\"", kind.name())).join(", ")
}
