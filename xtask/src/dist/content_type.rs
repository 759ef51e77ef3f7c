//! The content type of a served file, by the end of its name.

/// What a server says a file is; bytes of no known kind when the ending is not known.
pub(crate) fn of(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        "zip" => "application/zip",
        "snapshot" => "application/vnd.satchel.snapshot",
        _ => "application/octet-stream",
    }
}

/// Whether brotli makes such a file smaller; pictures, fonts and archives are compressed already.
pub(crate) fn is_compressible(content_type: &str) -> bool {
    content_type.starts_with("text/")
        || matches!(
            content_type,
            "application/json"
                | "application/manifest+json"
                | "application/vnd.satchel.snapshot"
                | "application/wasm"
                | "image/svg+xml"
                | "image/x-icon"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_file_in_the_app_is_known() {
        let check = |name: &str, content_type: &str, compressible: bool| {
            assert_eq!((of(name), is_compressible(of(name))), (content_type, compressible), "{name}");
        };
        check("index.html", "text/html; charset=utf-8", true);
        check("vendor/pyodide-1/pyodide.asm.mjs", "text/javascript; charset=utf-8", true);
        check("app-0123_bg.wasm", "application/wasm", true);
        check("manifest.webmanifest", "application/manifest+json", true);
        check("vendor/pyodide-1/python_stdlib.zip", "application/zip", false);
        check("vendor/cage-0123456789abcdef/python.snapshot", "application/vnd.satchel.snapshot", true);
        check("icons/icon-192.png", "image/png", false);
        check("LICENSE", "application/octet-stream", false);
    }
}
