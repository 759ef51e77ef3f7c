//! How a manifest says that a result is shown (R010, C19).

use serde_json::Value;

use super::node::At;
use super::{Fault, ManifestError};
use crate::record::RendererKind;
use crate::render::RenderConfig;

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

/// Checks a configuration against its renderer, beside these keys of the place it stands in. What may be in it is said in
/// [`RenderConfig`]; here is only where.
pub(super) fn check(at: &At<'_>, kind: RendererKind, beside: &[&str]) -> Result<(), ManifestError> {
    at.members()?;
    let mut config = at.json();
    if let Some(config) = config.as_object_mut() {
        config.retain(|key, _| !beside.contains(&key.as_str()));
    }
    let Err(error) = RenderConfig::check_declared(kind, &config) else { return Ok(()) };
    let field = error.field().map(|field| at.get(field)).transpose()?.flatten();
    Err(field.as_ref().unwrap_or(at).fail(Fault::RenderConfig(error)))
}
