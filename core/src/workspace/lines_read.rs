//! The lines of a file that a call of `read_file` told of.

use serde_json::Value;

/// Some lines of a text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinesRead {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// How many the text has.
    pub of: u32,
}

impl LinesRead {
    /// The lines that a call told of; nothing where that was the whole text, or no text.
    #[must_use]
    pub fn of_call(tool_id: &str, result: &Value) -> Option<Self> {
        let number = |name: &str| result.get(name)?.as_u64().and_then(|number| u32::try_from(number).ok());
        let lines = Self { first: number("start_line")?, last: number("end_line")?, of: number("total_lines")? };
        let is_part = lines.first > 1 || lines.last < lines.of;
        (tool_id == "read_file" && lines.first > 0 && lines.first <= lines.last && is_part).then_some(lines)
    }

    /// These lines of the text.
    #[must_use]
    pub fn cut(self, text: &str) -> String {
        let place = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let before = place(self.first) - 1;
        let lines = text.split_inclusive('\n').skip(before).take(place(self.last).saturating_sub(before));
        let cut: String = lines.collect();
        // The break after the last line would show as one line more.
        let end = cut.strip_suffix("\r\n").or_else(|| cut.strip_suffix('\n'));
        end.map(str::to_owned).unwrap_or(cut)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_part_of_a_text_is_told_from_the_whole() {
        let check = |tool_id: &str, result: Value, expected: Option<(u32, u32, u32)>| {
            let expected = expected.map(|(first, last, of)| LinesRead { first, last, of });
            assert_eq!(LinesRead::of_call(tool_id, &result), expected, "{result}");
        };
        let told = |first: u32, last: u32| json!({"start_line": first, "end_line": last, "total_lines": 9});
        check("read_file", told(3, 5), Some((3, 5, 9)));
        check("read_file", told(1, 8), Some((1, 8, 9)));
        check("read_file", told(1, 9), None);
        check("read_file", told(5, 3), None);
        check("read_file", told(0, 3), None);
        check("mine:read_file", told(3, 5), None);
        check("read_file", json!({"binary": true}), None);
    }

    #[test]
    fn lines_are_cut_out() {
        let check = |first, last, text: &str, expected: &str| {
            assert_eq!(LinesRead { first, last, of: 3 }.cut(text), expected, "{first} to {last} of {text:?}");
        };
        check(2, 3, "a\nb\nc\nd\n", "b\nc");
        check(2, 2, "a\r\nb\r\nc", "b");
        check(1, 9, "a\nb", "a\nb");
        check(7, 9, "a\nb", "");
    }
}
