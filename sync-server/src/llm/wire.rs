//! What the wire formats differ in, as far as a pass-through has to know: addresses and the way a key is shown.

use axum::body::Bytes;
use axum::http::request::Builder;
use axum::http::{HeaderMap, HeaderValue, Method, Request, Uri, header};
use http_body_util::Full;
use satchel_core::protocol::ProviderFormat;

use super::Provider;
use crate::outbound::BaseUrl;
use crate::refusal::Refusal;
use crate::vault::Secret;

/// The version of Anthropic's format that is asked for when the app asks for none.
const ANTHROPIC_VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

/// What is sent on of the app's own headers: what says how the body is to be read and answered.
const SENT_ON: [&str; 6] =
    ["accept", "anthropic-beta", "anthropic-version", "content-type", "idempotency-key", "openai-beta"];

/// A request for an answer, with the app's own body.
pub(super) fn chat_request(
    provider: &Provider,
    key: Option<&Secret>,
    asked: &HeaderMap,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, Refusal> {
    let mut request = begin(Method::POST, chat_address(provider), provider, key)?;
    let headers = request.headers_mut().expect("the address is sound");
    for name in SENT_ON {
        if let Some(value) = asked.get(name) {
            headers.insert(name, value.clone());
        }
    }
    headers.entry(header::CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
    Ok(request.body(Full::new(body)).expect("every part is sound"))
}

/// A request for the models there are.
pub(super) fn models_request(provider: &Provider, key: Option<&Secret>) -> Result<Request<Full<Bytes>>, Refusal> {
    let request = begin(Method::GET, models_address(provider), provider, key)?;
    Ok(request.body(Full::default()).expect("every part is sound"))
}

fn chat_address(provider: &Provider) -> Uri {
    match provider.format {
        ProviderFormat::OpenAi => provider.base_url.join("/chat/completions"),
        ProviderFormat::Anthropic if has_version(&provider.base_url) => provider.base_url.join("/messages"),
        ProviderFormat::Anthropic => provider.base_url.join("/v1/messages"),
    }
}

fn models_address(provider: &Provider) -> Uri {
    match provider.format {
        ProviderFormat::OpenAi => provider.base_url.join("/models"),
        // Twenty are told unless more are asked for.
        ProviderFormat::Anthropic if has_version(&provider.base_url) => provider.base_url.join("/models?limit=1000"),
        ProviderFormat::Anthropic => provider.base_url.join("/v1/models?limit=1000"),
    }
}

/// Whether somebody has written the version into an address where it does not belong; what is meant is plain.
fn has_version(base_url: &BaseUrl) -> bool {
    base_url.path().ends_with("/v1")
}

/// A request with its key.
fn begin(method: Method, address: Uri, provider: &Provider, key: Option<&Secret>) -> Result<Builder, Refusal> {
    let mut request = Request::builder().method(method).uri(address);
    if provider.format == ProviderFormat::Anthropic {
        request = request.header("anthropic-version", ANTHROPIC_VERSION);
    }
    let Some(key) = key else { return Ok(request) };
    // What was pasted often has a line's end behind it.
    let key = key.reveal().trim();
    Ok(match provider.format {
        ProviderFormat::OpenAi => request.header(header::AUTHORIZATION, hidden(&format!("Bearer {key}"))?),
        ProviderFormat::Anthropic => request.header("x-api-key", hidden(key)?),
    })
}

/// A value that headers do not show in logs.
fn hidden(text: &str) -> Result<HeaderValue, Refusal> {
    let mut value = HeaderValue::try_from(text).map_err(|_| {
        Refusal::NoKey("the provider's key has characters that cannot be sent; enter it again".to_owned())
    })?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::KeySource;
    use crate::outbound::Trust;
    use satchel_core::protocol::ProviderName;

    fn provider(format: ProviderFormat, base_url: &str) -> Provider {
        Provider {
            name: ProviderName::parse("p").expect("a name"),
            base_url: BaseUrl::parse(base_url).expect("a base URL"),
            format,
            models: vec![],
            key: KeySource::None,
            trust: Trust::Account,
        }
    }

    #[test]
    fn each_format_has_its_addresses() {
        let check = |format: ProviderFormat, base_url: &str, chat: &str, models: &str| {
            let provider = provider(format, base_url);
            assert_eq!(
                (chat_address(&provider), models_address(&provider)),
                (chat.parse().expect("an address"), models.parse().expect("an address"))
            );
        };
        let (openai, anthropic) = (ProviderFormat::OpenAi, ProviderFormat::Anthropic);
        check(openai, "https://a.test/v1/", "https://a.test/v1/chat/completions", "https://a.test/v1/models");
        check(anthropic, "https://a.test", "https://a.test/v1/messages", "https://a.test/v1/models?limit=1000");
        check(anthropic, "https://a.test/v1", "https://a.test/v1/messages", "https://a.test/v1/models?limit=1000");
    }

    #[test]
    fn only_what_belongs_to_the_body_is_sent_on() {
        let provider = provider(ProviderFormat::Anthropic, "https://a.test");
        let asked: HeaderMap = [
            ("authorization", "Bearer access-token"),
            ("cookie", "a=b"),
            ("origin", "http://127.0.0.1:8787"),
            ("accept", "text/event-stream"),
            ("anthropic-version", "2030-01-01"),
            ("x-api-key", "mine"),
        ]
        .into_iter()
        .map(|(name, value)| (header::HeaderName::from_static(name), HeaderValue::from_static(value)))
        .collect();
        let request =
            chat_request(&provider, Some(&Secret::new("sk-1\n".into())), &asked, Bytes::from("{}")).expect("sound");
        let mut sent: Vec<_> =
            request.headers().iter().map(|(name, value)| (name.as_str(), value.to_str().expect("text"))).collect();
        sent.sort_unstable();
        let expected = [
            ("accept", "text/event-stream"),
            ("anthropic-version", "2030-01-01"),
            ("content-type", "application/json"),
            ("x-api-key", "sk-1"),
        ];
        assert_eq!(sent, expected);
    }

    /// I8
    #[test]
    fn a_key_does_not_show_itself_in_a_request() {
        for format in [ProviderFormat::OpenAi, ProviderFormat::Anthropic] {
            let key = Secret::new("sk-1234567".into());
            let request = models_request(&provider(format, "https://a.test"), Some(&key)).expect("sound");
            assert!(!format!("{request:?} {key:?}").contains("sk-1234567"), "{format:?}");
        }
        let unusable = Secret::new("sk-\n1".into());
        let error = models_request(&provider(ProviderFormat::OpenAi, "https://a.test"), Some(&unusable)).err();
        assert!(matches!(error, Some(Refusal::NoKey(sentence)) if !sentence.contains("sk-")));
    }
}
