//! A grant: a host that the tools of a toolset may reach, because the user of this device said so. It can be withdrawn.

use serde::{Deserialize, Serialize};

use super::{Record, RowKey, Table};
use crate::catalog::ToolsetId;
use crate::time::Timestamp;

/// A row of `grants`. It belongs to the toolset and not to a version of it, so that an upgrade keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Whose tools.
    pub toolset_id: ToolsetId,
    /// The host, in lower case, with its port where it is not the usual one.
    pub host: String,
    /// Since when.
    pub granted_at: Timestamp,
}

impl Record for Grant {
    const TABLE: Table = Table::Grants;

    fn key(&self) -> RowKey {
        RowKey::of([self.toolset_id.as_str(), &self.host])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_stored() {
        let grant = Grant {
            toolset_id: ToolsetId::parse("my-toolset").expect("is a name"),
            host: "api.example.com".into(),
            granted_at: Timestamp::from_millis(1_700_000_000_000),
        };
        insta::assert_json_snapshot!(grant, @r#"
        {
          "toolset_id": "my-toolset",
          "host": "api.example.com",
          "granted_at": "2023-11-14T22:13:20.000Z"
        }
        "#);
    }
}
