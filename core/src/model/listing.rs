//! The models that a provider says it has.

use serde_json::Value;

use crate::protocol::{ModelPrices, ModelSummary};

/// How many models of one provider are listed.
const MOST: usize = 2_000;
/// The longest name of one that is believed, in characters.
const LONGEST_NAME: usize = 256;

/// Reads the answer to `GET …/models`, which all formats write alike; none where it is no such answer. The order is the provider's.
#[must_use]
pub fn read_models(body: &[u8]) -> Option<Vec<ModelSummary>> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let listed = value.get("data").or_else(|| value.get("models")).unwrap_or(&value).as_array()?;
    let mut models: Vec<ModelSummary> = Vec::new();
    for model in listed.iter().take(MOST).filter_map(summary) {
        if models.iter().all(|other| other.id != model.id) {
            models.push(model);
        }
    }
    Some(models)
}

fn summary(value: &Value) -> Option<ModelSummary> {
    let is_sound = |text: &&str| !text.trim().is_empty() && text.chars().count() <= LONGEST_NAME;
    let text = |name: &str| value.get(name).and_then(Value::as_str).filter(is_sound);
    let id = text("id").or_else(|| text("model")).or_else(|| text("name"))?;
    let name = text("display_name").or_else(|| text("name")).filter(|name| *name != id);
    // What is loaded counts before what could be.
    let sizes = [
        "/loaded_context_length",
        "/context_length",
        "/context_window",
        "/max_model_len",
        "/max_context_length",
        "/max_input_tokens",
        "/meta/n_ctx",
        "/meta/n_ctx_train",
    ];
    let context_length = sizes.iter().find_map(|size| value.pointer(size)?.as_u64()).filter(|tokens| *tokens > 0);
    Some(ModelSummary {
        id: id.to_owned(),
        name: name.map(str::to_owned),
        context_length,
        sees_images: sees_images(value),
        prices: prices(value),
    })
}

/// Whether a model sees pictures, in the words of those who say it: gateways, llama.cpp, LM Studio, Mistral.
fn sees_images(value: &Value) -> Option<bool> {
    let lists = ["/architecture/input_modalities", "/input_modalities", "/capabilities"];
    let listed = lists.iter().find_map(|list| value.pointer(list)?.as_array());
    if let Some(listed) = listed {
        return Some(listed.iter().any(|word| matches!(word.as_str(), Some("image" | "vision" | "multimodal"))));
    }
    let said = ["/capabilities/vision", "/capabilities/image_input/supported"];
    let said = said.iter().find_map(|place| value.pointer(place)?.as_bool());
    said.or_else(|| (value.get("type")?.as_str()? == "vlm").then_some(true))
}

/// What a model costs. Some say it in dollars for a token, some in dollars for a million of them.
fn prices(value: &Value) -> Option<ModelPrices> {
    let amount = |value: &Value| value.as_f64().or_else(|| value.as_str()?.parse().ok());
    let pricing = value.get("pricing")?;
    let pair = |[input, output, cached]: [&str; 3], unit: f64| {
        let millionths = |name: &str| whole(amount(pricing.get(name)?)? * unit);
        Some(ModelPrices { input: millionths(input)?, output: millionths(output)?, cached: millionths(cached) })
    };
    pair(["prompt", "completion", "input_cache_read"], 1e12).or_else(|| pair(["input", "output", "cached_input"], 1e6))
}

/// A price as a whole number; none where it is no price, such as the -1 of a model that stands for several.
fn whole(amount: f64) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was found to be in the range")]
    (0.0..1e15).contains(&amount).then(|| amount.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: Option<&[ModelSummary]>) {
        assert_eq!(read_models(body.as_bytes()).as_deref(), expected, "{body}");
    }

    #[test]
    fn models_are_read_as_providers_list_them() {
        let named = |id: &str| ModelSummary::named(id);
        let takes = |id: &str, tokens: u64| ModelSummary { context_length: Some(tokens), ..named(id) };
        check(
            r#"{"object":"list","data":[{"id":"b","owned_by":"someone"},{"id":"a","context_length":8192}]}"#,
            Some(&[named("b"), takes("a", 8_192)]),
        );
        let claude = ModelSummary { name: Some("C".into()), ..takes("c", 200_000) };
        check(
            r#"{"data":[{"id":"c","type":"model","display_name":"C","max_input_tokens":200000}],"has_more":false}"#,
            Some(&[claude]),
        );
        check(r#"{"data":[{"id":"m.gguf","meta":{"n_ctx_train":4096}}]}"#, Some(&[takes("m.gguf", 4_096)]));
        check(r#"{"data":[{"id":"m","meta":{"n_ctx":512,"n_ctx_train":4096}}]}"#, Some(&[takes("m", 512)]));
        check(r#"{"models":[{"name":"e:1b","model":"e:1b"}]}"#, Some(&[named("e:1b")]));
        check(r#"[{"id":"d"},{"id":"d"},{"no":1},{"id":""},7]"#, Some(&[named("d")]));
        check(r#"{"data":[]}"#, Some(&[]));
        check(r#"{"error":"no"}"#, None);
        check("<html>", None);
    }

    #[test]
    fn who_sees_pictures_is_believed() {
        let check = |words: &str, expected: Option<bool>| {
            let body = format!(r#"{{"data": [{{"id": "m", {words}}}]}}"#);
            assert_eq!(read_models(body.as_bytes()).expect("is a list")[0].sees_images, expected, "{words}");
        };
        check(r#""architecture": {"input_modalities": ["text", "image"]}"#, Some(true));
        check(r#""architecture": {"input_modalities": ["text"]}"#, Some(false));
        check(r#""capabilities": ["completion", "multimodal"]"#, Some(true));
        check(r#""capabilities": {"vision": false}"#, Some(false));
        check(r#""type": "vlm""#, Some(true));
        check(r#""type": "model""#, None);
    }

    /// R312
    #[test]
    fn prices_are_read_as_gateways_write_them() {
        let check = |pricing: &str, expected: Option<(u64, u64)>| {
            let body = format!(r#"{{"data": [{{"id": "m", "pricing": {pricing}}}]}}"#);
            let cached = pricing.contains("cache").then_some(15_000);
            let expected = expected.map(|(input, output)| ModelPrices { input, output, cached });
            assert_eq!(read_models(body.as_bytes()).expect("is a list")[0].prices, expected, "{pricing}");
        };
        check(r#"{"prompt": "0.00000015", "completion": "0.0000006", "image": "0"}"#, Some((150_000, 600_000)));
        let cached = r#"{"prompt": "0.00000015", "completion": "0.0000006", "input_cache_read": "0.000000015"}"#;
        check(cached, Some((150_000, 600_000)));
        check(r#"{"prompt": "0", "completion": "0"}"#, Some((0, 0)));
        check(r#"{"input": 0.2, "output": 0.88, "hourly": 0}"#, Some((200_000, 880_000)));
        check(r#"{"prompt": "-1", "completion": "-1"}"#, None);
        check(r#"{"prompt": "0.1"}"#, None);
        check(r#""free""#, None);
    }
}
