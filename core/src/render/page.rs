//! A page with everything it names in one document: scripts, styles and pictures are put where they are named, since the frame it is
//! shown in can load nothing (C56). What the files are is looked up by their path; what is not found stays as it was written, and the frame
//! says that it could not be loaded.

use super::assets::resolve;
use super::html::{Piece, pieces};

/// Looks up the bytes of a file by its path.
pub type PageFiles<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

/// The page at a path, self-contained.
#[must_use]
pub fn self_contained(path: &str, html: &str, files: PageFiles<'_>) -> String {
    let mut page = String::with_capacity(html.len() * 2);
    let (mut is_style, mut is_replaced) = (false, false);
    for piece in pieces(html) {
        if let Piece::Tag(tag) = &piece {
            (is_style, is_replaced) = (tag.is("style"), false);
        }
        match piece {
            Piece::Tag(tag) if tag.is("script") => match named(path, tag.value("src"), files) {
                Some((_, bytes)) => {
                    is_replaced = true;
                    page.push_str(&tag.without(&["src", "integrity", "crossorigin", "defer", "async"]));
                    page.push_str(
                        &String::from_utf8_lossy(&bytes).replace("</script", "<\\/script").replace("<!--", "<\\!--"),
                    );
                }
                None => page.push_str(tag.source),
            },
            Piece::Tag(tag) if tag.is("link") && is_style_sheet(tag.value("rel")) => {
                match named(path, tag.value("href"), files) {
                    Some((sheet, bytes)) => {
                        let media = tag.value("media").map(|media| format!(" media=\"{}\"", quoted(&media)));
                        let css = with_addresses(&sheet, &String::from_utf8_lossy(&bytes), files, 0);
                        page.push_str(&format!("<style{}>", media.unwrap_or_default()));
                        page.push_str(&css.replace("</style", "<\\/style"));
                        page.push_str("</style>");
                    }
                    None => page.push_str(tag.source),
                }
            }
            Piece::Tag(tag) => {
                page.push_str(&tag.with_values(&["src", "href", "poster", "data", "xlink:href"], |name, value| {
                    // Where a link leads is not a file to be put in.
                    let leads = name == "href" && !(tag.is("link") || tag.is("image") || tag.is("use"));
                    if leads { None } else { data_address(path, value, files) }
                }));
            }
            // What a script with a source has inside never ran.
            Piece::Raw(_) if is_replaced => {}
            Piece::Raw(text) if is_style => page.push_str(&with_addresses(path, text, files, 0)),
            Piece::Raw(text) | Piece::Text(text) => page.push_str(text),
        }
    }
    page
}

fn named(from: &str, address: Option<String>, files: PageFiles<'_>) -> Option<(String, Vec<u8>)> {
    let path = resolve(from, address?.trim())?;
    let bytes = files(&path)?;
    Some((path, bytes))
}

fn is_style_sheet(rel: Option<String>) -> bool {
    rel.is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("stylesheet")))
}

fn quoted(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

/// A style sheet whose `url(…)` are the files themselves, and whose `@import`s are the sheets.
fn with_addresses(from: &str, css: &str, files: PageFiles<'_>, depth: usize) -> String {
    const DEEPEST: usize = 4;
    let mut done = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = rest.find("url(") {
        let Some(end) = rest[at..].find(')') else { break };
        let written = rest[at + 4..at + end].trim().trim_matches(['"', '\'']);
        let before = rest[..at].trim_end();
        let import = before.strip_suffix("@import").filter(|_| depth < DEEPEST);
        match (import, named(from, Some(written.to_owned()), files)) {
            (Some(before), Some((sheet, bytes))) => {
                done.push_str(before);
                done.push_str(&with_addresses(&sheet, &String::from_utf8_lossy(&bytes), files, depth + 1));
                rest = rest[at + end + 1..].trim_start_matches([' ', ';']);
            }
            (_, Some((path, bytes))) => {
                done.push_str(&rest[..at]);
                done.push_str(&format!("url(\"{}\")", address_of(&path, &bytes)));
                rest = &rest[at + end + 1..];
            }
            (_, None) => {
                done.push_str(&rest[..=at + end]);
                rest = &rest[at + end + 1..];
            }
        }
    }
    done.push_str(rest);
    done
}

fn data_address(from: &str, written: &str, files: PageFiles<'_>) -> Option<String> {
    named(from, Some(written.to_owned()), files).map(|(path, bytes)| address_of(&path, &bytes))
}

fn address_of(path: &str, bytes: &[u8]) -> String {
    format!("data:{};base64,{}", media_type(path), base64(bytes))
}

/// The media type by the end of a name.
fn media_type(path: &str) -> &'static str {
    let name = path.to_ascii_lowercase();
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "svg" => "image/svg+xml",
        "ico" => "image/x-icon",
        "css" => "text/css",
        "js" | "mjs" => "text/javascript",
        "json" => "application/json",
        "csv" => "text/csv",
        "txt" | "md" => "text/plain",
        _other => "application/octet-stream",
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().enumerate().fold(0_u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    fn files(path: &str) -> Option<Vec<u8>> {
        let text = match path {
            "pages/chart.js" => "draw('</script>') // <!-- ok",
            "pages/look.css" => "@import url(base.css);\nb { background: url('../dot.png') }",
            "pages/base.css" => "a { color: red }",
            "dot.png" => "png",
            _other => return None,
        };
        Some(text.into())
    }

    fn check(html: &str, expected: &str) {
        assert_eq!(self_contained("pages/index.html", html, &files), expected);
    }

    /// C56
    #[test]
    fn what_a_page_names_is_put_in() {
        check(
            "<head><script defer src=\"chart.js\"></script><link rel=stylesheet href=look.css></head><img alt=x src='../dot.png'>",
            "<head><script>draw('<\\/script>') // <\\!-- ok</script><style>a { color: red }\nb { background: url(\"data:image/png;base64,cG5n\") }</style></head><img alt=x src=\"data:image/png;base64,cG5n\">",
        );
        check(
            "<style>i { background: url(../dot.png) }</style>",
            "<style>i { background: url(\"data:image/png;base64,cG5n\") }</style>",
        );
    }

    #[test]
    fn what_it_does_not_have_stays() {
        for html in [
            "<script src=\"https://e.example/x.js\"></script>",
            "<script src=../../etc.js></script>",
            "<img src=gone.png><a href=../dot.png>download</a>",
            "<script>let src = '<img src=\"../dot.png\">'</script>",
            "<!-- <script src=chart.js></script> -->",
            "<style>i { background: url(",
            "<p title='<img src=../dot.png>'>",
        ] {
            check(html, html);
        }
    }

    #[test]
    fn bytes_are_written_in_base64() {
        let check = |bytes: &[u8], expected: &str| assert_eq!(base64(bytes), expected);
        check(b"", "");
        check(b"f", "Zg==");
        check(b"fo", "Zm8=");
        check(b"foo", "Zm9v");
        check(&[0xff, 0xfe, 0xfd, 0xfc], "//79/A==");
    }

    proptest! {
        /// A page that names nothing is as it was.
        #[test]
        fn nothing_is_lost(html in r#"(<|>|</|script|style|<!--|-->| src=|href="|"|'|é| |url\(|x){0,24}"#) {
            prop_assert_eq!(self_contained("a.html", &html, &|_| None), html);
        }
    }
}
