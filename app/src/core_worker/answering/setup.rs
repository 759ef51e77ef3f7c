//! What a turn is set up with: the model, the tools that the chat has chosen and that can be used, and the limits.

use satchel_core::catalog::Surroundings;
use satchel_core::conversation::{self, GivenLimits, OpenChat};
use satchel_core::model::Manner;
use satchel_core::record::{Chat, Message};
use satchel_core::store::{Store as _, StoreError};
use satchel_core::tool_run::RunLimits;
use satchel_core::turn::{ModelSettings, Offering, Offers, TurnLimits, TurnSetup, offered};

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
        let offers = offers(store, &open.chat, &surroundings).await?;
        let settings = settings::all(store).await?;
        let rounds = open.chat.max_tool_iterations.or(settings.max_tool_iterations);
        let model = Manner::read(store).await?.of_model(&order.model.model, order.context_tokens);
        let model = ModelSettings { sees_images: order.sees_images, prices: order.prices, ..model };
        let files = conversation::told_of_files(store, open, path, GivenLimits::default()).await?;
        let turn = TurnSetup { model, offers, limits: TurnLimits::default().with_rounds(rounds), files };
        Ok(Self { turn, surroundings, limits: settings.limits.run() })
    }
}

/// What a chat offers its model now. From its first use on, a tool of a server has to stay what it is (C14); to be offered is to be used.
pub(super) async fn offers(
    store: &IndexedDbStore,
    chat: &Chat,
    surroundings: &Surroundings,
) -> Result<Offers, StoreError> {
    let Offering { offers, pins } = offered(store, chat, surroundings, clock::now()).await?;
    if !pins.puts.is_empty() {
        store.apply(pins, clock::now()).await?;
    }
    Ok(offers)
}
