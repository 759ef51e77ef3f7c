//! Reading a query.

use serde_json::Value;

use super::{Comparison, Operand, Query, QueryError, Segment, Selector, Test, Way};
use crate::pattern::{Case, Pattern};

/// How deep filters and parentheses may be in one another.
const DEEPEST: usize = 32;

impl Query {
    /// Reads a query and says what is wrong with it.
    pub(in super::super) fn read(text: &str) -> Result<Self, QueryError> {
        let mut reader = Reader { letters: text.trim_end().chars().collect(), at: 0, depth: 0 };
        if !reader.take('$') {
            return Err(reader.fail("a query begins with \"$\""));
        }
        let segments = reader.segments()?;
        if reader.at < reader.letters.len() {
            return Err(reader.fail("\".\" or \"[\" must follow"));
        }
        Ok(Self(segments))
    }
}

struct Reader {
    letters: Vec<char>,
    at: usize,
    depth: usize,
}

type Read<T> = Result<T, QueryError>;

impl Reader {
    fn fail(&self, why: impl Into<String>) -> QueryError {
        QueryError { at: self.at + 1, why: why.into() }
    }

    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn take(&mut self, letter: char) -> bool {
        let is_next = self.peek() == Some(letter);
        self.at += usize::from(is_next);
        is_next
    }

    fn take_all(&mut self, text: &str) -> bool {
        let is_next = text.chars().enumerate().all(|(more, letter)| self.letters.get(self.at + more) == Some(&letter));
        self.at += if is_next { text.chars().count() } else { 0 };
        is_next
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|letter| matches!(letter, ' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == DEEPEST {
            return Err(self.fail("it is too deep"));
        }
        self.depth += 1;
        let inside = read(self);
        self.depth -= 1;
        inside
    }

    fn segments(&mut self) -> Read<Vec<Segment>> {
        let mut segments = Vec::new();
        loop {
            let before = self.at;
            self.blanks();
            let descends = self.take_all("..");
            let dotted = descends || self.take('.');
            if dotted && self.peek() != Some('[') {
                let selector = if self.take('*') { Selector::All } else { Selector::Name(self.name()?) };
                segments.push(Segment { descends, selectors: vec![selector] });
            } else if self.peek() == Some('[') && (descends || !dotted) {
                self.at += 1;
                segments.push(Segment { descends, selectors: self.selectors()? });
            } else if dotted {
                return Err(self.fail("a name, \"*\" or \"[\" must follow"));
            } else {
                self.at = before;
                return Ok(segments);
            }
        }
    }

