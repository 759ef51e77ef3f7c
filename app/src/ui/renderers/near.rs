//! What is not in sight is not drawn: a chat with hundreds of results opens as quickly as one with none.

use leptos::html::Div;
use leptos::prelude::*;

use crate::browser::viewport::{self, Watch};

/// Draws its children when they come near to what can be seen; from then on they stay.
#[component]
pub(crate) fn WhenNear(
    /// What is drawn.
    children: ChildrenFn,
) -> impl IntoView {
    let host = NodeRef::<Div>::new();
    let is_near = RwSignal::new(false);
    let watch = StoredValue::new_local(None::<Watch>);
    Effect::new(move || {
        if let Some(host) = host.get() {
            watch.set_value(Some(viewport::when_near(&host, move || {
                is_near.try_set(true);
                watch.try_set_value(None);
            })));
        }
    });
    view! {
        <div class="when-near" data-near=move || is_near.get().to_string() node_ref=host>
            {move || is_near.get().then(|| children())}
        </div>
    }
}
