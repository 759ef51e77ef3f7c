//! The requests of an HTTP tool in its form: one, or several that are made one after the other.

use leptos::prelude::*;
use satchel_core::http_tool::{Recipe, RecipeStep};

use super::maker_fields::{Choice, Lines, Place, Text};

/// All requests, and the way to one more.
#[component]
pub(super) fn Steps(
    /// The form.
    recipe: RwSignal<Recipe>,
) -> impl IntoView {
    let count = Memo::new(move |_| recipe.with(|recipe| recipe.steps.len()));
    view! {
        <For each=move || 0..count.get() key=|at| *at let:at>
            <Step recipe at count />
        </For>
        <p class="maker-add">
            <button class="button" type="button" data-testid="maker-add-step" on:click=move |_| recipe.update(Recipe::add_step)>
                "Add another request"
            </button>
            <span class="field-hint">"For a tool that needs the response of one request to make the next."</span>
        </p>
    }
}

/// One request. By itself it is simply what the tool asks; among others it has a name and can be taken out.
#[component]
fn Step(
    /// The form.
    recipe: RwSignal<Recipe>,
    /// Which one.
    at: usize,
    /// How many there are.
    count: Memo<usize>,
) -> impl IntoView {
    let is_among_others = move || count.get() > 1;
    // The first keeps the plain names.
    let id = move |name: &str| if at == 0 { format!("maker-{name}") } else { format!("maker-{name}-{}", at + 1) };
    let place = move |place: fn(&mut RecipeStep) -> &mut String| Place::of_step(recipe, at, place);
    view! {
        <fieldset class="maker-step" class:maker-step-one-of=is_among_others data-testid=format!("maker-step-{}", at + 1)>
            <Show when=is_among_others>
                <legend>{format!("Request {}", at + 1)}</legend>
                <Text label="Name of this request" test_id=id("step-name") place=place(|step| &mut step.name) />
                <Earlier recipe at />
            </Show>
            <Choice label="Method" test_id=id("method") options=&["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] place=place(|step| &mut step.method) />
            <Text label="Address" hint="Write ${city} for an argument and ${API_KEY}, in capitals, for a secret." test_id=id("url") place=place(|step| &mut step.url) />
            <details class="maker-more">
                <summary>"Query, headers, body and authentication"</summary>
                <Lines label="Query" hint="name = value, one per line" test_id=id("query") place=place(|step| &mut step.query) />
                <Lines label="Headers" hint="Name: value, one per line" test_id=id("headers") place=place(|step| &mut step.headers) />
                <Lines label="Body" hint="Values are escaped as the body needs; in JSON they become JSON values." test_id=id("body") place=place(|step| &mut step.body) />
                <Choice label="Authentication" test_id=id("auth") options=&["", "bearer", "apiKey", "query", "basic"] place=place(|step| &mut step.auth) />
                <Text label="Name of the header or query parameter" test_id=id("auth-name") place=place(|step| &mut step.auth_name) />
                <Text label="Value" hint="Usually a secret, such as ${API_KEY}; for a user name and password, ${USER}:${PASSWORD}." test_id=id("auth-value") place=place(|step| &mut step.auth_value) />
            </details>
            <details class="maker-more">
                <summary>"Response"</summary>
                <Choice label="The response is" test_id=id("output") options=&["auto", "text", "file", "image"] place=place(|step| &mut step.output) />
                <Text label="Statuses that count as success" hint="Every 2xx, unless you list others, such as 200, 404." test_id=id("success") place=place(|step| &mut step.success) />
                <Choice label="Any other status is" test_id=id("otherwise") options=&["fail", "empty"] place=place(|step| &mut step.otherwise) />
                <Text label="Time limit in seconds" test_id=id("seconds") place=place(|step| &mut step.seconds) />
            </details>
            <Show when=is_among_others>
                <p class="maker-buttons">
                    <button class="button" type="button" data-testid=id("remove-step") on:click=move |_| recipe.update(|recipe| recipe.remove_step(at))>
                        {format!("Remove request {}", at + 1)}
                    </button>
                </p>
            </Show>
        </fieldset>
    }
}

/// What of the answers before it a request can use, in the words to write.
#[component]
fn Earlier(
    /// The form.
    recipe: RwSignal<Recipe>,
    /// The request.
    at: usize,
) -> impl IntoView {
    let names = move || {
        let before =
            |recipe: &Recipe| recipe.steps.iter().take(at).map(|step| format!("${{steps.{}.id}}", step.name)).collect();
        recipe.with(before)
    };
    let told = move || {
        let names: Vec<String> = names();
        format!("Write {} to use the field id of an earlier response; items.0.id reaches deeper.", names.join(" or "))
    };
    (at > 0).then(|| view! { <p class="field-hint" data-testid=format!("maker-earlier-{}", at + 1)>{told}</p> })
}
