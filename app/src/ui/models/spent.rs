//! What the answers of the open chat have cost: those of the branch that is looked at, and, where there are more, of all its branches (R312).

use leptos::prelude::*;
use satchel_core::conversation::Spent;
use satchel_core::counted::counted;

use crate::state::OpenedChat;
use crate::ui::wrench::in_short;

/// The line; nothing before the first answer.
#[component]
pub(super) fn ChatSpent() -> impl IntoView {
    let opened = OpenedChat::expect();
    let spent = Memo::new(move |_| {
        let open = opened.open()?;
        let (branch, all) = (Spent::of(open.tree.path(&open.leaf)), Spent::of(open.tree.messages()));
        (all.tokens() > 0).then_some((branch, all))
    });
    move || {
        spent.get().map(|(branch, all)| {
            let words = in_words(&branch);
            let branches = (all != branch).then(|| format!(" · all branches {}", in_words(&all)));
            view! { <p class="chat-spent" data-testid="chat-spent" title=in_detail(&branch)>{words} {branches}</p> }
        })
    }
}

fn in_words(spent: &Spent) -> String {
    let tokens = format!("{} tokens", in_short(spent.tokens()));
    match spent.cost {
        // Some of it has no known price, and so it is at least this.
        Some(cost) if spent.unpriced + spent.uncounted > 0 => format!("{tokens}, {cost} or more"),
        Some(cost) => format!("{tokens}, {cost}"),
        None => tokens,
    }
}

fn in_detail(spent: &Spent) -> String {
    let Spent { answers, input_tokens, cached_tokens, output_tokens, uncounted, unpriced, .. } = spent;
    let mut words = format!("This branch: {}, {input_tokens} tokens read", counted(*answers, "answer"));
    if *cached_tokens > 0 {
        words.push_str(&format!(" ({cached_tokens} of them from the provider's cache)"));
    }
    words.push_str(&format!(", {output_tokens} written."));
    if *unpriced > 0 {
        words.push_str(&format!(" Answers without a known price: {unpriced}."));
    }
    if *uncounted > 0 {
        words.push_str(&format!(" Answers that their provider did not count: {uncounted}."));
    }
    words
}

#[cfg(test)]
mod tests {
    use satchel_core::protocol::ModelPrices;
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    /// R312
    #[wasm_bindgen_test]
    fn what_is_not_known_is_said() {
        let prices = ModelPrices { input: 3_000_000, output: 15_000_000, cached: None };
        let spent = Spent {
            answers: 2,
            input_tokens: 2_000,
            output_tokens: 100,
            cost: Some(prices.cost(2_000, 100)),
            ..Spent::default()
        };
        assert_eq!(in_words(&spent), "2.1k tokens, $0.0075");
        assert_eq!(in_words(&Spent { unpriced: 1, ..spent }), "2.1k tokens, $0.0075 or more");
        assert_eq!(in_words(&Spent { cost: None, ..spent }), "2.1k tokens");
        let cached = Spent { cached_tokens: 5, uncounted: 1, ..spent };
        let expected = "This branch: 2 answers, 2000 tokens read (5 of them from the provider's cache), 100 written. Answers that their provider did not count: 1.";
        assert_eq!(in_detail(&cached), expected);
    }
}
