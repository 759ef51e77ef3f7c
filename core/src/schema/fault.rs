//! Why a schema cannot be used.

/// What is wrong with a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaFault {
    /// It has too much in it.
    #[error("it has more than {limit} values in it")]
    TooLarge {
        /// How many it may have.
        limit: usize,
    },
    /// It is too deep.
    #[error("it is more than {limit} levels deep")]
    TooDeep {
        /// How deep it may be.
        limit: usize,
    },
    /// It refers to another document.
    #[error(
        "\"$ref\" names {0:?}, which is outside of it, and schemas are never fetched; put that part under \"$defs\""
    )]
    Remote(String),
    /// It refers to nothing.
    #[error("\"$ref\" names {0:?}, and there is no such part in it")]
    NoSuchPart(String),
}
