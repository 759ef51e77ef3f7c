//! A page with everything it names in one document: scripts, styles and pictures are put where they are named, since the frame it is
//! shown in can load nothing (C56). What the files are is looked up by their path; what is not found stays as it was written, and the frame
//! says that it could not be loaded.

use super::assets::resolve;
use super::html::{Piece, pieces, tag_length};
use super::style_sheet::{Named, under, with_named};

/// Looks up the bytes of a file by its path.
pub type PageFiles<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

/// The page at a path, self-contained.
#[must_use]
pub fn self_contained(path: &str, html: &str, files: PageFiles<'_>) -> String {
    let site = Site { page: path, files };
    let mut page = String::with_capacity(html.len() * 2);
    // A script in the page runs where it stands, so that one which waits for the whole page has to stand behind it.
    let mut deferred = String::new();
    let (mut is_style, mut is_replaced, mut is_deferred) = (false, false, false);
    for piece in pieces(html) {
        if let Piece::Tag(tag) = &piece {
            (is_style, is_replaced, is_deferred) = (tag.is("style"), false, false);
        }
        match piece {
            Piece::Tag(tag) if tag.is("script") => match site.named(path, tag.value("src").as_deref()) {
                Some((_, bytes)) => {
                    is_replaced = true;
                    // A module waits by itself, wherever it stands.
                    let is_module = tag.value("type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("module"));
                    is_deferred = tag.has("defer") && !is_module;
                    let put_in = if is_deferred { &mut deferred } else { &mut page };
                    put_in.push_str(&tag.without(&["src", "integrity", "crossorigin", "defer", "async"]));
                    put_in.push_str(
                        &String::from_utf8_lossy(&bytes).replace("</script", "<\\/script").replace("<!--", "<\\!--"),
                    );
                    if is_deferred {
                        put_in.push_str("</script>");
                    }
                }
                None => page.push_str(tag.source),
            },
            Piece::Tag(tag) if tag.is("link") && is_style_sheet(tag.value("rel")) => {
                match site.named(path, tag.value("href").as_deref()) {
                    Some((sheet, bytes)) => {
                        let media = tag.value("media").map(|media| format!(" media=\"{}\"", quoted(&media)));
                        let css = site.style(&sheet, &String::from_utf8_lossy(&bytes), 0);
                        page.push_str(&format!("<style{}>", media.unwrap_or_default()));
                        page.push_str(&css.replace("</style", "<\\/style"));
                        page.push_str("</style>");
                    }
                    None => page.push_str(tag.source),
                }
            }
            Piece::Tag(tag) => {
                const NAMING: [&str; 8] =
                    ["src", "srcset", "imagesrcset", "href", "poster", "data", "xlink:href", "style"];
                page.push_str(&tag.with_values(&NAMING, |name, value| match name {
                    "srcset" | "imagesrcset" => site.pictures(value),
                    "style" => {
                        let style = value.replace("&quot;", "\"");
                        Some(site.style(path, &style, 0)).filter(|done| *done != style)
                    }
                    // Where a link leads is not a file to be put in.
                    "href" if !(tag.is("link") || tag.is("image") || tag.is("use")) => None,
                    _address => site.data_address(path, value),
                }));
            }
            // What a script with a source has inside never ran.
            Piece::Raw(_) if is_replaced => {}
            Piece::Raw(text) if is_style => page.push_str(&site.style(path, text, 0).replace("</style", "<\\/style")),
            // The end of a script that has moved goes with it.
            Piece::Text(text) if is_deferred => {
                is_deferred = false;
                page.push_str(&text[tag_length(text)..]);
            }
            Piece::Raw(text) | Piece::Text(text) => page.push_str(text),
        }
    }
    page.push_str(&deferred);
    page
}

/// A page that shows one picture, which it names as a page beside it would; nothing for a file that is no picture. A drawing is a page by
/// itself, and is shown as one.
#[must_use]
pub fn picture_page(path: &str) -> Option<String> {
    let kind = media_type(path);
    if !kind.starts_with("image/") || kind == "image/svg+xml" {
        return None;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let address: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
    Some(format!(
        "<!doctype html><title>{name}</title><style>body {{ margin: 0 }} img {{ display: block; max-width: 100% }}</style><img alt=\"{name}\" src=\"./{address}\">",
        name = quoted(name),
    ))
}

/// What a page is a part of.
struct Site<'a> {
    /// The page.
    page: &'a str,
    files: PageFiles<'a>,
}

impl Site<'_> {
    /// The file that an address in the file `from` means. One that begins at the top of the site is looked for at the top of all files and
    /// then beside the page: a site that was built into a folder of its own takes that folder for the top.
    fn named(&self, from: &str, address: Option<&str>) -> Option<(String, Vec<u8>)> {
        let address = address?.trim();
        let paths = match address.strip_prefix('/') {
            Some(from_top) if !from_top.starts_with('/') => {
                [Some(resolve("", from_top)?), resolve(self.page, from_top)]
            }
            _relative_or_elsewhere => [resolve(from, address), None],
        };
        paths.into_iter().flatten().find_map(|path| {
            let bytes = (self.files)(&path)?;
            Some((path, bytes))
        })
    }

    fn data_address(&self, from: &str, written: &str) -> Option<String> {
        self.named(from, Some(written)).map(|(path, bytes)| address_of(&path, &bytes))
    }

    /// A `srcset` whose pictures are the files themselves; nothing where it names none of them.
    fn pictures(&self, written: &str) -> Option<String> {
        let mut candidates = Vec::new();
        let (mut rest, mut is_any) = (written, false);
        loop {
            rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ',');
            if rest.is_empty() {
                return is_any.then(|| candidates.join(", "));
            }
            let (address, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
            // A comma inside an address is a part of it; one at its end means that it has no size.
            let (address, (size, after)) = match address.trim_end_matches(',') {
                alone if alone.len() < address.len() => (alone, ("", after)),
                address => (address, after.split_at(after.find(',').unwrap_or(after.len()))),
            };
            rest = after;
            let found = self.data_address(self.page, address);
            is_any |= found.is_some();
            candidates.push(format!("{} {}", found.as_deref().unwrap_or(address), size.trim()).trim_end().to_owned());
        }
    }

    /// A style sheet in the file `from` whose `url(…)` are the files themselves, and whose `@import`s are the sheets.
    fn style(&self, from: &str, css: &str, depth: usize) -> String {
        const DEEPEST: usize = 4;
        with_named(css, &|named| match named {
            Named::Sheet { .. } if depth == DEEPEST => None,
            Named::Sheet { address, condition } => {
                let (sheet, bytes) = self.named(from, Some(address))?;
                Some(under(condition, self.style(&sheet, &String::from_utf8_lossy(&bytes), depth + 1)))
            }
            Named::File(address) => Some(format!("url(\"{}\")", self.data_address(from, address)?)),
        })
    }
}

