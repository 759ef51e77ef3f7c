//! What is known of this device and its server, and is in no row of the user's.

use satchel_core::catalog::{Surroundings, ToolsetId};
use satchel_core::protocol::{Capability, parse_server_key};

use crate::browser::indexed_db::IndexedDbStore;
use crate::work::server::{self, ServerSays};
use crate::work::store::AppStore;
use crate::work::{mcp, secrets};

/// What is known. What cannot be read is as if it were not there.
pub(super) async fn known(store: &IndexedDbStore, capabilities: Vec<Capability>) -> Surroundings {
    let kept = || AppStore::Kept(store.clone());
    let (says, standings, sealed) =
        futures_util::join!(server::says(kept()), mcp::standings(kept()), secrets::sealed_names(store));
    let (ServerSays { secrets, disabled_toolsets }, sealed) = (says.unwrap_or_default(), sealed.unwrap_or_default());
    // What the operator has set for a server that is offered, nobody here has to enter.
    let set = standings.offers.iter().flat_map(|offer| offer.set.clone()).map(String::from);
    let secrets = secrets.into_iter().chain(sealed.into_iter().map(String::from)).chain(set).collect();
    Surroundings {
        disabled_toolsets: disabled_toolsets.iter().filter_map(|id| ToolsetId::parse(id).ok()).collect(),
        secrets,
        capabilities,
        servers: standings
            .servers
            .into_iter()
            .filter_map(|(key, one)| Some((parse_server_key(&key).ok()?, one)))
            .collect(),
        offers: standings.offers,
        elsewhere: standings.elsewhere,
    }
}
