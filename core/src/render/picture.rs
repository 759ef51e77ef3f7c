//! A picture that came as text. It is only ever handed to the browser as an image, in which nothing runs and which loads nothing.

/// A picture of a kind that browsers draw, in base64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataPicture {
    media_type: &'static str,
    base64: String,
}

const KINDS: [&str; 7] =
    ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/svg+xml"];

impl DataPicture {
    /// Takes a media type and base64; nothing where either is not what it says.
    #[must_use]
    pub fn new(media_type: &str, base64: &str) -> Option<Self> {
        let media_type = media_type.split(';').next().unwrap_or_default().trim();
        let media_type = *KINDS.iter().find(|kind| kind.eq_ignore_ascii_case(media_type))?;
        let base64: String = base64.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
        let end = base64.trim_end_matches('=');
        let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        (!end.is_empty() && base64.len() - end.len() < 3 && end.bytes().all(is_base64))
            .then_some(Self { media_type, base64 })
    }

    /// Takes an address of the form `data:image/…;base64,…`.
    #[must_use]
    pub fn of_address(address: &str) -> Option<Self> {
        let (media_type, data) = address.strip_prefix("data:")?.split_once(',')?;
        Self::new(media_type.strip_suffix(";base64")?, data)
    }

    /// What kind of picture it is.
    #[must_use]
    pub fn media_type(&self) -> &'static str {
        self.media_type
    }

    /// The address that an image is given.
    #[must_use]
    pub fn address(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.base64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pictures_are_pictures() {
        let check = |address: &str, expected: Option<&str>| {
            let found = DataPicture::of_address(address).map(|picture| picture.address());
            assert_eq!(found.as_deref(), expected, "{address}");
        };
        check("data:image/png;base64,aGk=", Some("data:image/png;base64,aGk="));
        check("data:IMAGE/PNG;base64,aG\nk=", Some("data:image/png;base64,aGk="));
        check("data:text/html;base64,aGk=", None);
        check("data:image/png,plain", None);
        check("data:image/png;base64,", None);
        check("data:image/png;base64,a\"b", None);
        check("https://example.com/a.png", None);
    }
}
