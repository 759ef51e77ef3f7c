//! Waits for the style sheet of everything that is rendered.

use leptos::prelude::*;

use crate::browser::spawn::spawn;
use crate::browser::style_sheet;

/// Draws its children once they will look as they should.
#[component]
pub(crate) fn Styled(
    /// What is drawn.
    children: ChildrenFn,
) -> impl IntoView {
    let is_here = RwSignal::new(false);
    spawn(async move {
        style_sheet::renderers().await;
        is_here.try_set(true);
    });
    move || is_here.get().then(|| children())
}
