//! What a tool showed while it ran (R305): the same thing in several media types, of which the richest that can be drawn counts.

use std::collections::BTreeMap;

use serde_json::Value;

use super::markdown::{Block, markdown};
use super::picture::DataPicture;
use super::plain::Plain;

/// A thing that was shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// A picture.
    Picture(DataPicture),
    /// A drawing, as text; it is drawn as an image.
    Drawing(String),
    /// HTML, which goes into a frame.
    Html(String),
    /// Markdown.
    Document(Vec<Block>),
    /// Data.
    Plain(Box<Plain>),
    /// Text.
    Text(String),
}

impl Shown {
    /// Chooses the form to draw.
    #[must_use]
    pub fn of(bundle: &BTreeMap<String, String>) -> Self {
        let text = |media_type: &str| bundle.get(media_type);
        if let Some(drawing) = text("image/svg+xml").filter(|drawing| drawing.contains("<svg")) {
            return Self::Drawing(drawing.clone());
        }
        if let Some(picture) = bundle.iter().find_map(|(media_type, data)| DataPicture::new(media_type, data)) {
            return Self::Picture(picture);
        }
        if let Some(html) = text("text/html") {
            return Self::Html(html.clone());
        }
        if let Some(written) = text("text/markdown") {
            return Self::Document(markdown(written));
        }
        if let Some(data) = text("application/json").and_then(|json| serde_json::from_str::<Value>(json).ok()) {
            return Self::Plain(Box::new(Plain::of("", &Value::Null, data)));
        }
        let plain = text("text/plain").or_else(|| text("text/latex")).or_else(|| bundle.values().next());
        Self::Text(plain.cloned().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R305
    #[test]
    fn the_richest_form_counts() {
        let check = |bundle: &[(&str, &str)], expected: Shown| {
            let bundle = bundle.iter().map(|(kind, data)| ((*kind).to_owned(), (*data).to_owned())).collect();
            assert_eq!(Shown::of(&bundle), expected);
        };
        let picture = DataPicture::new("image/png", "aGk=").expect("is a picture");
        check(&[("text/plain", "<Figure>"), ("image/png", "aGk="), ("text/html", "<b>")], Shown::Picture(picture));
        check(&[("text/plain", "x"), ("text/html", "<b>x</b>")], Shown::Html("<b>x</b>".into()));
        check(&[("image/svg+xml", "<svg/>")], Shown::Drawing("<svg/>".into()));
        check(&[("image/png", "not a picture!"), ("text/plain", "x")], Shown::Text("x".into()));
        check(&[("text/plain", "x")], Shown::Text("x".into()));
        check(&[], Shown::Text(String::new()));
        let table = Plain::of("", &Value::Null, serde_json::json!([{"a": 1}, {"a": 2}]));
        check(&[("application/json", "[{\"a\":1},{\"a\":2}]")], Shown::Plain(Box::new(table)));
        check(&[("text/markdown", "# A")], Shown::Document(markdown("# A")));
    }
}
