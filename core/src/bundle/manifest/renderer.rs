//! How a manifest says that a result is shown (R010, C19).

use serde_json::Value;

use super::node::At;
use super::{Fault, ManifestError};
use crate::record::RendererKind;

/// A renderer and its configuration, with expressions.
#[derive(Clone, Debug, PartialEq)]
pub struct RendererDeclaration {
    /// Which.
    pub kind: RendererKind,
    /// Its configuration.
    pub config: Value,
}

impl RendererDeclaration {
    /// The file of the bundle that shows the result, for the html renderer.
    #[must_use]
    pub fn artifact(&self) -> Option<&str> {
        let path = self.config.get("artifact")?.as_str()?;
        Some(path.strip_prefix("./").unwrap_or(path))
    }
}

/// Reads `renderer: {type, …}`, the form in a tool.
pub(super) fn read(at: &At<'_>) -> Result<RendererDeclaration, ManifestError> {
    let kind = read_kind(&at.required("type")?)?;
    let mut config = at.json();
    if let Some(config) = config.as_object_mut() {
        config.shift_remove("type");
    }
    check(at, kind, &["type"])?;
    Ok(RendererDeclaration { kind, config })
}

/// Reads the name of a renderer.
pub(super) fn read_kind(at: &At<'_>) -> Result<RendererKind, ManifestError> {
    let name = at.text()?;
    RendererKind::parse(name).ok_or_else(|| at.fail(Fault::Renderer(name.chars().take(80).collect())))
}

/// Checks a configuration against its renderer, beside these keys of the place it stands in.
pub(super) fn check(at: &At<'_>, kind: RendererKind, beside: &[&str]) -> Result<(), ManifestError> {
    let (allowed, list): (&[&str], &str) = match kind {
        RendererKind::Code => {
            (&["file", "content", "language", "editable"], "\"file\" or \"content\", \"language\", \"editable\"")
        }
        RendererKind::Document => (&["file", "content", "editable"], "\"file\" or \"content\", \"editable\""),
        RendererKind::Html => (&["artifact", "data"], "\"artifact\", \"data\""),
        RendererKind::Frame => (&["url", "port"], "\"url\" or \"port\""),
    };
    for (key, value) in at.members()? {
        if !allowed.contains(&key) && !beside.contains(&key) {
            let key = key.chars().take(80).collect();
            return Err(value.fail(Fault::RendererKey { renderer: kind.name(), key, allowed: list }));
        }
    }
    match kind {
        RendererKind::Code | RendererKind::Document => {
            match (at.get("file")?, at.get("content")?) {
                (Some(_), Some(_)) => return Err(at.fail(Fault::FileOrContent(kind.name(), "both"))),
                (None, None) => return Err(at.fail(Fault::FileOrContent(kind.name(), "neither"))),
                (Some(file), None) => drop(file.some_text()?),
                (None, Some(_any)) => {}
            }
            at.optional_text("language")?;
            // An expression may stand where the value is not known before the call.
            if at.optional_text("editable").is_err() {
                at.optional_bool("editable")?;
            }
        }
        RendererKind::Html => {
            let artifact = at.required("artifact")?;
            let path = artifact.some_text()?;
            let inside = path.strip_prefix("./").unwrap_or(path);
            let leaves = inside.starts_with('/') || inside.split('/').any(|name| matches!(name, "" | "." | ".."));
            if leaves || inside.contains(['\\', ':']) {
                return Err(artifact.fail(Fault::Artifact(path.chars().take(120).collect())));
            }
        }
        RendererKind::Frame => match (at.get("url")?, at.get("port")?) {
            (Some(url), _) => drop(url.some_text()?),
            (None, Some(port)) => drop(port.scalar()?),
            (None, None) => return Err(at.fail(Fault::Missing("url"))),
        },
    }
    Ok(())
}
