//! JSON with comments and with a comma after the last item, as VS Code, Cursor and OpenCode let people write it.

/// The same text as plain JSON. Every character that goes becomes a space, so that a fault is still told at its line and column.
pub(super) fn without(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.char_indices().peekable();
    while let Some((at, char)) = rest.next() {
        match (char, rest.peek().map(|(_, next)| *next)) {
            ('"', _) => {
                plain.push('"');
                while let Some((_, inside)) = rest.next() {
                    plain.push(inside);
                    match inside {
                        '\\' => plain.extend(rest.next().map(|(_, escaped)| escaped)),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => {
                plain.push(' ');
                while let Some((_, _)) = rest.next_if(|(_, inside)| *inside != '\n') {
                    plain.push(' ');
                }
            }
            ('/', Some('*')) => {
                let end = text[at + 2..].find("*/").map_or(text.len(), |length| at + length + 4);
                plain.push(' ');
                while let Some((_, inside)) = rest.next_if(|(at, _)| *at < end) {
                    plain.push(if inside == '\n' { '\n' } else { ' ' });
                }
            }
            (',', _) if closes(&text[at + 1..]) => plain.push(' '),
            (other, _) => plain.push(other),
        }
    }
    plain
}

/// Whether nothing but space and comments comes before a bracket that closes.
fn closes(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        rest = if let Some(line) = rest.strip_prefix("//") {
            line.split_once('\n').map_or("", |(_, next)| next)
        } else if let Some(block) = rest.strip_prefix("/*") {
            block.split_once("*/").map_or("", |(_, next)| next)
        } else {
            return rest.starts_with(['}', ']']);
        }
        .trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let plain = without(text);
        assert_eq!(plain.split_whitespace().collect::<String>(), expected, "{text}");
        assert_eq!(plain.lines().count(), text.lines().count(), "{text}");
    }

    #[test]
    fn comments_go_and_texts_stay() {
        check("{\"a\": 1} // end", "{\"a\":1}");
        check("{/* one\n two */\"a\": \"//no /* no */\",}", "{\"a\":\"//no/*no*/\"}");
        check("[1, 2, // last\n ]", "[1,2]");
        check("[1, /* ü */ ]", "[1]");
        check(r#"{"a": "\"//", "b": [",]"]}"#, r#"{"a":"\"//","b":[",]"]}"#);
        check("/* never ends", "");
    }
}
