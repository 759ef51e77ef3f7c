//! What follows the `?`. Names that an address does not know are not looked at.

use super::percent;
use super::refusal::{Code, Refusal};

/// Names and values, decoded, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn parse(text: &str) -> Result<Self, Refusal> {
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((percent::decode_query(name)?, percent::decode_query(value)?))
        };
        text.split('&').filter(|part| !part.is_empty()).map(pair).collect::<Result<_, Refusal>>().map(Self)
    }

    /// The value of a name; of several the last.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A switch that is off unless it is said to be on.
    pub(super) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.text(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => {
                let other: String = other.chars().take(80).collect();
                Err(Self::refused(name, format!("{name} must be \"true\" or \"false\", not {other:?}")))
            }
        }
    }

    /// The values of a name that may be given several times, or once with commas between the values.
    pub(super) fn list(&self, name: &str) -> Vec<&str> {
        let values = self.0.iter().filter(|(known, _)| known == name).flat_map(|(_, value)| value.split(','));
        values.map(str::trim).filter(|value| !value.is_empty()).collect()
    }

    /// A refusal that names the parameter.
    pub(super) fn refused(name: &str, message: String) -> Refusal {
        Refusal { path: Some(name.to_owned()), ..Refusal::new(Code::BadRequest, message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Query {
        Query::parse(text).expect("is a query")
    }

    #[test]
    fn names_and_values_are_decoded() {
        let query = parsed("replace=true&tags=a%2Cb,c&tags=d+e&&x");
        assert_eq!(query.flag("replace").ok(), Some(true));
        assert_eq!(query.flag("other").ok(), Some(false));
        assert_eq!(query.list("tags"), ["a", "b", "c", "d e"]);
        assert_eq!((query.text("x"), query.text("y")), (Some(""), None));
    }

    #[test]
    fn a_switch_is_true_or_false() {
        let refusal = parsed("replace=1").flag("replace").expect_err("is refused");
        assert_eq!(refusal.message, r#"replace must be "true" or "false", not "1""#);
        assert_eq!(refusal.path.as_deref(), Some("replace"));
        assert!(Query::parse("a=%").is_err());
    }
}
