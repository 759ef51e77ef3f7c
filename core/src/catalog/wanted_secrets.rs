//! The secrets and variables that are kept, beside those that somebody wants (C38, C49).

use std::collections::BTreeMap;

use crate::protocol::{SecretName, SecretSummary};
use crate::time::Timestamp;

/// A secret, as the user is shown it: everything but its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SecretStanding {
    /// Its name.
    pub name: SecretName,
    /// Where its value is.
    pub place: SecretPlace,
    /// When it was last entered, where that is known.
    pub entered_at: Option<Timestamp>,
    /// Who wants it.
    pub wanted: Vec<SecretWant>,
}

/// Where the value of a secret is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SecretPlace {
    /// Nowhere: it has to be entered.
    Nowhere,
    /// Nowhere, and nobody wants it but what comes with the app: whoever does not use that, needs it not.
    NotNeeded,
    /// In the server's vault.
    Vault,
    /// In the server's vault, but damaged: it has to be entered again.
    Damaged,
    /// Sealed on this device.
    Device,
}

/// Somebody who wants a secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SecretWant {
    /// Who, in words: `the toolset Weather`.
    pub who: String,
    /// What it is, as its author says.
    pub description: Option<String>,
    /// Whether that came with the app, and not by a decision of the user's.
    pub is_built_in: bool,
}

/// Brings together what is kept and what is wanted: what is missing first, the rest by name, what nobody needs last. Of a secret that is in two places, the vault's
/// counts: that is the one that is used.
#[must_use]
pub fn secret_standings(
    vault: &[SecretSummary],
    device: &[SecretName],
    wanted: Vec<(SecretName, SecretWant)>,
) -> Vec<SecretStanding> {
    let mut all: BTreeMap<SecretName, SecretStanding> = BTreeMap::new();
    let mut put = |name: &SecretName, place, entered_at| {
        let standing = SecretStanding { name: name.clone(), place, entered_at, wanted: Vec::new() };
        all.insert(name.clone(), standing);
    };
    device.iter().for_each(|name| put(name, SecretPlace::Device, None));
    for secret in vault {
        let place = if secret.has_value { SecretPlace::Vault } else { SecretPlace::Damaged };
        put(&secret.name, place, Some(secret.updated_at));
    }
    for (name, want) in wanted {
        let missing =
            SecretStanding { name: name.clone(), place: SecretPlace::NotNeeded, entered_at: None, wanted: vec![] };
        let standing = all.entry(name).or_insert(missing);
        if standing.place == SecretPlace::NotNeeded && !want.is_built_in {
            standing.place = SecretPlace::Nowhere;
        }
        standing.wanted.push(want);
    }
    let mut standings: Vec<SecretStanding> = all.into_values().collect();
    standings.sort_by_key(|standing| match standing.place {
        SecretPlace::Nowhere | SecretPlace::Damaged => 0,
        SecretPlace::Vault | SecretPlace::Device => 1,
        SecretPlace::NotNeeded => 2,
    });
    standings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> SecretName {
        SecretName::parse(text).expect("is a name")
    }

    /// C38, C49; R096: the key of the search that is built in is missing to nobody who does not use it.
    #[test]
    fn what_is_missing_comes_first_and_says_who_wants_it() {
        let stored = |text: &str, has_value| SecretSummary {
            name: name(text),
            has_value,
            created_at: Timestamp::from_millis(0),
            updated_at: Timestamp::from_millis(1),
        };
        let want = |who: &str| SecretWant { who: who.to_owned(), description: None, is_built_in: false };
        let of_the_app = || SecretWant { is_built_in: true, ..want("the toolset Exa Web Search") };
        let vault = [stored("A_KEY", true), stored("C_KEY", false)];
        let device = [name("A_KEY"), name("B_KEY")];
        let wanted = vec![
            (name("Z_KEY"), want("the toolset Weather")),
            (name("A_KEY"), want("the toolset Weather")),
            (name("Z_KEY"), want("the provider mine")),
            (name("A_KEY"), of_the_app()),
            (name("EXA_KEY"), of_the_app()),
            (name("Y_KEY"), of_the_app()),
            (name("Y_KEY"), want("the toolset Weather")),
        ];
        let standings = secret_standings(&vault, &device, wanted);
        let shown: Vec<(&str, SecretPlace, usize)> =
            standings.iter().map(|one| (one.name.as_str(), one.place, one.wanted.len())).collect();
        let expected = [
            ("C_KEY", SecretPlace::Damaged, 0),
            ("Y_KEY", SecretPlace::Nowhere, 2),
            ("Z_KEY", SecretPlace::Nowhere, 2),
            ("A_KEY", SecretPlace::Vault, 2),
            ("B_KEY", SecretPlace::Device, 0),
            ("EXA_KEY", SecretPlace::NotNeeded, 1),
        ];
        assert_eq!(shown, expected);
    }
}
