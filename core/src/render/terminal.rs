//! What a program wrote to a terminal, as lines of coloured text. Colours are kept, lines that were written over are the last they
//! became, and every other command to a terminal is left out.

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ink {
    /// One of the sixteen colours of a terminal.
    pub colour: Option<u8>,
    /// Bold.
    pub is_bold: bool,
    /// Faint.
    pub is_faint: bool,
    /// Underlined.
    pub is_underlined: bool,
}

/// Text of one look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub text: String,
    /// Its look.
    pub ink: Ink,
}

/// A line of a terminal.
pub type Line = Vec<Span>;

/// The lines of what was written.
#[must_use]
pub fn terminal_lines(text: &str) -> Vec<Line> {
    let mut screen = Screen::default();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => screen.end_line(),
            '\r' if letters.peek() == Some(&'\n') => {}
            '\r' => screen.line.clear(),
            '\u{8}' => screen.erase(),
            '\u{1b}' => match letters.peek() {
                Some('[') => {
                    letters.next();
                    let mut numbers = String::new();
                    let end = loop {
                        match letters.next() {
                            Some(part) if part.is_ascii_digit() || ";:?<=>!\"#$ ".contains(part) => numbers.push(part),
                            other => break other,
                        }
                    };
                    match end {
                        Some('m') => screen.ink = inked(screen.ink, &numbers),
                        // The line is cleared, from the cursor, which is at its end, or whole.
                        Some('K') if numbers.starts_with('2') => screen.line.clear(),
                        _other => {}
                    }
                }
                // A title or a link: up to its end, which is a bell or a string terminator.
                Some(']') => {
                    while let Some(part) = letters.next() {
                        if part == '\u{7}' || (part == '\u{1b}' && letters.next_if_eq(&'\\').is_some()) {
                            break;
                        }
                    }
                }
                // Which letters the terminal draws, which is one more letter.
                Some('(' | ')') => letters.by_ref().take(2).for_each(drop),
                _other => drop(letters.next()),
            },
            '\t' => screen.write('\t'),
            other if other.is_control() => {}
            other => screen.write(other),
        }
    }
    if !screen.line.is_empty() {
        screen.end_line();
    }
    screen.lines
}

#[derive(Default)]
struct Screen {
    lines: Vec<Line>,
    line: Line,
    ink: Ink,
}

impl Screen {
    fn write(&mut self, letter: char) {
        match self.line.last_mut() {
            Some(span) if span.ink == self.ink => span.text.push(letter),
            Some(_) | None => self.line.push(Span { text: letter.into(), ink: self.ink }),
        }
    }

    fn erase(&mut self) {
        if let Some(span) = self.line.last_mut() {
            span.text.pop();
            if span.text.is_empty() {
                self.line.pop();
            }
        }
    }

    fn end_line(&mut self) {
        self.lines.push(std::mem::take(&mut self.line));
    }
}

fn inked(mut ink: Ink, numbers: &str) -> Ink {
    let mut codes = numbers.split([';', ':']).map(|code| code.parse::<u16>().unwrap_or(0));
    while let Some(code) = codes.next() {
        match code {
            0 => ink = Ink::default(),
            1 => ink.is_bold = true,
            2 => ink.is_faint = true,
            4 => ink.is_underlined = true,
            22 => (ink.is_bold, ink.is_faint) = (false, false),
            24 => ink.is_underlined = false,
            30..=37 => ink.colour = u8::try_from(code - 30).ok(),
            90..=97 => ink.colour = u8::try_from(code - 82).ok(),
            39 => ink.colour = None,
            // 256 colours, or any: those beyond the sixteen are left at the nearest thing there is, the text's own.
            38 | 48 => {
                let chosen = match codes.next() {
                    Some(5) => codes.next().and_then(|code| u8::try_from(code).ok()).filter(|code| *code < 16),
                    Some(2) => {
                        codes.by_ref().take(3).for_each(drop);
                        None
                    }
                    _other => None,
                };
                if code == 38 {
                    ink.colour = chosen;
                }
            }
            _other => {}
        }
    }
    ink
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    fn told(text: &str) -> Vec<String> {
        let span = |span: &Span| {
            let Ink { colour, is_bold, is_faint, is_underlined } = span.ink;
            let marks = [(is_bold, "b"), (is_faint, "f"), (is_underlined, "u")];
            let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
            let colour = colour.map(|colour| colour.to_string()).unwrap_or_default();
            if marks.is_empty() && colour.is_empty() {
                span.text.clone()
            } else {
                format!("<{colour}{marks}>{}", span.text)
            }
        };
        terminal_lines(text).iter().map(|line| line.iter().map(span).collect::<String>()).collect()
    }

    #[test]
    fn colours_are_kept() {
        assert_eq!(told("a \u{1b}[31mred\u{1b}[0m b\n\u{1b}[1;92mok\u{1b}[22m.\n"), ["a <1>red b", "<10b>ok<10>."]);
        assert_eq!(told("\u{1b}[38;5;3mx\u{1b}[38;2;1;2;3my\u{1b}[48;5;1mz"), ["<3>xyz"]);
    }

    #[test]
    fn what_was_written_over_is_gone() {
        assert_eq!(told("10%\r20%\rdone\r\nnext"), ["done", "next"]);
        assert_eq!(told("abc\u{8}\u{8}d\n\nx\u{1b}[2Ky"), ["ad", "", "y"]);
    }

    #[test]
    fn other_commands_are_left_out() {
        assert_eq!(told("\u{1b}]0;title\u{7}a\u{1b}[2J\u{1b}[10;4Hb\u{1b}(Bc\u{0}"), ["abc"]);
        assert_eq!(told("\u{1b}]8;;http://x\u{1b}\\link\u{1b}["), ["link"]);
    }

    proptest! {
        /// Nothing that a program writes reaches the page as a control character.
        #[test]
        fn lines_have_no_controls(text in "(\u{1b}\\[|\u{1b}\\]|\u{1b}|\r|\n|[0-9;m]|[a-c]|\u{8}|\u{7}){0,40}") {
            let clean = terminal_lines(&text).iter().flatten().all(|span| !span.text.contains(|c: char| c.is_control() && c != '\t'));
            prop_assert!(clean);
        }
    }
}