    /// A name after a dot.
    fn name(&mut self) -> Read<String> {
        let is_part =
            |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-' || !letter.is_ascii();
        let start = self.at;
        while self.peek().is_some_and(is_part) {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.fail("a name, \"*\" or \"[\" must follow"));
        }
        Ok(self.letters[start..self.at].iter().collect())
    }

    fn selectors(&mut self) -> Read<Vec<Selector>> {
        let mut selectors = Vec::new();
        loop {
            self.blanks();
            selectors.push(self.selector()?);
            self.blanks();
            if self.take(']') {
                return Ok(selectors);
            }
            if !self.take(',') {
                return Err(self.fail("\",\" or \"]\" must follow"));
            }
        }
    }

    fn selector(&mut self) -> Read<Selector> {
        match self.peek() {
            Some('*') => {
                self.at += 1;
                Ok(Selector::All)
            }
            Some('?') => {
                self.at += 1;
                self.blanks();
                Ok(Selector::Filter(self.deeper(Self::any)?))
            }
            Some('\'' | '"') => Ok(Selector::Name(self.text()?)),
            Some('-' | ':' | '0'..='9') => self.index_or_slice(),
            Some(_) | None => Err(self.fail("a name in quotes, a number, \"*\", a slice or \"?\" must follow")),
        }
    }

    fn index_or_slice(&mut self) -> Read<Selector> {
        let start = self.integer()?;
        self.blanks();
        if !self.take(':') {
            return start.map(Selector::Index).ok_or_else(|| self.fail("a number must follow"));
        }
        self.blanks();
        let end = self.integer()?;
        self.blanks();
        let mut step = None;
        if self.take(':') {
            self.blanks();
            step = self.integer()?;
        }
        Ok(Selector::Slice { start, end, step: step.unwrap_or(1) })
    }

    fn integer(&mut self) -> Read<Option<i64>> {
        let start = self.at;
        self.take('-');
        while self.peek().is_some_and(|letter| letter.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            return Ok(None);
        }
        let digits: String = self.letters[start..self.at].iter().collect();
        digits.parse().map(Some).map_err(|_not_one| self.fail("that is not a whole number, or too large"))
    }

    /// A text in quotes.
    fn text(&mut self) -> Read<String> {
        let quote = self.peek();
        self.at += 1;
        let mut text = String::new();
        loop {
            let letter = self.peek().ok_or_else(|| self.fail("the text is not closed"))?;
            self.at += 1;
            if Some(letter) == quote {
                return Ok(text);
            }
            if letter != '\\' {
                text.push(letter);
                continue;
            }
            let escaped = self.peek().ok_or_else(|| self.fail("the text is not closed"))?;
            self.at += 1;
            text.push(match escaped {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => self.unicode()?,
                other => other,
            });
        }
    }

    fn unicode(&mut self) -> Read<char> {
        let high = self.hex()?;
        let code = match high {
            0xd800..=0xdbff if self.take_all("\\u") => {
                0x10000 + ((high - 0xd800) << 10) + (self.hex()?.wrapping_sub(0xdc00) & 0x3ff)
            }
            other => other,
        };
        char::from_u32(code).ok_or_else(|| self.fail("that is not a character"))
    }

    fn hex(&mut self) -> Read<u32> {
        let digits: String = self.letters.iter().skip(self.at).take(4).collect();
        let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4);
        let code = code.ok_or_else(|| self.fail("four hexadecimal digits must follow"))?;
        self.at += 4;
        Ok(code)
    }

    fn any(&mut self) -> Read<Test> {
        self.chain("||", Self::all, Test::Any)
    }

    fn all(&mut self) -> Read<Test> {
        self.chain("&&", Self::one, Test::All)
    }

    fn chain(&mut self, mark: &str, read: fn(&mut Self) -> Read<Test>, join: fn(Vec<Test>) -> Test) -> Read<Test> {
        let mut tests = vec![read(self)?];
        loop {
            self.blanks();
            if !self.take_all(mark) {
                break;
            }
            self.blanks();
            tests.push(read(self)?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { join(tests) })
    }

    fn one(&mut self) -> Read<Test> {
        if self.take('!') {
            self.blanks();
            return Ok(Test::Not(Box::new(self.deeper(Self::one)?)));
        }
        if self.take('(') {
            self.blanks();
            let inside = self.deeper(Self::any)?;
            self.blanks();
            return if self.take(')') { Ok(inside) } else { Err(self.fail("\")\" must follow")) };
        }
        for (name, is_whole) in [("match(", true), ("search(", false)] {
            if self.take_all(name) {
                return self.fits(is_whole);
            }
        }
        let start = self.at;
        if matches!(self.peek(), Some('@' | '$')) {
            let way = self.way()?;
            self.blanks();
            let Some(comparison) = self.comparison() else { return Ok(Test::Exists(way)) };
            let left = self.singular(way, start)?;
            return self.compare(left, comparison);
        }
        let left = self.operand()?;
        self.blanks();
        let comparison = self.comparison().ok_or_else(|| self.fail("a comparison must follow"))?;
        self.compare(left, comparison)
    }

    fn compare(&mut self, left: Operand, comparison: Comparison) -> Read<Test> {
        self.blanks();
        Ok(Test::Compare(left, comparison, self.operand()?))
    }

    fn comparison(&mut self) -> Option<Comparison> {
        let known = [
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        known.into_iter().find(|(mark, _)| self.take_all(mark)).map(|(_, comparison)| comparison)
    }

    fn fits(&mut self, is_whole: bool) -> Read<Test> {
        self.blanks();
        let text = self.operand()?;
        self.comma()?;
        if !matches!(self.peek(), Some('\'' | '"')) {
            return Err(self.fail("the pattern must be a text in quotes"));
        }
        let start = self.at;
        let pattern = self.text()?;
        let whole = if is_whole { format!("^(?:{pattern})$") } else { pattern };
        let pattern = Pattern::read(&whole, Case::Exact);
        let pattern = pattern.map_err(|error| QueryError { at: start + 1, why: error.to_string() })?;
        self.close()?;
        Ok(Test::Fits(text, pattern))
    }

    fn comma(&mut self) -> Read<()> {
        self.blanks();
        if !self.take(',') {
            return Err(self.fail("\",\" must follow"));
        }
        self.blanks();
        Ok(())
    }

    fn close(&mut self) -> Read<()> {
        self.blanks();
        if self.take(')') { Ok(()) } else { Err(self.fail("\")\" must follow")) }
    }

    fn way(&mut self) -> Read<Way> {
        let from_top = self.take('$');
        if !from_top && !self.take('@') {
            return Err(self.fail("\"@\" or \"$\" must follow"));
        }
        Ok(Way { from_top, segments: self.deeper(Self::segments)? })
    }

    fn singular(&self, way: Way, start: usize) -> Read<Operand> {
        if way.is_singular() {
            return Ok(Operand::Value(way));
        }
        Err(QueryError { at: start + 1, why: "only a way to one value can be compared".into() })
    }

    fn operand(&mut self) -> Read<Operand> {
        let start = self.at;
        match self.peek() {
            Some('@' | '$') => {
                let way = self.way()?;
                self.singular(way, start)
            }
            Some('\'' | '"') => Ok(Operand::Literal(self.text()?.into())),
            Some('-' | '0'..='9') => self.number(),
            Some(letter) if letter.is_ascii_alphabetic() => self.word(),
            Some(_) | None => Err(self.fail("a value must follow")),
        }
    }

    fn number(&mut self) -> Read<Operand> {
        let start = self.at;
        while self.peek().is_some_and(|letter| letter.is_ascii_digit() || matches!(letter, '-' | '+' | '.' | 'e' | 'E'))
        {
            self.at += 1;
        }
        let text: String = self.letters[start..self.at].iter().collect();
        let number: Option<Value> = serde_json::from_str(&text).ok();
        number.map(Operand::Literal).ok_or_else(|| QueryError { at: start + 1, why: "that is not a number".into() })
    }

    /// `true`, `false`, `null`, or a function that gives a value.
    fn word(&mut self) -> Read<Operand> {
        let start = self.at;
        while self.peek().is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
            self.at += 1;
        }
        let word: String = self.letters[start..self.at].iter().collect();
        match word.as_str() {
            "true" => return Ok(Operand::Literal(true.into())),
            "false" => return Ok(Operand::Literal(false.into())),
            "null" => return Ok(Operand::Literal(Value::Null)),
            _function => {}
        }
        let known = matches!(word.as_str(), "length" | "count" | "value");
        if !known || !self.take('(') {
            let why = format!("there is no function {word:?}; there are length, count, value, match and search");
            return Err(QueryError { at: start + 1, why });
        }
        self.blanks();
        let operand = match word.as_str() {
            "count" => Operand::Count(self.way()?),
            "length" => Operand::Length(Box::new(self.deeper(Self::operand)?)),
            // The one value of a way; where there are several, there is none.
            _value => Operand::Value(self.way()?),
        };
        self.close()?;
        Ok(operand)
    }
}
