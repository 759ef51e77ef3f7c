//! What a call is called on the screen: the tool's own name, and whose it is (R201).

/// The two names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallLabel {
    /// The tool.
    pub tool: String,
    /// The toolset, or the server.
    pub toolset: String,
}

impl CallLabel {
    /// Of a stored id: `tool`, `toolset:tool` or `mcp:toolset~server:tool`.
    #[must_use]
    pub fn of_id(id: &str) -> Self {
        let (toolset, tool) = match id.strip_prefix("mcp:") {
            Some(rest) => rest.split_once(':').unwrap_or(("mcp", rest)),
            None => id.split_once(':').unwrap_or(("builtin", id)),
        };
        Self { tool: tool.to_owned(), toolset: toolset.to_owned() }
    }

    /// Of the name a model calls it by, where there is no record of the call.
    #[must_use]
    pub fn of_wire(name: &str) -> Self {
        match name.rsplit_once("__") {
            Some((toolset, tool)) if !tool.is_empty() => Self { tool: tool.to_owned(), toolset: toolset.to_owned() },
            Some(_) | None => Self { tool: name.to_owned(), toolset: String::new() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R201
    #[test]
    fn every_form_of_an_id_has_its_names() {
        let check = |label: CallLabel, tool: &str, toolset: &str| {
            assert_eq!((label.tool.as_str(), label.toolset.as_str()), (tool, toolset));
        };
        check(CallLabel::of_id("write_file"), "write_file", "builtin");
        check(CallLabel::of_id("my-toolset:analyze"), "analyze", "my-toolset");
        check(CallLabel::of_id("mcp:my-toolset~files:read:it"), "read:it", "my-toolset~files");
        check(CallLabel::of_wire("my-toolset__analyze_data"), "analyze_data", "my-toolset");
        check(CallLabel::of_wire("write_file"), "write_file", "");
    }
}
