//! One thing the user has set.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Record, RowKey, Table};

/// A row of `settings`. What the keys mean is [`crate::settings`]'s matter; a key this version does not know is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Which setting.
    pub key: String,
    /// What it is set to.
    pub value: Value,
}

impl Record for Setting {
    const TABLE: Table = Table::Settings;

    fn key(&self) -> RowKey {
        RowKey::one(&self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_stored() {
        let setting = Setting { key: "theme".into(), value: "dark".into() };
        insta::assert_json_snapshot!(setting, @r#"
        {
          "key": "theme",
          "value": "dark"
        }
        "#);
    }
}
