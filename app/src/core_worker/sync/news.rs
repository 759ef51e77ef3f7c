//! What came from other devices is shown in every open tab.

use std::collections::BTreeSet;

use satchel_core::record::Table;

use crate::browser::tab_news::{self, Topic};

/// Tells every tab what to read again.
pub(super) fn tell(tables: &BTreeSet<Table>) {
    let mut told = Vec::new();
    for topic in tables.iter().flat_map(|table| topics(*table)) {
        if !told.contains(topic) {
            told.push(*topic);
            tab_news::tell_every_tab(*topic);
        }
    }
}

fn topics(table: Table) -> &'static [Topic] {
    match table {
        // Where models come from is a setting.
        Table::Settings => &[Topic::Settings, Topic::Models],
        Table::Toolsets
        | Table::Packages
        | Table::ToolsetFiles
        | Table::Tools
        | Table::ToolRenderConfigs
        | Table::ToolOverrides
        | Table::ToolsetMcpServers
        | Table::SavedToolsets
        | Table::Pins => &[Topic::Toolsets],
        Table::Chats | Table::Messages | Table::ToolCalls | Table::WorkspaceManifests | Table::NodeHeads => {
            &[Topic::Chats]
        }
        Table::Kv => &[Topic::Toolsets, Topic::Chats],
        // They come from nowhere.
        Table::Drafts
        | Table::Positions
        | Table::Grants
        | Table::Approvals
        | Table::ToolMetrics
        | Table::PythonPackages
        | Table::McpSeen => &[],
    }
}
