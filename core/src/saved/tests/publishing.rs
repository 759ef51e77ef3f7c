//! What is published for the hub, and that the hub makes the same of it.

use serde_json::json;

use super::super::{Hub, Kept, NewToolset, Reachable};
use super::{NOW, by_name};
use crate::at_once::at_once;
use crate::catalog::sample::{Device, PYTHON};
use crate::catalog::{Surroundings, ToolsetId};
use crate::network;
use crate::protocol::{Capability, HubProvider, HubPublication, HubState};
use crate::record::{SourceType, Toolset};
use crate::store::Commit;

const WEATHER: &str = r#"
manifest_version: "1"
id: weather
name: Weather
version: 1.0.0
tools:
  - id: today
    type: http
    timeout_seconds: 7
    input_schema: {type: object, properties: {city: {type: string}}, required: [city]}
    http: {allowedHosts: [a.test], request: {urlTemplate: "https://a.test/${city}", headers: {X-Key: "${KEY}"}}}
  - id: unready
    type: http
    http: {allowedHosts: [b.test], request: {urlTemplate: "https://b.test/"}}
"#;

fn surroundings() -> Surroundings {
    Surroundings { capabilities: vec![Capability::Mcp, Capability::HttpTools], ..Surroundings::default() }
}

/// What a device publishes that has saved these tools.
fn published(device: &Device, tools: &[&str]) -> Option<HubPublication> {
    let surroundings = surroundings();
    let mut kept = at_once(Kept::load(&device.store, &surroundings, None)).expect("memory does not fail");
    if !tools.is_empty() {
        let tools = tools.iter().map(|name| by_name(name)).collect();
        let new = NewToolset { name: "mine".into(), tools, ..NewToolset::default() };
        kept.shelf.build(new, &kept.discovery, NOW).expect("is built");
        kept.shelf.equip("mine", &kept.discovery).expect("is there");
    }
    let toolsets = device.list().toolsets;
    let reachable = at_once(Reachable::find(&device.store, &toolsets, &surroundings)).expect("memory does not fail");
    kept.publication(&reachable)
}

fn ids(publication: &HubPublication) -> Vec<String> {
    let ids = publication.tools.iter().map(|tool| tool.id.to_string());
    ids.filter(|id| !id.starts_with("builtin-exa")).collect()
}

/// Who saves nothing tells nobody anything.
#[test]
fn nothing_is_published_where_nothing_is_saved() {
    assert_eq!(published(&Device::with(WEATHER), &[]), None);
}

/// A stranger's tool is published once the user has granted its hosts, and them the secrets that it sends; a tool of the user's own at once; Python never.
#[test]
fn http_tools_whose_hosts_are_granted_are_published() {
    let device = Device::with(WEATHER);
    device.install(PYTHON);
    assert_eq!(ids(&published(&device, &["weather.today"]).expect("is saved")), [""; 0]);
    let weather = ToolsetId::parse("weather").expect("is a name");
    device.apply(network::grant(&weather, "a.test", NOW));
    assert_eq!(ids(&published(&device, &["weather.today"]).expect("is saved")), [""; 0], "its key is not granted");
    device.apply(network::grant(&weather, &network::secret_grant("a.test", "KEY"), NOW));
    let publication = published(&device, &["weather.today"]).expect("is saved");
    assert_eq!(ids(&publication), ["weather:today"]);
    let tool = publication.tools.iter().find(|tool| tool.id.to_string() == "weather:today").expect("is there");
    let HubProvider::Http { definition, time_limit_ms } = &tool.provider else { unreachable!("it asks a host") };
    assert_eq!((definition["allowedHosts"].clone(), *time_limit_ms), (json!(["a.test"]), 7_000));
    let before = device.find("weather").expect("is there").toolset;
    let own = Toolset { source_type: SourceType::Created, ..before.clone() };
    device.apply(Commit::default().change(&before, &own));
    assert_eq!(ids(&published(&device, &["weather.today"]).expect("is saved")), ["weather:today", "weather:unready"]);
}

/// The hub resolves what the app has saved, over what the app has published, also after it went over the wire.
#[test]
fn the_hub_finds_what_was_saved() {
    let device = Device::with(WEATHER);
    let weather = ToolsetId::parse("weather").expect("is a name");
    device.apply(network::grant(&weather, "a.test", NOW));
    device.apply(network::grant(&weather, &network::secret_grant("a.test", "KEY"), NOW));
    let publication = published(&device, &["weather.today"]).expect("is saved");
    let wire = serde_json::to_string(&publication).expect("writes");
    let state = HubState { published: Some(serde_json::from_str(&wire).expect("reads")), ..HubState::default() };
    let hub = Hub::of(&state, &|tool| Ok(tool.received.clone()));
    let offers: Vec<String> = hub.offers().into_iter().map(|offer| offer.name).collect();
    assert_eq!(offers, ["weather_today"]);
    let keyless = Hub::of(&state, &|_| Err("API key not configured: KEY".into()));
    assert!(keyless.offers().is_empty());
}
