//! One small thing the app remembers for all of the user's devices that is no setting, such as the saved toolset last equipped.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Record, RowKey, Table};

/// A row of `kv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptValue {
    /// What it is, for example `last_equipped`.
    pub key: String,
    /// Its value; the shape belongs to the key.
    pub value: Value,
}

impl Record for KeptValue {
    const TABLE: Table = Table::Kv;

    fn key(&self) -> RowKey {
        RowKey::one(&self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_stored() {
        let kept = KeptValue { key: "last_equipped".into(), value: "review".into() };
        insta::assert_json_snapshot!(kept, @r#"
        {
          "key": "last_equipped",
          "value": "review"
        }
        "#);
    }
}
