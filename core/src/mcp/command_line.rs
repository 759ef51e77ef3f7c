//! A command as people type it, divided into its words. No shell ever sees it: quotes and backslashes keep words together, and nothing else
//! means anything.

/// The words of a command line.
#[must_use]
pub fn command_words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut is_word) = (Vec::new(), String::new(), false);
    let (mut quote, mut letters) = (None, line.chars());
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => (quote, is_word) = (Some(letter), true),
            // Between single quotes a backslash is one.
            (None | Some('"'), '\\') => {
                word.extend(letters.next());
                is_word = true;
            }
            (None, letter) if letter.is_whitespace() => {
                if is_word {
                    words.push(std::mem::take(&mut word));
                }
                is_word = false;
            }
            (_, letter) => {
                word.push(letter);
                is_word = true;
            }
        }
    }
    if is_word {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_divided_as_in_a_shell() {
        let check = |line: &str, expected: &[&str]| assert_eq!(command_words(line), expected, "{line}");
        check("", &[]);
        check("  npx   -y server ", &["npx", "-y", "server"]);
        check(r#"run "two words" 'a "b"' c\ d"#, &["run", "two words", "a \"b\"", "c d"]);
        check(r#"a "" "open"#, &["a", "", "open"]);
        check("x; rm -rf $HOME | y", &["x;", "rm", "-rf", "$HOME", "|", "y"]);
    }
}
