//! The model that a server gives to pages, to be run there.

use serde::{Deserialize, Serialize};

/// Answer of `GET /api/v1/page-model`; the file itself is at `GET /api/v1/page-model/file`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageModelOffer {
    /// The name of its file.
    pub file: String,
    /// The bytes of its file.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_on_the_wire() {
        let offer = PageModelOffer { file: "SmolLM2-135M-Instruct.Q4_1.gguf".into(), bytes: 98_362_432 };
        insta::assert_json_snapshot!(offer, @r#"
        {
          "file": "SmolLM2-135M-Instruct.Q4_1.gguf",
          "bytes": 98362432
        }
        "#);
    }
}
