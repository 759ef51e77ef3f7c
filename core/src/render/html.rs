//! The little of HTML that has to be known to change a page without breaking it: where its tags are. Those in comments, scripts and
//! other raw text are none.

/// Elements whose content is text up to their own end tag.
pub(super) const RAW_TEXT: [&str; 9] =
    ["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript"];

/// A piece of a page. All of them, one after the other, are the page.
pub(super) enum Piece<'h> {
    /// A tag that begins an element.
    Tag(StartTag<'h>),
    /// What is inside a script, a style or another element of raw text.
    Raw(&'h str),
    /// Everything else: text, comments and the tags that end elements.
    Text(&'h str),
}

/// A tag that begins an element.
pub(super) struct StartTag<'h> {
    /// As it is written.
    pub(super) source: &'h str,
}

/// An attribute: where it is in its tag, its name, and where its value is.
struct Attribute<'h> {
    from: usize,
    to: usize,
    name: &'h str,
    value: Option<&'h str>,
}

/// Takes a page apart.
pub(super) fn pieces(html: &str) -> Vec<Piece<'_>> {
    // ASCII only, so that positions stay the same.
    let lower = html.to_ascii_lowercase();
    let mut pieces = Vec::new();
    let (mut at, mut text_from) = (0, 0);
    while let Some(found) = lower[at..].find('<') {
        let tag = at + found;
        let rest = &lower[tag..];
        if rest.starts_with("<!--") {
            at = tag + comment_length(rest);
        } else if rest.starts_with("<!") || rest.starts_with("<?") {
            at = tag + rest.find('>').map_or(rest.len(), |end| end + 1);
        } else if rest[1..].starts_with(|first: char| first.is_ascii_alphabetic()) {
            at = tag + tag_length(rest);
            if !rest[..at - tag].ends_with('>') {
                // A tag that never ends is none.
                break;
            }
            pieces.push(Piece::Text(&html[text_from..tag]));
            pieces.push(Piece::Tag(StartTag { source: &html[tag..at] }));
            text_from = at;
            if let Some(element) = RAW_TEXT.iter().find(|element| names(&rest[1..], element)) {
                at += raw_text_length(&lower[at..], element);
                pieces.push(Piece::Raw(&html[text_from..at]));
                text_from = at;
            }
        } else if rest.starts_with("</") {
            at = tag + tag_length(rest);
        } else {
            at = tag + 1;
        }
    }
    pieces.push(Piece::Text(&html[text_from..]));
    pieces
}

impl<'h> StartTag<'h> {
    /// Whether it begins an element of this name.
    pub(super) fn is(&self, name: &str) -> bool {
        self.source.get(1..=name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && names(&self.source[1 + name.len()..], "")
    }

    /// Whether it has an attribute, with or without a value.
    pub(super) fn has(&self, name: &str) -> bool {
        self.attributes().iter().any(|attribute| attribute.name.eq_ignore_ascii_case(name))
    }

    /// The value of an attribute.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let found = self.attributes().into_iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name))?;
        found.value.map(|value| value.replace("&amp;", "&"))
    }

    /// The tag without some of its attributes.
    pub(super) fn without(&self, left_out: &[&str]) -> String {
        self.rewritten(|attribute| {
            left_out.iter().any(|name| attribute.name.eq_ignore_ascii_case(name)).then(String::new)
        })
    }

    /// The tag with other values for some of its attributes.
    pub(super) fn with_values(&self, wanted: &[&str], change: impl Fn(&str, &str) -> Option<String>) -> String {
        self.rewritten(|attribute| {
            let name = wanted.iter().find(|name| attribute.name.eq_ignore_ascii_case(name))?;
            let value = change(name, attribute.value?)?;
            Some(format!(" {}=\"{}\"", attribute.name, value.replace('"', "&quot;")))
        })
    }

    fn rewritten(&self, change: impl Fn(&Attribute<'_>) -> Option<String>) -> String {
        let mut tag = String::with_capacity(self.source.len());
        let mut done = 0;
        for attribute in self.attributes() {
            if let Some(written) = change(&attribute) {
                tag.push_str(self.source[done..attribute.from].trim_end());
                tag.push_str(&written);
                done = attribute.to;
            }
        }
        tag.push_str(&self.source[done..]);
        tag
    }

    fn attributes(&self) -> Vec<Attribute<'h>> {
        let end = self.source.len() - 1;
        let is_blank = |byte: u8| byte.is_ascii_whitespace() || byte == b'/';
        let bytes = self.source.as_bytes();
        let mut at =
            self.source[..end].find(|letter: char| letter.is_ascii_whitespace() || letter == '/').unwrap_or(end);
        let mut attributes = Vec::new();
        let skip = |mut at: usize, is: &dyn Fn(u8) -> bool| {
            while at < end && is(bytes[at]) {
                at += 1;
            }
            at
        };
        loop {
            let from = skip(at, &is_blank);
            if from >= end {
                return attributes;
            }
            let name_end = skip(from + 1, &|byte| !is_blank(byte) && byte != b'=');
            let after = skip(name_end, &|byte| byte.is_ascii_whitespace());
            let mut attribute = Attribute { from, to: name_end, name: &self.source[from..name_end], value: None };
            if after < end && bytes[after] == b'=' {
                let value_from = skip(after + 1, &|byte| byte.is_ascii_whitespace());
                let (value_from, value_to, to) = match bytes.get(value_from).filter(|_| value_from < end) {
                    Some(quote @ (b'"' | b'\'')) => {
                        let close = skip(value_from + 1, &|byte| byte != *quote);
                        (value_from + 1, close, (close + 1).min(end))
                    }
                    _other => {
                        let close = skip(value_from, &|byte| !byte.is_ascii_whitespace());
                        (value_from, close, close)
                    }
                };
                attribute.value = Some(&self.source[value_from..value_to]);
                attribute.to = to;
            }
            at = attribute.to;
            attributes.push(attribute);
        }
    }
}

/// Whether the text begins with this name, and the name ends there.
pub(super) fn names(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(|after: char| after.is_ascii_whitespace() || matches!(after, '/' | '>'))
    })
}

pub(super) fn comment_length(comment: &str) -> usize {
    // `<!-->` and `<!--->` are whole comments.
    if let Some(short) = ["<!-->", "<!--->"].into_iter().find(|short| comment.starts_with(short)) {
        return short.len();
    }
    let ends_at = |at: &usize| comment[4..*at].ends_with("--") || comment[4..*at].ends_with("--!");
    comment.match_indices('>').map(|(at, _)| at).filter(|at| *at > 4).find(ends_at).map_or(comment.len(), |at| at + 1)
}

/// How long a tag is, with its attributes, whose quoted values may contain `>`.
pub(super) fn tag_length(tag: &str) -> usize {
    let mut quote = None;
    let mut value_begins = false;
    for (at, letter) in tag.bytes().enumerate() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') if value_begins => quote = Some(letter),
            (None, _) => {}
        }
        value_begins = letter == b'=' || (value_begins && letter.is_ascii_whitespace());
    }
    tag.len()
}

pub(super) fn raw_text_length(text: &str, element: &str) -> usize {
    let is_end = |at: &usize| text[at + 2..].starts_with(element) && names(&text[at + 2..], element);
    text.match_indices("</").map(|(at, _)| at).find(is_end).unwrap_or(text.len())
}
