//! One saved toolset at work: read, checked, and applied to the tools that are known (R143).

use super::error::MOST_TOOLS;
use super::file::{self, FileShape};
use super::{DiscoveredTool, Discovery, SavedError, Staleness};
use crate::record::{SavedToolset, ToolReference};
use crate::time::Timestamp;

/// Holds the configuration that is applied.
#[derive(Clone, Debug, Default)]
pub struct ToolsetManager {
    config: Option<SavedToolset>,
}

/// Whether a configuration makes sense.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validation {
    /// Whether it can be used.
    pub valid: bool,
    /// Why not.
    pub errors: Vec<String>,
    /// What should be known about it.
    pub warnings: Vec<String>,
}

/// What a saved toolset comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolution {
    /// The tools, in its order.
    pub tools: Vec<DiscoveredTool>,
    /// What has to be said: rejected references, those that are missing, those that were taken in spite of a change (R155).
    pub warnings: Vec<String>,
    /// Why nothing could be applied.
    pub errors: Vec<String>,
}

impl ToolsetManager {
    /// Reads a file of hypertool's and takes the toolset of this name from it; without a name, the only one.
    pub fn load_config(&mut self, text: &str, name: Option<&str>, now: Timestamp) -> Validation {
        let failed = |error: String| Validation { errors: vec![error], ..Validation::default() };
        let read = match file::read(text, now) {
            Ok(read) => read,
            Err(error) => return failed(error.to_string()),
        };
        let mut found: Vec<SavedToolset> =
            read.toolsets.into_iter().filter(|one| name.is_none_or(|name| one.name == name)).collect();
        match (found.len(), name) {
            (1, _) => {
                let mut checked = self.set_config(found.remove(0));
                checked.warnings.extend(read.remarks);
                checked
            }
            (0, _) => {
                failed(read.remarks.into_iter().next().unwrap_or_else(|| "the toolset is not in the file".into()))
            }
            (_, _) => failed("the file has several toolsets; say which".into()),
        }
    }

    /// The file that this configuration makes; none where there is none.
    #[must_use]
    pub fn save_config(&self) -> Option<String> {
        self.config.as_ref().map(|config| file::write([config], None, FileShape::Toolsets))
    }

    /// Takes a configuration, if it makes sense.
    pub fn set_config(&mut self, config: SavedToolset) -> Validation {
        let errors: Vec<String> = check(&config).into_iter().map(|error| error.to_string()).collect();
        let warnings = match config.allow_stale_refs {
            true => vec![
                "INSECURE: allowStaleRefs is on, so tools are used that have changed since they were chosen".into(),
            ],
            false => Vec::new(),
        };
        let valid = errors.is_empty();
        if valid {
            self.config = Some(config);
        }
        Validation { valid, errors, warnings }
    }

    /// Applies it to the tools that are known. Without a configuration all of them are left (C15).
    #[must_use]
    pub fn apply_config(&self, discovery: &Discovery) -> Resolution {
        let Some(config) = &self.config else {
            return Resolution { tools: discovery.tools().to_vec(), ..Resolution::default() };
        };
        let mut resolution = Resolution::default();
        let staleness = Staleness::of(config.allow_stale_refs);
        for reference in &config.tools {
            let found = discovery.resolve_tool_reference(reference, staleness);
            resolution.warnings.extend(found.warnings);
            match found.tool {
                Some(tool) if !resolution.tools.iter().any(|known| known.id == tool.id) => resolution.tools.push(tool),
                Some(_twice) => {}
                None if found.errors.is_empty() => {
                    resolution.warnings.push(format!("Tool not found: {}", shown(reference)));
                }
                None => resolution.warnings.extend(found.errors.iter().map(|error| format!("SECURITY: {error}"))),
            }
        }
        resolution
    }
}

impl Resolution {
    /// What a saved toolset comes to.
    #[must_use]
    pub fn of(config: &SavedToolset, discovery: &Discovery) -> Self {
        let mut manager = ToolsetManager::default();
        let checked = manager.set_config(config.clone());
        match checked.valid {
            true => manager.apply_config(discovery),
            // What is broken opens nothing.
            false => Self { errors: checked.errors, ..Self::default() },
        }
    }

    /// What its tools take of a model's context.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tools.iter().map(|tool| tool.tokens).sum()
    }
}

/// What is wrong with a saved toolset.
fn check(config: &SavedToolset) -> Vec<SavedError> {
    let mut errors: Vec<SavedError> = check_name(&config.name).err().into_iter().collect();
    errors.extend(check_tools(&config.tools).err());
    errors
}

/// How it may be called (C11).
pub(super) fn check_name(name: &str) -> Result<(), SavedError> {
    let letters = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    match letters && (2..=50).contains(&name.len()) {
        true => Ok(()),
        false => Err(SavedError::Name(name.chars().take(80).collect())),
    }
}

/// How many there may be, and how they are written.
pub(super) fn check_tools(tools: &[ToolReference]) -> Result<(), SavedError> {
    match tools.len() {
        0 => return Err(SavedError::NoTools),
        1..=MOST_TOOLS => {}
        many => return Err(SavedError::TooMany(many)),
    }
    let bare = tools.iter().filter_map(ToolReference::namespaced_name).find(|name| !name.contains('.'));
    match bare {
        Some(name) => Err(SavedError::Spelling(name.chars().take(200).collect())),
        None => Ok(()),
    }
}

/// How a reference is told.
pub(super) fn shown(reference: &ToolReference) -> String {
    let text = reference.namespaced_name().or(reference.ref_id()).unwrap_or_default();
    text.chars().take(200).collect()
}
