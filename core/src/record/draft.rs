//! Text typed but not sent, and what was to go along with it: still there after a reload, on this device only.

use serde::{Deserialize, Serialize};

use super::{Attachment, Record, RowKey, Table};

/// A row of `drafts`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// Where it was typed, for example `composer/new`.
    pub place: String,
    /// What was typed.
    pub text: String,
    /// What goes along with it. Written also where there is nothing: a field that is left out would stay as it was.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
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
        let draft = Draft { place: "composer/new".into(), text: "Dear all".into(), ..Draft::default() };
        insta::assert_json_snapshot!(draft, @r#"
        {
          "place": "composer/new",
          "text": "Dear all",
          "attachments": []
        }
        "#);
        let of_before = serde_json::json!({"place": "composer/new", "text": "Dear all"});
        assert_eq!(serde_json::from_value::<Draft>(of_before).expect("reads"), draft);
    }
}
