//! The servers of the operator's own file: approved already, and there to be added.

use std::collections::BTreeMap;

use leptos::prelude::*;
use satchel_core::local_api::reading::{OfferRead, PastedServerRead};
use serde_json::json;

use crate::browser::spawn::spawn;
use crate::state::{McpServers, NoticeKind, Notices};

/// All that are offered; nothing where there are none.
#[component]
pub(super) fn Offers() -> impl IntoView {
    let servers = McpServers::expect();
    let offers = Memo::new(move |_| match servers.list() {
        Some(Ok(list)) => list.offers,
        Some(Err(_)) | None => Vec::new(),
    });
    move || {
        let offers = offers.get();
        (!offers.is_empty()).then(|| {
            view! {
                <section class="server-offers" aria-label="Offered by the operator">
                    <h2>"Offered by the operator of your server"</h2>
                    <ul class="pasted-list">
                        {offers.into_iter().map(|offer| view! { <Offer offer /> }).collect_view()}
                    </ul>
                </section>
            }
        })
    }
}

#[component]
fn Offer(
    /// What is offered.
    offer: OfferRead,
) -> impl IntoView {
    let (servers, notices) = (McpServers::expect(), Notices::expect());
    let OfferRead { name, line, config, set, added } = offer;
    let test_id = format!("server-offer-{name}");
    let label = name.clone();
    let add = move |_| {
        // The same way in as any configuration: an id that is free is found. How it is reached stays as it is offered, to the letter: that is
        // what the operator has approved.
        let config = config.clone();
        let text = json!({"mcpServers": {name.clone(): config.clone()}}).to_string();
        spawn(async move {
            let added = match servers.read(&text).await {
                Ok(found) => {
                    let as_offered =
                        |server| PastedServerRead { config: config.clone(), secrets: Vec::new(), ..server };
                    servers.add(found.servers.into_iter().map(as_offered).collect(), BTreeMap::new()).await
                }
                Err(error) => Err(error),
            };
            if let Err(error) = added {
                notices.show(NoticeKind::Error, format!("The server was not added: {error}."));
            }
        });
    };
    view! {
        <li class="pasted-server">
            <h3>{label}</h3>
            <pre class="server-line">{line}</pre>
            {(!set.is_empty())
                .then(|| {
                    let words = format!("Set by the operator: {}. The values stay on the server.", set.join(", "));
                    view! { <p class="field-hint">{words}</p> }
                })}
            {match added {
                true => view! { <p class="field-hint" data-testid=test_id>"You have added it."</p> }.into_any(),
                false => {
                    view! { <button class="button button-small" type="button" data-testid=test_id on:click=add>"Add"</button> }
                        .into_any()
                }
            }}
        </li>
    }
}
