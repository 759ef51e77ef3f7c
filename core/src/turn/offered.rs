//! What a chat offers its model: the tools that it has chosen, that can be used, and that the saved toolset it has equipped allows; in
//! configuration mode, those that manage saved toolsets, and no others.

use super::{Offer, Offers};
use crate::catalog::{Described, EffectiveTool, Selection, Surroundings, ToolsetList};
use crate::pins::pin_first;
use crate::record::Chat;
use crate::saved::{Ceiling, Discovery, Management, Mode, is_entry_offered};
use crate::store::{Commit, Store, StoreError};
use crate::time::Timestamp;

/// What is offered, and what has to be stored before it is.
#[derive(Debug)]
pub struct Offering {
    /// The tools.
    pub offers: Offers,
    /// Pins those that were never used: to be offered is to be used (C14).
    pub pins: Commit,
}

/// Reads what a chat offers now.
pub async fn offered(
    store: &impl Store,
    chat: &Chat,
    surroundings: &Surroundings,
    now: Timestamp,
) -> Result<Offering, StoreError> {
    if chat.configuring {
        let tools = Management::offered(Mode::Configuring, false);
        return Ok(Offering { offers: Offers::default().with_management(tools), pins: Commit::default() });
    }
    let toolsets = ToolsetList::load(store).await?.toolsets;
    let described = Described::load(store).await?;
    let ceiling = match &chat.equipped {
        Some(equipped) => {
            let discovery = Discovery::of_toolsets(&toolsets, surroundings);
            Some(Ceiling::load(store, &equipped.name, &discovery).await?)
        }
        None => None,
    };
    let mut chosen = Selection::of_chat(chat.enabled_tools.as_ref());
    if let (Some(ceiling), Some(equipped)) = (&ceiling, &chat.equipped) {
        chosen = ceiling.followed(chosen, equipped.known.as_ref());
    }
    let mut tools = chosen.tools_in_effect(&toolsets, surroundings);
    if let Some(ceiling) = &ceiling {
        tools.retain(|tool| ceiling.allows(&tool.declared.tool_id));
    }
    let offer = |tool: &EffectiveTool<'_>| {
        let told = if tool.declared.input_schema.is_none() { described.input_schema(tool.declared) } else { None };
        let mut offer = Offer::of(tool, told.as_ref());
        if let Some(ceiling) = &ceiling {
            offer.description = ceiling.described(&offer.tool, &offer.description);
        }
        offer
    };
    let may_enter = is_entry_offered(store, !tools.is_empty()).await?;
    let offers = Offers::of(tools.iter().map(offer).collect());
    let offers = offers.with_management(Management::offered(Mode::Working, may_enter));
    Ok(Offering { offers, pins: pin_first(&tools, now) })
}
