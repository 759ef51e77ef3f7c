//! What a chat can choose from, and what a choice comes to.

use satchel_core::catalog::{SelectableToolset, Selection};
use satchel_core::local_api::Response;
use satchel_core::protocol::Capability;
use satchel_core::store::StoreError;
use satchel_core::turn::selectable;

use super::{store, surroundings};
use crate::work::selection::Chosen;

/// Lists what there is to choose from, as JSON; or counts what is chosen: the tools and their tokens, two numbers.
pub(super) async fn run(
    chosen: Option<Chosen>,
    equipped: Option<String>,
    known: Option<Chosen>,
    capabilities: Vec<Capability>,
) -> Response {
    match attempt(chosen, equipped, known, capabilities).await {
        Ok(body) => Response { status: 200, headers: Vec::new(), body },
        Err(error) => Response::failed(error),
    }
}

async fn attempt(
    chosen: Option<Chosen>,
    equipped: Option<String>,
    known: Option<Chosen>,
    capabilities: Vec<Capability>,
) -> Result<Vec<u8>, StoreError> {
    let store = store::open().await?;
    let surroundings = surroundings::known(&store, capabilities).await;
    let toolsets = selectable(&store, &surroundings, equipped.as_deref()).await?;
    Ok(match chosen {
        None => serde_json::to_vec(&toolsets).expect("toolsets are JSON"),
        Some(chosen) => {
            let usable = toolsets.iter().flat_map(SelectableToolset::usable).map(|tool| &tool.id);
            let offered = Selection::of_chat(Some(&chosen)).following(known.as_ref(), usable).offered(&toolsets);
            format!("{} {}", offered.tools, offered.tokens).into_bytes()
        }
    })
}
