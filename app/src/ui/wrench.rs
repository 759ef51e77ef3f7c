//! The wrench of a composer: which tools the chat offers its model, toolset by toolset and tool by tool, and what they cost (R163–R176).

mod button;
mod popover;
mod rounds;
mod saved;
mod tool;
mod toolset;

pub(crate) use button::WrenchButton;
pub(crate) use popover::WrenchPopover;

/// The id of the button, which gets the focus back.
const TRIGGER: &str = "wrench-trigger";
/// The id of the popover.
const POPOVER: &str = "wrench";

/// So many tokens, in few characters.
pub(crate) fn in_short(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..100_000 => format!("{}.{}k", tokens / 1_000, tokens % 1_000 / 100),
        _ => format!("{}k", tokens / 1_000),
    }
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::in_short;

    /// R312
    #[wasm_bindgen_test]
    fn tokens_are_told_in_short() {
        for (tokens, expected) in [(0, "0"), (999, "999"), (1_000, "1.0k"), (12_349, "12.3k"), (120_500, "120k")] {
            assert_eq!(in_short(tokens), expected);
        }
    }
}
