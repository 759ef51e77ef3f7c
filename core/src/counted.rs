//! A number with its noun, as one says it: "1 file", "2 files".

use std::fmt::Display;

/// A number of things. For nouns that take no more than an "s".
#[must_use]
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_takes_no_s() {
        assert_eq!(counted(0_usize, "file"), "0 files");
        assert_eq!(counted(1_u64, "file"), "1 file");
        assert_eq!(counted(2_u32, "file"), "2 files");
    }
}
