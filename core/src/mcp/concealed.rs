//! A server that its owner lends to others: they see how it is started or reached, and none of the values that are the owner's alone (I8).

use serde_json::Value;

use crate::bundle::secrets::conceal_server;
use crate::protocol::{McpDefinition, SecretName, SecretValue};

/// A definition as others may see it, and what was taken out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concealed {
    /// The definition, with `${NAME}` where a value was.
    pub definition: McpDefinition,
    /// The values, by the names that stand for them.
    pub values: Vec<(SecretName, SecretValue)>,
}

impl Concealed {
    /// Takes the values out of a definition. The name of each begins with `owner`.
    #[must_use]
    pub fn of(definition: &McpDefinition, owner: &str) -> Self {
        let Ok(Value::Object(mut config)) = serde_json::to_value(definition) else {
            return Self { definition: definition.clone(), values: Vec::new() };
        };
        let taken = conceal_server(&mut config, owner);
        let values =
            taken.into_iter().filter_map(|one| Some((SecretName::parse(&one.name).ok()?, one.value))).collect();
        let definition = serde_json::from_value(Value::Object(config)).expect("texts are still texts");
        Self { definition, values }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(definition: Value, expected: Value, taken: &[(&str, &str)]) {
        let definition: McpDefinition = serde_json::from_value(definition).expect("is a definition");
        let concealed = Concealed::of(&definition, "operator_my-files");
        let expected: McpDefinition = serde_json::from_value(expected).expect("is a definition");
        assert_eq!(concealed.definition, expected);
        let values: Vec<(&str, &str)> =
            concealed.values.iter().map(|(name, value)| (name.as_str(), value.reveal())).collect();
        assert_eq!(values, taken);
    }

    /// I8
    #[test]
    fn a_command_keeps_its_words_and_loses_its_values() {
        check(
            json!({
                "command": "npx",
                "args": ["-y", "files", "/srv/notes", "--token", "hunter2", "--header", "Authorization: Bearer hunter3", "X-Key:hunter4"],
                "env": {"MODE": "fast", "EMPTY": "", "OPEN": "${OPEN}", "DB": "postgres://me:${PW}@db.test/x"},
                "cwd": "/srv",
            }),
            json!({
                "command": "npx",
                "args": [
                    "-y", "files", "/srv/notes", "--token", "${OPERATOR_MY_FILES_TOKEN}", "--header",
                    "Authorization: Bearer ${OPERATOR_MY_FILES_AUTHORIZATION}", "X-Key:${OPERATOR_MY_FILES_X_KEY}",
                ],
                "env": {"MODE": "${OPERATOR_MY_FILES_MODE}", "EMPTY": "", "OPEN": "${OPEN}", "DB": "${OPERATOR_MY_FILES_DB}"},
                "cwd": "/srv",
            }),
            &[
                ("OPERATOR_MY_FILES_TOKEN", "hunter2"),
                ("OPERATOR_MY_FILES_AUTHORIZATION", "hunter3"),
                ("OPERATOR_MY_FILES_X_KEY", "hunter4"),
                ("OPERATOR_MY_FILES_DB", "postgres://me:${PW}@db.test/x"),
                ("OPERATOR_MY_FILES_MODE", "fast"),
            ],
        );
    }

    /// I8
    #[test]
    fn an_address_keeps_its_place_and_loses_its_keys() {
        check(
            json!({
                "url": "https://x.test/mcp?team=data&api_key=hunter2",
                "headers": {"Authorization": "Bearer hunter3", "X-Team": "data", "Accept": "application/json", "X-Own": "${MINE}"},
            }),
            json!({
                "url": "https://x.test/mcp?team=data&api_key=${OPERATOR_MY_FILES_API_KEY}",
                "headers": {
                    "Authorization": "Bearer ${OPERATOR_MY_FILES_AUTHORIZATION}", "X-Team": "${OPERATOR_MY_FILES_X_TEAM}",
                    "Accept": "application/json", "X-Own": "${MINE}",
                },
            }),
            &[
                ("OPERATOR_MY_FILES_API_KEY", "hunter2"),
                ("OPERATOR_MY_FILES_AUTHORIZATION", "hunter3"),
                ("OPERATOR_MY_FILES_X_TEAM", "data"),
            ],
        );
    }
}
