//! A toolset as a ZIP: its files, and a manifest made anew from the rows, without secrets (R063–R066).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::manifest::KNOWN_KEYS;
use super::secrets::Border;
use super::{MANIFEST_FILE, Manifest, ManifestError, archive, secrets, yaml_writer};
use crate::record::{Package, ToolOverride, Toolset, ToolsetMcpServer};

/// Everything that is stored of a toolset.
#[derive(Clone, Debug)]
pub struct ExportSource<'a> {
    /// Its row.
    pub toolset: &'a Toolset,
    /// Its active package.
    pub package: &'a Package,
    /// The files of that package, by path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What its user changed about its tools.
    pub overrides: &'a [ToolOverride],
    /// Its servers.
    pub servers: &'a [ToolsetMcpServer],
}

/// A toolset ready to be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// `{id}-v{version}.zip`.
    pub file_name: String,
    /// The ZIP; equal state gives equal bytes.
    pub bytes: Vec<u8>,
    /// Where a secret or a variable's value was, and a placeholder is now.
    pub stripped: Vec<String>,
}

/// Packs a toolset. It fails only if the stored package is not a manifest any more.
pub fn export(source: ExportSource<'_>) -> Result<Export, ManifestError> {
    let ExportSource { toolset, package, mut files, overrides, servers } = source;
    let (manifest, stripped) = manifest_of(toolset, package, overrides, servers)?;
    files.insert(MANIFEST_FILE.into(), yaml_writer::to_yaml(&manifest).into_bytes());
    Ok(Export {
        file_name: format!("{}-v{}.zip", toolset.id, toolset.version),
        bytes: archive::write(&files),
        stripped,
    })
}

/// The manifest as the rows have it now. What nobody changed stays as its author wrote it, so that an export which is imported
/// again is the same package.
fn manifest_of(
    toolset: &Toolset,
    package: &Package,
    overrides: &[ToolOverride],
    servers: &[ToolsetMcpServer],
) -> Result<(Value, Vec<String>), ManifestError> {
    let declared = Manifest::from_json(&package.manifest)?;
    let mut manifest = package.manifest.as_object().cloned().unwrap_or_default();
    let rows = [
        ("id", toolset.id.as_str(), declared.id.as_str()),
        ("slug", &toolset.slug, declared.slug.as_str()),
        ("name", &toolset.name, &declared.name),
        ("version", &toolset.version, &declared.version.to_string()),
        ("description", &toolset.description, &declared.description),
    ];
    for (key, now, _) in rows.into_iter().filter(|(_, now, declared)| now != declared) {
        manifest.insert(key.into(), now.into());
    }
    set_servers(&mut manifest, &declared, servers);
    set_overrides(&mut manifest, overrides);

    let mut ordered = Map::new();
    for key in KNOWN_KEYS {
        if let Some(value) = manifest.shift_remove(key) {
            ordered.insert(key.into(), value);
        }
    }
    ordered.extend(manifest);
    let mut manifest = Value::Object(ordered);
    let taken = secrets::strip(&mut manifest, Border::Out);
    Ok((manifest, taken.into_iter().map(|taken| taken.place).collect()))
}

fn set_servers(manifest: &mut Map<String, Value>, declared: &Manifest, servers: &[ToolsetMcpServer]) {
    let as_written = manifest.get("mcp_servers").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut list = Vec::new();
    for (server, written) in declared.servers.iter().zip(as_written) {
        let Some(row) = servers.iter().find(|row| row.server_id == server.id) else { continue };
        let unchanged = row.config == server.config && row.requires_confirmation == server.requires_confirmation;
        list.push(if unchanged { written } else { server_entry(row) });
    }
    let mut added: Vec<&ToolsetMcpServer> =
        servers.iter().filter(|row| declared.servers.iter().all(|server| server.id != row.server_id)).collect();
    added.sort_by(|one, other| one.server_id.cmp(&other.server_id));
    list.extend(added.into_iter().map(server_entry));
    set_list(manifest, "mcp_servers", list);
}

fn server_entry(row: &ToolsetMcpServer) -> Value {
    let mut entry = Map::from_iter([("id".to_owned(), row.server_id.as_str().into())]);
    entry.extend(row.config.as_object().cloned().unwrap_or_default());
    entry.insert("requires_confirmation".into(), row.requires_confirmation.into());
    Value::Object(entry)
}

/// The user's overrides win field by field over those the manifest has.
fn set_overrides(manifest: &mut Map<String, Value>, overrides: &[ToolOverride]) {
    let mut list = manifest.get("tool_overrides").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut overrides: Vec<&ToolOverride> = overrides.iter().collect();
    overrides.sort_by(|one, other| one.tool_id.cmp(&other.tool_id));
    for row in overrides {
        let fields = [
            ("renderer", row.renderer.map(|renderer| renderer.name().into())),
            ("renderer_config", row.renderer_config.clone()),
            ("name_override", row.name_override.clone().map(Value::String)),
            ("description_override", row.description_override.clone().map(Value::String)),
            ("requires_confirmation", row.requires_confirmation.map(Value::Bool)),
            ("enabled", row.enabled.map(Value::Bool)),
        ];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let tool_id = Value::String(row.tool_id.clone());
        let place = list.iter().position(|entry| entry.get("tool_id") == Some(&tool_id));
        match place.and_then(|place| list[place].as_object_mut()) {
            Some(entry) => {
                // A configuration belongs to its renderer, and does not outlive it.
                let renderer = row.renderer.map(|renderer| Value::from(renderer.name()));
                if renderer.is_some() && entry.get("renderer") != renderer.as_ref() {
                    entry.shift_remove("renderer_config");
                }
                entry.extend(fields);
            }
            None => {
                let mut fields = fields.peekable();
                if fields.peek().is_some() {
                    let entry = std::iter::once(("tool_id".to_owned(), tool_id)).chain(fields);
                    list.push(Value::Object(entry.collect()));
                }
            }
        }
    }
    set_list(manifest, "tool_overrides", list);
}

/// An empty list is left as it was: absent, null or empty are all the same to a reader, and not to the package's name.
fn set_list(manifest: &mut Map<String, Value>, key: &str, list: Vec<Value>) {
    let was_empty = manifest.get(key).and_then(Value::as_array).is_none_or(Vec::is_empty);
    if !(list.is_empty() && was_empty) {
        manifest.insert(key.into(), Value::Array(list));
    }
}