fn is_style_sheet(rel: Option<String>) -> bool {
    rel.is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("stylesheet")))
}

fn quoted(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
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
            "pages/dark.css" => "@import '/top.css' print;",
            "pages/built.js" => "built()",
            "top.css" => "u { color: blue }",
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
            "<head><script src=\"chart.js\" async></script><link rel=stylesheet href=look.css></head><img alt=x src='../dot.png'>",
            "<head><script>draw('<\\/script>') // <\\!-- ok</script><style>a { color: red }\nb { background: url(\"data:image/png;base64,cG5n\") }</style></head><img alt=x src=\"data:image/png;base64,cG5n\">",
        );
        check(
            "<style>i { background: url(../dot.png) }</style>",
            "<style>i { background: url(\"data:image/png;base64,cG5n\") }</style>",
        );
    }

    /// A script that waits for the page stands behind it; a module waits wherever it stands.
    #[test]
    fn scripts_that_wait_still_wait() {
        check(
            "<head><script defer src=built.js>x</script><script src=built.js DEFER id=b></script></head><body><p></body>",
            "<head></head><body><p></body><script>built()</script><script id=b>built()</script>",
        );
        check("<script type=module defer src=built.js></script><p>", "<script type=module>built()</script><p>");
        check("<script defer src=gone.js></script><p>", "<script defer src=gone.js></script><p>");
        check("<script defer src=built.js>", "<script>built()</script>");
    }

    /// A name from the top of the site is a file at the top, or beside the page where the site was built into a folder.
    #[test]
    fn names_from_the_top_are_found() {
        check("<link rel=stylesheet href=/top.css>", "<style>u { color: blue }</style>");
        check("<script type=module src=/built.js></script>", "<script type=module>built()</script>");
        for elsewhere in ["<img src=//dot.png>", "<img src=/../dot.png>", "<img src=/>", "<img src=/\\dot.png>"] {
            check(elsewhere, elsewhere);
        }
    }

    #[test]
    fn sheets_and_pictures_are_put_in_however_they_are_named() {
        check("<style>@import \"dark.css\";</style>", "<style>@media print { u { color: blue } }</style>");
        check(
            "<img srcset='../dot.png 1x, gone.png 2x,../dot.png'>",
            "<img srcset=\"data:image/png;base64,cG5n 1x, gone.png 2x, data:image/png;base64,cG5n\">",
        );
        check(
            "<i style=\"background: url(&quot;../dot.png&quot;)\"></i>",
            "<i style=\"background: url(&quot;data:image/png;base64,cG5n&quot;)\"></i>",
        );
    }

    #[test]
    fn a_picture_has_a_page_that_shows_it() {
        let page = picture_page("out/a \"b\".PNG").expect("is a picture");
        let files = |path: &str| (path == "out/a \"b\".PNG").then(|| b"png".to_vec());
        let shown = self_contained("out/a \"b\".PNG", &page, &files);
        assert!(shown.ends_with("<img alt=\"a &quot;b&quot;.PNG\" src=\"data:image/png;base64,cG5n\">"), "{shown}");
        for other in ["index.html", "drawing.svg", "png", "notes.txt"] {
            assert_eq!(picture_page(other), None, "{other}");
        }
    }

    #[test]
    fn what_it_does_not_have_stays() {
        for html in [
            "<script src=\"https://e.example/x.js\"></script>",
            "<script src=../../etc.js></script>",
            "<img src=gone.png srcset='gone.png 2x'><a href=../dot.png style='color: red'>download</a>",
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
        fn nothing_is_lost(html in r#"(<|>|</|script|style|<!--|-->| src=|href="|"|'|é| |url\(| srcset=| style=|@import |/|,|x){0,24}"#) {
            prop_assert_eq!(self_contained("a.html", &html, &|_| None), html);
        }
    }
}
