//! A request of a tool that the server makes for the page, because its host lets no page of another site read it.
//!
//! Head and body travel as one: four bytes that say how long the head is, the head as JSON, then the body as it is. So neither an address
//! nor a header of somebody else's request ever stands in ours, where it could be logged, cached or mistaken for our own, and bytes need
//! not be written as text. The answer has the same shape: a status there is the host's, a status of ours is the server's.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Most bytes of a host's answer that a tool is given.
pub const FETCH_ANSWER_BYTES: u64 = 100 << 20;
/// Longest head, in bytes.
pub const FETCH_HEAD_BYTES: usize = 256 << 10;
/// How many bytes say how long the head is.
const LENGTH_BYTES: usize = 4;

/// Head of the body of `POST /api/v1/fetch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchRequest {
    /// The method.
    pub method: String,
    /// The whole address.
    pub url: String,
    /// The headers, each character of a value a byte of it, as in a browser.
    pub headers: Vec<(String, String)>,
}

/// Head of its answer: what the host has said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchResponse {
    /// The host's status.
    pub status: u16,
    /// What that status is called.
    pub status_text: String,
    /// The host's headers, each character of a value a byte of it.
    pub headers: Vec<(String, String)>,
}

/// Why bytes are not a head with a body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchFrameError {
    /// They end before the head does.
    #[error("the head of the fetch breaks off")]
    Cut,
    /// The head is longer than it may be.
    #[error("the head of the fetch has {0} bytes, and the limit is {FETCH_HEAD_BYTES}")]
    TooLong(usize),
    /// The head is something else.
    #[error("the head of the fetch is not the JSON it should be")]
    NotThatJson,
}

/// A head, ready for its body to follow.
pub fn frame_fetch(head: &impl Serialize) -> Result<Vec<u8>, FetchFrameError> {
    let json = serde_json::to_vec(head).map_err(|_no_json| FetchFrameError::NotThatJson)?;
    if json.len() > FETCH_HEAD_BYTES {
        return Err(FetchFrameError::TooLong(json.len()));
    }
    let length = u32::try_from(json.len()).map_err(|_huge| FetchFrameError::TooLong(json.len()))?;
    Ok([&length.to_be_bytes()[..], &json].concat())
}

/// The head, and where the body begins. The beginning of the bytes is enough, as far as the longest head reaches.
pub fn unframe_fetch<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, usize), FetchFrameError> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>().ok_or(FetchFrameError::Cut)?;
    let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
    if length > FETCH_HEAD_BYTES {
        return Err(FetchFrameError::TooLong(length));
    }
    let json = rest.get(..length).ok_or(FetchFrameError::Cut)?;
    let head = serde_json::from_slice(json).map_err(|_other| FetchFrameError::NotThatJson)?;
    Ok((head, LENGTH_BYTES + length))
}

/// How many bytes from the beginning hold every head there can be.
#[must_use]
pub const fn longest_fetch_frame() -> usize {
    LENGTH_BYTES + FETCH_HEAD_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> FetchRequest {
        FetchRequest {
            method: "POST".into(),
            url: "https://api.example.com/v1?q=1".into(),
            headers: vec![("accept".into(), "text/csv".into())],
        }
    }

    #[test]
    fn a_fetch_on_the_wire() {
        insta::assert_json_snapshot!(asked(), @r#"
        {
          "method": "POST",
          "url": "https://api.example.com/v1?q=1",
          "headers": [
            [
              "accept",
              "text/csv"
            ]
          ]
        }
        "#);
        let answer = FetchResponse { status: 404, status_text: "Not Found".into(), headers: vec![] };
        insta::assert_json_snapshot!(answer, @r#"
        {
          "status": 404,
          "status_text": "Not Found",
          "headers": []
        }
        "#);
    }

    #[test]
    fn the_body_follows_the_head_as_it_is() {
        let mut bytes = frame_fetch(&asked()).expect("is short");
        assert_eq!(bytes[..5], [0, 0, 0, 90, b'{']);
        bytes.extend([0, 255, b'{']);
        let (head, body) = unframe_fetch::<FetchRequest>(&bytes).expect("reads");
        assert_eq!((head, &bytes[body..]), (asked(), &[0, 255, b'{'][..]));
    }

    #[test]
    fn what_is_no_head_is_refused() {
        let check = |bytes: &[u8], expected: FetchFrameError| {
            assert_eq!(unframe_fetch::<FetchRequest>(bytes).expect_err("is refused"), expected, "{bytes:?}");
        };
        check(b"", FetchFrameError::Cut);
        check(&[0, 0, 0], FetchFrameError::Cut);
        check(&[0, 0, 0, 3, b'{', b'}'], FetchFrameError::Cut);
        check(&[0, 0, 0, 2, b'{', b'}'], FetchFrameError::NotThatJson);
        check(&[255; 8], FetchFrameError::TooLong(0xffff_ffff));
        let long = FetchRequest { url: "x".repeat(FETCH_HEAD_BYTES), ..asked() };
        assert!(matches!(frame_fetch(&long), Err(FetchFrameError::TooLong(_))));
    }
}
