//! What every id and name that is a text has in common.

/// Defines the newtype of a checked text, with the doc comment it is given. Its `parse`, which says what the text must be and fails
/// with the given error, is its own; what is stored and sent is read by it too, unless another function is named.
macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $error:ty) => {
        text_id! {
            $(#[$doc])*
            $name, $error, parse
        }
    };
    ($(#[$doc:meta])* $name:ident, $error:ty, $read:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The text as it is stored and sent.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $error;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::$read(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    };
}

pub(crate) use text_id;
