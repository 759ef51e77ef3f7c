//! Letters as they are compared: small, and without the marks on them.
//!
//! A table of our own for the Latin letters, which is what people leave the marks off. The crates for normalising Unicode carry tables for all
//! scripts, a hundred times the size.

/// What U+00C0 to U+024F are without their marks; a dot where there is nothing to take off.
const LATIN: &[u8; 400] = b"aaaaaa.ceeeeiiiidnooooo.ouuuuy..aaaaaa.ceeeeiiiidnooooo.ouuuuy.yaaaaaaccccccccddddeeeeeeeeee\
gggggggghhhhiiiiiiiiii..jjkk.llllll..llnnnnnn.nnoooooo..rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzz.b...................\
............oo.............uu............................aaiioouuuuuuuuuu.aaaa....ggkkoooo..j...gg..nnaa..ooaaaaeeeeiiii\
oooorrrruuuusstt..hh......aaeeooooooooyy...............b............";

/// The same for U+1E00 to U+1EFF.
const LATIN_ADDITIONAL: &[u8; 256] = b"aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnooooooooppp\
prrrrrrrrssssssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwy......aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiiooo\
ooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy......";

/// Adds a letter as it is compared. A mark that stands by itself adds nothing.
pub(super) fn push(letter: char, to: &mut String) {
    match letter {
        'a'..='z' | '0'..='9' => to.push(letter),
        'A'..='Z' => to.push(letter.to_ascii_lowercase()),
        'æ' | 'Æ' | 'ǽ' | 'Ǽ' => to.push_str("ae"),
        'œ' | 'Œ' => to.push_str("oe"),
        'ß' | 'ẞ' => to.push_str("ss"),
        'þ' | 'Þ' => to.push_str("th"),
        '\u{c0}'..='\u{24f}' => push_latin(letter, LATIN[letter as usize - 0xc0], to),
        '\u{1e00}'..='\u{1eff}' => push_latin(letter, LATIN_ADDITIONAL[letter as usize - 0x1e00], to),
        // The wide forms that stand among Chinese and Japanese signs.
        '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            let plain = char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter);
            to.push(plain.to_ascii_lowercase());
        }
        letter if is_mark(letter) => {}
        letter => letter.to_lowercase().for_each(|small| to.push(unaccented(small))),
    }
}

/// Whether this is a mark on the letter before it.
pub(super) fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

fn push_latin(letter: char, plain: u8, to: &mut String) {
    match plain {
        b'.' => letter.to_lowercase().filter(|small| !is_mark(*small)).for_each(|small| to.push(small)),
        plain => to.push(char::from(plain)),
    }
}

/// The letters of other scripts that are commonly written without their mark.
fn unaccented(small: char) -> char {
    match small {
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' | 'ΰ' => 'υ',
        'ώ' => 'ω',
        'ς' => 'σ',
        'ё' => 'е',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::push;

    fn check(text: &str, expected: &str) {
        let mut folded = String::new();
        text.chars().for_each(|letter| push(letter, &mut folded));
        assert_eq!(folded, expected, "{text:?}");
    }

    #[test]
    fn case_and_accents_make_no_difference() {
        check("Crème BRÛLÉE", "creme brulee");
        check("Cre\u{300}me", "creme");
        check("Straße ẞ Æther œuvre Þór", "strasse ss aether oeuvre thor");
        check("Łódź Đặng Nguyễn Trần Ştefan İstanbul", "lodz dang nguyen tran stefan istanbul");
        check("Ελλάς Ὀδυσσεύς", "ελλασ ὀδυσσευσ");
        check("Ёлка Чай", "елка чай");
        check("Ｗｉｄｅ１", "wide1");
        check("日本語 が", "日本語 が");
        check("ǆ ƒ", "ǆ ƒ");
    }
}
