//! What a file is, by its bytes: a text, a picture, or bytes that only a hex view can show.

use super::WorkspacePath;

/// How a file can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentKind {
    /// Text in UTF-8.
    Text,
    /// A picture of this media type, which a browser can draw.
    Picture(&'static str),
    /// A picture that is also a text.
    DrawnText(&'static str),
    /// Anything else.
    Bytes,
}

/// How a file is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// In the editor.
    Text,
    /// Drawn, as this media type.
    Picture(&'static str),
    /// By its bytes.
    Bytes,
}

impl Shape {
    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "Text",
            Self::Picture(_) => "Picture",
            Self::Bytes => "Bytes",
        }
    }
}

/// A text of more bytes than this is not put into an editor, since every save stores the whole of it.
pub const EDITABLE_BYTES: u64 = 20_000_000;

/// How many bytes one line of a hex view has.
pub const HEX_LINE: usize = 16;

impl ContentKind {
    /// Looks at a file. Its name counts only where the bytes do not tell: an SVG is a text among others.
    #[must_use]
    pub fn of(path: &WorkspacePath, bytes: &[u8]) -> Self {
        match kind_of(bytes) {
            Self::Text if path.name().to_ascii_lowercase().ends_with(".svg") => Self::DrawnText("image/svg+xml"),
            kind => kind,
        }
    }

    /// Whether it can be written back as a text without losing anything.
    #[must_use]
    pub fn is_text(self) -> bool {
        match self {
            Self::Text | Self::DrawnText(_) => true,
            Self::Picture(_) | Self::Bytes => false,
        }
    }

    /// What a file of this kind and size can be shown as, the best first.
    #[must_use]
    pub fn shapes(self, size: u64) -> Vec<Shape> {
        let text = (size <= EDITABLE_BYTES).then_some(Shape::Text);
        let (drawn, text) = match self {
            Self::Text => (None, text),
            Self::DrawnText(media_type) => (Some(Shape::Picture(media_type)), text),
            Self::Picture(media_type) => (Some(Shape::Picture(media_type)), None),
            Self::Bytes => (None, None),
        };
        drawn.into_iter().chain(text).chain([Shape::Bytes]).collect()
    }
}

/// What a file is by its bytes alone.
pub(super) fn kind_of(bytes: &[u8]) -> ContentKind {
    match picture(bytes) {
        Some(media_type) => ContentKind::Picture(media_type),
        None if !bytes.contains(&0) && str::from_utf8(bytes).is_ok() => ContentKind::Text,
        None => ContentKind::Bytes,
    }
}

/// The media type of a picture, by how its bytes begin.
fn picture(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f' | b's', ..] => Some("image/avif"),
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => Some("image/bmp"),
        [0, 0, 1, 0, count, 0, ..] if *count > 0 => Some("image/x-icon"),
        _ => None,
    }
}

/// One line of a hex view: where it is, its bytes, and those of them that are letters.
#[must_use]
pub fn hex_line(offset: usize, bytes: &[u8]) -> String {
    let mut line = format!("{offset:08x} ");
    for at in 0..HEX_LINE {
        if at % 8 == 0 {
            line.push(' ');
        }
        match bytes.get(at) {
            Some(byte) => line.push_str(&format!("{byte:02x} ")),
            None => line.push_str("   "),
        }
    }
    line.push(' ');
    line.extend(bytes.iter().take(HEX_LINE).map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '.' }));
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::fixtures::path;

    /// R229
    #[test]
    fn bytes_tell_what_a_file_is() {
        let check = |name: &str, bytes: &[u8], expected| {
            assert_eq!(ContentKind::of(&path(name), bytes), expected, "{name}");
        };
        check("a.txt", "äöü\n".as_bytes(), ContentKind::Text);
        check("empty", b"", ContentKind::Text);
        check("a.png", b"not a picture", ContentKind::Text);
        check("a.txt", b"\x89PNG\r\n\x1a\nrest", ContentKind::Picture("image/png"));
        check("a", b"\xff\xd8\xff\xe0rest", ContentKind::Picture("image/jpeg"));
        check("a", b"RIFF\x01\x02\x03\x04WEBPVP8 ", ContentKind::Picture("image/webp"));
        check("a", b"\0\0\0\x20ftypavif", ContentKind::Picture("image/avif"));
        check("logo.SVG", b"<svg/>", ContentKind::DrawnText("image/svg+xml"));
        check("logo.svg", b"\xff\xfe<", ContentKind::Bytes);
        check("a.txt", b"a\0b", ContentKind::Bytes);
        check("a.bin", b"\xc3\x28", ContentKind::Bytes);
    }

    #[test]
    fn a_text_is_edited_unless_it_is_huge() {
        let check = |kind: ContentKind, size, expected: &[Shape]| assert_eq!(kind.shapes(size), expected, "{size}");
        let (png, svg) = ("image/png", "image/svg+xml");
        check(ContentKind::Text, 0, &[Shape::Text, Shape::Bytes]);
        check(ContentKind::Text, 5_000_000, &[Shape::Text, Shape::Bytes]);
        check(ContentKind::Text, EDITABLE_BYTES, &[Shape::Text, Shape::Bytes]);
        check(ContentKind::Text, EDITABLE_BYTES + 1, &[Shape::Bytes]);
        check(ContentKind::DrawnText(svg), 9, &[Shape::Picture(svg), Shape::Text, Shape::Bytes]);
        check(ContentKind::DrawnText(svg), EDITABLE_BYTES + 1, &[Shape::Picture(svg), Shape::Bytes]);
        check(ContentKind::Picture(png), 9, &[Shape::Picture(png), Shape::Bytes]);
        check(ContentKind::Bytes, 9, &[Shape::Bytes]);
    }

    #[test]
    fn a_hex_line_is_as_wide_when_it_is_short() {
        insta::assert_snapshot!(hex_line(16, b"satchel tree 1\n\xff"), @"00000010  73 61 74 63 68 65 6c 20  74 72 65 65 20 31 0a ff  satchel.tree.1..");
        insta::assert_snapshot!(hex_line(0, b"ab"), @"00000000  61 62                                             ab");
    }
}
