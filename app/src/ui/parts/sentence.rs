//! Errors as sentences. An error is written to stand after a colon; on its own it begins with a capital, unless it begins with
//! the name of a file, and ends with a stop.

/// The words as a sentence of their own.
pub(crate) fn sentence(words: &str) -> String {
    let mut characters = words.chars();
    let Some(first) = characters.next() else { return String::new() };
    let stop = if words.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    if words.split(' ').next().is_some_and(|word| word.trim_end_matches(['.', '!', '?']).contains(['.', '/', '_'])) {
        return format!("{words}{stop}");
    }
    // Our own words begin with plain letters; the tables for all others are 12 KB of the first page.
    format!("{}{}{stop}", first.to_ascii_uppercase(), characters.as_str())
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::sentence;

    #[wasm_bindgen_test]
    fn words_become_sentences() {
        assert_eq!(sentence("no server answers"), "No server answers.");
        assert_eq!(sentence("Reload."), "Reload.");
        assert_eq!(sentence("done."), "Done.");
        assert_eq!(sentence("much is wr…"), "Much is wr…");
        assert_eq!(sentence("toolset.yaml line 1: it is empty"), "toolset.yaml line 1: it is empty.");
        assert_eq!(sentence(""), "");
    }
}
