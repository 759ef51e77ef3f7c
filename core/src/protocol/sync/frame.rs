//! A head in JSON, then bytes, each with its length before it.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Why bytes are not a head with bytes beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SyncFrameError {
    /// They break off.
    #[error("the message of sync breaks off")]
    Cut,
    /// The head is something else.
    #[error("the head of the message of sync is not the JSON it should be")]
    NotThatJson,
}

/// A head and the bytes beside it as one.
#[must_use]
pub fn frame_sync(head: &impl Serialize, beside: &[Vec<u8>]) -> Vec<u8> {
    let head = serde_json::to_vec(head).expect("plain data can be written as JSON");
    let mut framed = Vec::with_capacity(4 + head.len() + beside.iter().map(|bytes| 4 + bytes.len()).sum::<usize>());
    for piece in std::iter::once(&head).chain(beside) {
        framed.extend(u32::try_from(piece.len()).expect("no message has gigabytes").to_be_bytes());
        framed.extend_from_slice(piece);
    }
    framed
}

/// Takes a message apart.
pub fn unframe_sync<T: DeserializeOwned>(mut bytes: &[u8]) -> Result<(T, Vec<Vec<u8>>), SyncFrameError> {
    let mut next = || {
        let (length, rest) = bytes.split_first_chunk::<4>().ok_or(SyncFrameError::Cut)?;
        let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
        let (piece, rest) = rest.split_at_checked(length).ok_or(SyncFrameError::Cut)?;
        bytes = rest;
        Ok((piece, rest.is_empty()))
    };
    let (head, mut done) = next()?;
    let head = serde_json::from_slice(head).map_err(|_other| SyncFrameError::NotThatJson)?;
    let mut beside = Vec::new();
    while !done {
        let (piece, last) = next()?;
        beside.push(piece.to_vec());
        done = last;
    }
    Ok((head, beside))
}
