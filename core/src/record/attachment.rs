//! A file that goes along with a message. It is a part of other rows, and no row of its own: of a message that was said, and of one that
//! is still being written.

use serde::{Deserialize, Serialize};

use crate::digest::BlobId;
use crate::workspace::WorkspacePath;

/// A file of the workspace, as it was when it was attached. Whoever names it by its bytes keeps them (C24), so that the message stays what
/// it was when the file becomes another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Where it is in the workspace.
    pub path: WorkspacePath,
    /// Its bytes.
    pub sha256: BlobId,
    /// How many they are.
    pub size: u64,
    /// The media type of a picture that models take; none for every other file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

impl Attachment {
    /// The media types that every provider with eyes takes.
    pub const SEEN: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_stored() {
        let path = |path: &str| WorkspacePath::parse(path).expect("is a path");
        let picture = Attachment {
            path: path("a/map.png"),
            sha256: BlobId::of(b"png"),
            size: 3,
            media_type: Some("image/png".into()),
        };
        let text = Attachment { path: path("rows.csv"), media_type: None, ..picture.clone() };
        insta::assert_json_snapshot!([picture, text], @r#"
        [
          {
            "path": "a/map.png",
            "sha256": "8f8cbb7dcf46e0bc7d53265749a6c17d116093a6ba95e442764060c76fd4a86c",
            "size": 3,
            "media_type": "image/png"
          },
          {
            "path": "rows.csv",
            "sha256": "8f8cbb7dcf46e0bc7d53265749a6c17d116093a6ba95e442764060c76fd4a86c",
            "size": 3
          }
        ]
        "#);
    }
}
