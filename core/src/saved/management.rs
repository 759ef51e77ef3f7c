//! The tools that manage saved toolsets, as a model is offered them in configuration mode (R142), and as the hub offers them to other
//! programs. Their names are hypertool's.

use serde_json::{Value, json};

use super::Mode;
use crate::catalog::{ToolId, ToolName};
use crate::model::ToolDefinition;

/// A tool that manages saved toolsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Management {
    /// Lists what can be chosen.
    ListAvailable,
    /// Builds a saved toolset.
    Build,
    /// Lists what is saved.
    ListSaved,
    /// Equips one.
    Equip,
    /// Takes the limit away.
    Unequip,
    /// Deletes one.
    Delete,
    /// Tells what is equipped.
    Active,
    /// Notes something about a tool.
    Annotate,
    /// Leaves configuration mode.
    Exit,
    /// Begins it; the one that is offered outside it.
    Enter,
}

impl Management {
    /// Those of configuration mode, in the order in which they are offered.
    pub const CONFIGURING: [Self; 9] = [
        Self::ListAvailable,
        Self::Build,
        Self::ListSaved,
        Self::Equip,
        Self::Unequip,
        Self::Delete,
        Self::Active,
        Self::Annotate,
        Self::Exit,
    ];

    /// Those that are offered in a mode. `may_enter` says whether the way into configuration mode is among the others.
    #[must_use]
    pub fn offered(mode: Mode, may_enter: bool) -> Vec<Self> {
        match mode {
            Mode::Configuring => Self::CONFIGURING.to_vec(),
            Mode::Working if may_enter => vec![Self::Enter],
            Mode::Working => Vec::new(),
        }
    }

    /// The tool of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::CONFIGURING.into_iter().chain([Self::Enter]).find(|tool| tool.name() == name)
    }

    /// What it is called, everywhere.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ListAvailable => "list-available-tools",
            Self::Build => "build-toolset",
            Self::ListSaved => "list-saved-toolsets",
            Self::Equip => "equip-toolset",
            Self::Unequip => "unequip-toolset",
            Self::Delete => "delete-toolset",
            Self::Active => "get-active-toolset",
            Self::Annotate => "add-tool-annotation",
            Self::Exit => "exit-configuration-mode",
            Self::Enter => "enter-configuration-mode",
        }
    }

    /// Its id among the tools that are compiled in.
    #[must_use]
    pub fn id(self) -> ToolId {
        ToolId::BuiltIn(ToolName::parse(self.name()).expect("the names are spelled well"))
    }

    /// What a model is told of it.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::ListAvailable => {
                "Lists every tool that can be chosen, by server or toolset, with what it takes of the context."
            }
            Self::Build => {
                "Saves a named selection of single tools. Name each tool as list-available-tools does; with autoEquip it is used at once."
            }
            Self::ListSaved => "Lists the saved toolsets, what is in each and whether it can be used.",
            Self::Equip => {
                "Equips a saved toolset: from then on only its tools can be used. Leaves configuration mode."
            }
            Self::Unequip => "Unequips the saved toolset, so that the tools chosen before can be used again.",
            Self::Delete => "Deletes a saved toolset for good. Ask the user first.",
            Self::Active => {
                "Tells which saved toolset is equipped, which of its tools can be used, and what is wrong with the others."
            }
            Self::Annotate => {
                "Adds notes about a tool of the equipped toolset, which are told with the tool from then on."
            }
            Self::Exit => "Leaves configuration mode and goes back to the tools to work with.",
            Self::Enter => {
                "Goes to configuration mode, to see, build and equip saved toolsets. Use it only when other tools are needed."
            }
        }
    }

    /// Whether the user is asked before it is called (R139).
    #[must_use]
    pub fn asks(self) -> bool {
        match self {
            Self::Delete => true,
            Self::ListAvailable
            | Self::Build
            | Self::ListSaved
            | Self::Equip
            | Self::Unequip
            | Self::Active
            | Self::Annotate
            | Self::Exit
            | Self::Enter => false,
        }
    }

    /// The schema of its arguments.
    #[must_use]
    pub fn input_schema(self) -> Value {
        let reference = json!({
            "type": "object",
            "properties": {
                "namespacedName": {"type": "string", "description": "server.tool"},
                "refId": {"type": "string", "description": "the hash of the tool's definition"},
            },
            "additionalProperties": false,
        });
        let name = json!({"type": "string", "description": "2 to 50 lower-case letters, digits and -"});
        let (properties, required) = match self {
            Self::ListAvailable | Self::ListSaved | Self::Unequip | Self::Active | Self::Exit | Self::Enter => {
                (json!({}), json!([]))
            }
            Self::Build => (
                json!({
                    "name": name,
                    "description": {"type": "string"},
                    "tools": {"type": "array", "items": reference, "minItems": 1, "maxItems": 100},
                    "autoEquip": {"type": "boolean", "description": "equip it at once"},
                }),
                json!(["name", "tools"]),
            ),
            Self::Equip => (json!({"name": name}), json!(["name"])),
            Self::Delete => (
                json!({"name": name, "confirm": {"type": "boolean", "description": "true to delete it"}}),
                json!(["name"]),
            ),
            Self::Annotate => {
                let note = json!({
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "note": {"type": "string"}},
                    "required": ["name", "note"],
                });
                (
                    json!({"toolRef": reference, "notes": {"type": "array", "items": note, "minItems": 1}}),
                    json!(["toolRef", "notes"]),
                )
            }
        };
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }

    /// The tool as a model is sent it.
    #[must_use]
    pub fn definition(self) -> ToolDefinition {
        ToolDefinition {
            name: self.name().to_owned(),
            description: self.description().to_owned(),
            parameters: self.input_schema(),
        }
    }
}
