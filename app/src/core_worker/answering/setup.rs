//! What a turn is set up with: the model, the tools that the chat has chosen and that can be used, and the limits.

use std::collections::BTreeMap;

use satchel_core::catalog::{Selection, Surroundings, ToolsetList, described_key};
use satchel_core::conversation::{self, GivenLimits, OpenChat};
use satchel_core::mcp::pin_first;
use satchel_core::model::Manner;
use satchel_core::record::{KeptValue, Message, Tool};
use satchel_core::store::{self as rows, Store as _, StoreError};
use satchel_core::tool_run::RunLimits;
use satchel_core::turn::{ModelSettings, Offers, TurnLimits, TurnSetup};
use serde_json::Value;

use super::order::AnswerOrder;
use crate::browser::clock;
use crate::browser::indexed_db::IndexedDbStore;
use crate::core_worker::surroundings;
use crate::work::settings;

/// What a turn is set up with.
pub(super) struct Setting {
    pub(super) turn: TurnSetup,
    pub(super) surroundings: Surroundings,
    pub(super) limits: RunLimits,
}

impl Setting {
    /// Reads what holds for an answer to the last message of a path.
    pub(super) async fn read(
        store: &IndexedDbStore,
        order: &AnswerOrder,
        open: &OpenChat,
        path: &[Message],
    ) -> Result<Self, StoreError> {
        let surroundings = surroundings::known(store, order.capabilities.clone()).await;
        let installed = ToolsetList::load(store).await?;
        let described = described(store).await?;
        let told = |tool: &Tool| {
            let key = described_key(tool.package, tool.entrypoint.as_deref()?);
            described.get(&key)?.get("input_schema").cloned()
        };
        let selection = Selection::of_chat(open.chat.enabled_tools.as_ref());
        let tools = selection.tools_in_effect(&installed.toolsets, &surroundings);
        // From its first use on, a tool of a server has to stay what it is (C14); to be offered is to be used.
        let pins = pin_first(&tools, clock::now());
        if !pins.puts.is_empty() {
            store.apply(pins, clock::now()).await?;
        }
        let offers = Offers::in_effect(&tools, &told);
        let settings = settings::all(store).await?;
        let rounds = open.chat.max_tool_iterations.or(settings.max_tool_iterations);
        let model = Manner::read(store).await?.of_model(&order.model.model, order.context_tokens);
        let model = ModelSettings { sees_images: order.sees_images, prices: order.prices, ..model };
        let files = conversation::told_of_files(store, open, path, GivenLimits::default()).await?;
        let turn = TurnSetup { model, offers, limits: TurnLimits::default().with_rounds(rounds), files };
        Ok(Self { turn, surroundings, limits: settings.limits.run() })
    }
}

/// What functions have told of themselves, by the key that it is kept under.
async fn described(store: &IndexedDbStore) -> Result<BTreeMap<String, Value>, StoreError> {
    let kept = rows::list::<KeptValue>(store).await?.into_iter().flatten();
    Ok(kept.map(|kept| (kept.key, kept.value)).collect())
}
