//! The models that a provider says it has.

use serde_json::Value;

/// A model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelListing {
    /// The provider's name for it, which requests say.
    pub id: String,
    /// What to show, where that is something else.
    pub name: Option<String>,
    /// How much it takes, in tokens, where its provider says so.
    pub context_tokens: Option<u64>,
}

/// How many models of one provider are listed.
const MOST: usize = 2_000;

/// Reads the answer to `GET …/models`, which both formats write alike; none where it is no such answer.
#[must_use]
pub fn read_models(body: &[u8]) -> Option<Vec<ModelListing>> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let listed = value.get("data").or_else(|| value.get("models")).unwrap_or(&value).as_array()?;
    let mut models: Vec<ModelListing> = listed.iter().take(MOST).filter_map(listing).collect();
    models.sort_by(|one, other| one.id.cmp(&other.id));
    models.dedup_by(|one, other| one.id == other.id);
    Some(models)
}

fn listing(value: &Value) -> Option<ModelListing> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let id = text("id").or_else(|| text("model")).or_else(|| text("name"))?;
    let name = text("display_name").or_else(|| text("name")).filter(|name| *name != id);
    // What is loaded counts before what could be.
    let sizes = [
        "loaded_context_length",
        "context_length",
        "max_model_len",
        "max_context_length",
        "max_input_tokens",
        "context_window",
    ];
    let of_server =
        || value.get("meta").and_then(|meta| meta.get("n_ctx").or_else(|| meta.get("n_ctx_train"))?.as_u64());
    let context_tokens = sizes.iter().find_map(|size| value.get(size)?.as_u64()).or_else(of_server);
    let context_tokens = context_tokens.filter(|tokens| *tokens > 0);
    Some(ModelListing { id: id.to_owned(), name: name.map(str::to_owned), context_tokens })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Its id, its name, how much it takes.
    type Listed<'a> = (&'a str, Option<&'a str>, Option<u64>);

    fn check(body: &str, expected: Option<&[Listed<'_>]>) {
        let found = read_models(body.as_bytes());
        let listing = |(id, name, context_tokens): &Listed<'_>| ModelListing {
            id: (*id).to_owned(),
            name: name.map(str::to_owned),
            context_tokens: *context_tokens,
        };
        assert_eq!(found, expected.map(|expected| expected.iter().map(listing).collect()), "{body}");
    }

    #[test]
    fn models_are_read_as_providers_list_them() {
        check(
            r#"{"object":"list","data":[{"id":"b"},{"id":"a","context_length":8192}]}"#,
            Some(&[("a", None, Some(8_192)), ("b", None, None)]),
        );
        check(
            r#"{"data":[{"id":"c","type":"model","display_name":"C"}],"has_more":false}"#,
            Some(&[("c", Some("C"), None)]),
        );
        check(r#"{"data":[{"id":"m.gguf","meta":{"n_ctx_train":4096}}]}"#, Some(&[("m.gguf", None, Some(4_096))]));
        check(r#"[{"id":"d"},{"id":"d"},{"no":1},{"id":""}]"#, Some(&[("d", None, None)]));
        check(r#"{"data":[]}"#, Some(&[]));
        check(r#"{"error":"no"}"#, None);
        check("<html>", None);
    }
}
