//! Text typed but not sent: still there after a reload, on this device only.

use serde::{Deserialize, Serialize};

use super::{Record, RowKey, Table};

/// A row of `drafts`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// Where it was typed, for example `composer/new`.
    pub place: String,
    /// What was typed.
    pub text: String,
}

impl Record for Draft {
    const TABLE: Table = Table::Drafts;

    fn key(&self) -> RowKey {
        RowKey::one(&self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_stored() {
        let draft = Draft { place: "composer/new".into(), text: "Dear all".into() };
        insta::assert_json_snapshot!(draft, @r#"
        {
          "place": "composer/new",
          "text": "Dear all"
        }
        "#);
    }
}
