//! Where the user was on this device: which panes are open, what was last looked at.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Record, RowKey, Table};

/// A row of `positions`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Which position, for example `panes`.
    pub place: String,
    /// What it was; its shape belongs to the place.
    pub value: Value,
}

impl Record for Position {
    const TABLE: Table = Table::Positions;

    fn key(&self) -> RowKey {
        RowKey::one(&self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_stored() {
        let position = Position { place: "panes".into(), value: serde_json::json!({"chats": true}) };
        insta::assert_json_snapshot!(position, @r#"
        {
          "place": "panes",
          "value": {
            "chats": true
          }
        }
        "#);
    }
}
