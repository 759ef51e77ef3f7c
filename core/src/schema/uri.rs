//! As much of addresses as references within a schema need: one relative to another (RFC 3986, section 5).

/// An address without its fragment, and the fragment.
pub(super) fn split(address: &str) -> (&str, &str) {
    address.split_once('#').unwrap_or((address, ""))
}

/// An address as seen from a base, both without fragments.
pub(super) fn resolve(base: &str, address: &str) -> String {
    if address.is_empty() {
        return base.to_owned();
    }
    if scheme_of(address).is_some() {
        return address.to_owned();
    }
    let scheme_end = scheme_of(base).map_or(0, |scheme| scheme.len() + 1);
    let (scheme, rest) = base.split_at(scheme_end);
    if address.starts_with("//") {
        return format!("{scheme}{address}");
    }
    let (authority, path) = match rest.strip_prefix("//") {
        None => ("", rest),
        Some(after) => rest.split_at(after.find('/').map_or(rest.len(), |at| at + 2)),
    };
    let path = path.split('?').next().unwrap_or(path);
    if address.starts_with('/') {
        return format!("{scheme}{authority}{}", without_dots(address));
    }
    if address.starts_with('?') {
        return format!("{scheme}{authority}{path}{address}");
    }
    let folder = path.rfind('/').map_or("", |at| &path[..=at]);
    let folder = if folder.is_empty() && !authority.is_empty() { "/" } else { folder };
    format!("{scheme}{authority}{}", without_dots(&format!("{folder}{address}")))
}

fn scheme_of(address: &str) -> Option<&str> {
    let (scheme, _) = address.split_once(':')?;
    let good = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char));
    good.then_some(scheme)
}

fn without_dots(path: &str) -> String {
    if !path.split('/').any(|segment| segment == "." || segment == "..") {
        return path.to_owned();
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." => {}
            ".." => {
                if kept.len() > 1 {
                    kept.pop();
                }
            }
            name => kept.push(name),
        }
        if last && (segment == "." || segment == "..") {
            kept.push("");
        }
    }
    kept.join("/")
}

/// A fragment with its percent signs resolved; as it is where that gives no text.
pub(super) fn decode(fragment: &str) -> String {
    if !fragment.contains('%') {
        return fragment.to_owned();
    }
    let bytes = fragment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes.get(at + 1..at + 3).and_then(|pair| str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| bytes[at] == b'%') {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| fragment.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_seen_from_their_base() {
        let check = |base: &str, address: &str, expected: &str| assert_eq!(resolve(base, address), expected);
        check("", "item.json", "item.json");
        check("http://x.test/a/b.json", "c.json", "http://x.test/a/c.json");
        check("http://x.test/a/b.json", "/c.json", "http://x.test/c.json");
        check("http://x.test/a/b.json", "../c.json", "http://x.test/c.json");
        check("http://x.test", "c.json", "http://x.test/c.json");
        check("http://x.test/a/", "./c/", "http://x.test/a/c/");
        check("http://x.test/a", "//y.test/b", "http://y.test/b");
        check("http://x.test/a?q", "?r", "http://x.test/a?r");
        check("http://x.test/a", "urn:uuid:1", "urn:uuid:1");
        check("urn:uuid:1", "", "urn:uuid:1");
    }

    #[test]
    fn fragments_are_decoded() {
        assert_eq!(decode("/a%25b/c%20d"), "/a%b/c d");
        assert_eq!(decode("a%2"), "a%2");
    }
}
