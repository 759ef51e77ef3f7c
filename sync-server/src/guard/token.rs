//! Who brings an access token in force.
//!
//! The database is asked every time, so a token that was replaced is refused from the next request on.

use axum::http::{HeaderMap, header};

use crate::access_token::AccessToken;
use crate::database::{Account, Database, TokenStanding};
use crate::refusal::Refusal;

pub(super) fn check(database: &Database, headers: &HeaderMap) -> Result<Account, Refusal> {
    let token = bearer(headers)?;
    match database.token_standing(&token.hash()) {
        Ok(TokenStanding::Current(account)) => Ok(account),
        Ok(TokenStanding::Replaced) => Err(Refusal::ReplacedToken),
        Ok(TokenStanding::Unknown) => Err(Refusal::WrongToken),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "cannot look up an access token");
            Err(Refusal::Internal)
        }
    }
}

/// The token of `Authorization: Bearer …`; there must be exactly one such header.
fn bearer(headers: &HeaderMap) -> Result<AccessToken, Refusal> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next().ok_or(Refusal::NoToken)?;
    if values.next().is_some() {
        return Err(Refusal::WrongToken);
    }
    let text = value.to_str().map_err(|_| Refusal::WrongToken)?;
    let (scheme, token) = text.split_once(' ').ok_or(Refusal::NoToken)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Refusal::NoToken);
    }
    AccessToken::parse(token.trim()).ok_or(Refusal::WrongToken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let value = |text: &&str| (header::AUTHORIZATION, text.parse().expect("a header value"));
        values.iter().map(value).collect()
    }

    #[test]
    fn a_bearer_token_comes_alone_and_whole() {
        let token = AccessToken::random().expect("randomness");
        let whole = format!("Bearer {}", token.reveal());
        let lower = format!("bearer {}", token.reveal());
        for good in [&whole, &lower] {
            assert_eq!(bearer(&headers(&[good])).expect("reads").reveal(), token.reveal());
        }
        let check = |values: &[&str], expected: Refusal| {
            assert_eq!(bearer(&headers(values)).expect_err("is refused"), expected, "{values:?}");
        };
        check(&[], Refusal::NoToken);
        check(&["Basic bWU6bWU="], Refusal::NoToken);
        check(&["Bearer"], Refusal::NoToken);
        check(&["Bearer short"], Refusal::WrongToken);
        check(&[&whole, &whole], Refusal::WrongToken);
    }
}
