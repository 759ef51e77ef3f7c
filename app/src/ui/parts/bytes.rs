//! Sizes as people read them.

const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];

/// A number of bytes in words: `0 B`, `12.4 MB`, `310 GB`. Three digits are enough to judge by.
pub(crate) fn in_words(bytes: u64) -> String {
    let mut unit = 0;
    // Tenths of the unit, so that whole numbers do the rounding.
    let mut tenths = bytes.saturating_mul(10);
    while tenths >= 10_000 && unit + 1 < UNITS.len() {
        tenths = tenths / 1_000 + u64::from(tenths % 1_000 >= 500);
        unit += 1;
    }
    let (whole, tenth) = (tenths / 10, tenths % 10);
    let name = UNITS[unit];
    if tenth == 0 || whole >= 100 { format!("{whole} {name}") } else { format!("{whole}.{tenth} {name}") }
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::in_words;

    #[wasm_bindgen_test]
    fn sizes_in_words() {
        for (bytes, words) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1 kB"),
            (12_449_000, "12.4 MB"),
            (310_400_000_000, "310 GB"),
            (u64::MAX / 10, "1844674 TB"),
        ] {
            assert_eq!(in_words(bytes), words);
        }
    }
}
