//! The little of CSS that has to be known to put files into a style sheet: where it names them. What is in comments and other texts names
//! none.

/// What a style sheet names.
pub(super) enum Named<'c> {
    /// Another sheet, by `@import`.
    Sheet {
        /// Where it is.
        address: &'c str,
        /// When it counts: a layer, what has to be supported, the media.
        condition: &'c str,
    },
    /// Anything else, by `url(…)`.
    File(&'c str),
}

/// The sheet with what `put_in` gives in the place of what is named; where it gives nothing, all stays as it was written.
pub(super) fn with_named(css: &str, put_in: &dyn Fn(Named<'_>) -> Option<String>) -> String {
    let mut done = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = rest.find(['/', '"', '\'', '@', 'u', 'U']) {
        done.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, named) = if rest.starts_with("/*") {
            (rest.find("*/").map_or(rest.len(), |end| end + 2), None)
        } else if let Some((length, _)) = quoted(rest) {
            (length, None)
        } else if let Some((length, named)) = import(rest) {
            (length, Some(named))
        } else if let Some((length, address)) = url(rest) {
            (length, Some(Named::File(address)))
        } else {
            (1, None)
        };
        match named.and_then(put_in) {
            Some(text) => done.push_str(&text),
            None => done.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    done.push_str(rest);
    done
}

/// A sheet that counts only under the condition of its `@import`.
pub(super) fn under(condition: &str, css: String) -> String {
    let (mut opened, mut rest) = (Vec::new(), condition.trim());
    if let Some((layer, after)) = part(rest, "layer") {
        opened.push(format!("@layer {layer}"));
        rest = after;
    }
    if let Some((supported, after)) = part(rest, "supports") {
        opened.push(format!("@supports ({supported})"));
        rest = after;
    }
    if !rest.is_empty() {
        opened.push(format!("@media {rest}"));
    }
    opened.into_iter().rev().fold(css, |css, rule| format!("{} {{ {css} }}", rule.trim_end()))
}

/// What is between the brackets of a word that begins a condition, or nothing between none, and what comes after.
fn part<'c>(condition: &'c str, word: &str) -> Option<(&'c str, &'c str)> {
    let after = begins(condition, word)?;
    let Some(inside) = after.strip_prefix('(') else {
        let ends = after.is_empty() || after.starts_with(|letter: char| letter.is_whitespace());
        return ends.then(|| ("", after.trim_start()));
    };
    let mut depth = 1_usize;
    let end = inside.find(|letter: char| {
        depth = match letter {
            '(' => depth + 1,
            ')' => depth - 1,
            _other => depth,
        };
        depth == 0
    })?;
    Some((&inside[..end], inside[end + 1..].trim_start()))
}

/// How long an `@import` is, and what it names.
fn import(css: &str) -> Option<(usize, Named<'_>)> {
    let address_at = begins(css, "@import")?.trim_start();
    let (length, address) = quoted(address_at).or_else(|| url(address_at))?;
    let after = &address_at[length..];
    let end = after.find(';').unwrap_or(after.len());
    let rest = after[end..].strip_prefix(';').unwrap_or_default();
    Some((css.len() - rest.len(), Named::Sheet { address, condition: &after[..end] }))
}

/// How long a `url(…)` is, and what is in it.
fn url(css: &str) -> Option<(usize, &str)> {
    let inside = begins(css, "url(")?.trim_start();
    if let Some((length, address)) = quoted(inside) {
        let rest = inside[length..].trim_start().strip_prefix(')')?;
        return Some((css.len() - rest.len(), address));
    }
    let end = inside.find(')')?;
    Some((css.len() - inside.len() + end + 1, inside[..end].trim_end()))
}

/// How long a text between quotes is, and what is between them; a text ends in its line.
fn quoted(css: &str) -> Option<(usize, &str)> {
    let quote = css.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let mut is_escaped = false;
    for (at, letter) in css.char_indices().skip(1) {
        match letter {
            _any if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' => return None,
            end if end == quote => return Some((at + 1, &css[1..at])),
            _other => {}
        }
    }
    None
}

/// What comes after a word, in large letters or small.
fn begins<'c>(css: &'c str, word: &str) -> Option<&'c str> {
    css.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word)).map(|_| &css[word.len()..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    fn check(css: &str, expected: &str) {
        let told = with_named(css, &|named| match named {
            Named::Sheet { address, condition } => Some(under(condition, format!("<{address}>"))),
            Named::File(address) => Some(format!("[{address}]")),
        });
        assert_eq!(told, expected, "{css}");
    }

    #[test]
    fn what_a_sheet_names_is_found() {
        check("@import \"a.css\"; b {}", "<a.css> b {}");
        check("@IMPORT 'a.css';@import url( \"b.css\" );", "<a.css><b.css>");
        check("@import url(a.css)", "<a.css>");
        check("a { b: url(c.png) no-repeat, URL('d (1).png') }", "a { b: [c.png] no-repeat, [d (1).png] }");
    }

    #[test]
    fn the_condition_of_an_import_stays() {
        check("@import \"a.css\" print;", "@media print { <a.css> }");
        check("@import url(a.css) layer;", "@layer { <a.css> }");
        check(
            "@import 'a.css' layer(base) supports(not (display: grid)) screen and (width > 9px);",
            "@layer base { @supports (not (display: grid)) { @media screen and (width > 9px) { <a.css> } } }",
        );
    }

    #[test]
    fn what_names_nothing_stays() {
        for css in [
            "/* @import \"a.css\"; url(b) */",
            "a::before { content: \"url(b.png)\" }",
            "a { b: url(",
            "@import a.css;",
            "@imported \"a\"; curl",
            "content: \"\\\" url(a)\"",
        ] {
            check(css, css);
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost(css in r#"(@import |url\(|\)|"|'|/\*|\*/|;|\\|é| |layer|\n|x){0,24}"#) {
            prop_assert_eq!(with_named(&css, &|_| None), css);
        }
    }
}
