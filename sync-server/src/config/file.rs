//! `satchel.toml`: the operator's file in the data folder, and what its sections mean.
//!
//! All of it is optional. A key that nobody knows is an error that names the line, because a misspelt limit that is
//! silently ignored is worse than a server that does not start.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};

use satchel_core::protocol::{ProviderFormat, ProviderName, SecretName};
use serde::Deserialize;

use super::ConfigError;
use crate::outbound::{BaseUrl, PrivateHost};

/// Name of the file in the data folder.
pub const FILE_NAME: &str = "satchel.toml";

/// Everything `satchel.toml` can say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FileConfig {
    /// `[[provider]]`: where models are.
    #[serde(rename = "provider")]
    pub providers: Vec<Provider>,
    /// `[outbound]`: what the server may reach for the app.
    pub outbound: Outbound,
    /// `[mcp]`: the MCP servers the operator approved.
    pub mcp: Mcp,
    /// `[page_model]`: the model that pages may fetch.
    pub page_model: PageModelSection,
    /// `[policy]`: what the operator does not allow.
    pub policy: PolicySection,
    /// `[limits]`: how much is let in.
    pub limits: Limits,
}

/// One source of models.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// What the app shows.
    pub name: ProviderName,
    /// Address of its API.
    pub base_url: BaseUrl,
    /// Which wire format it speaks.
    pub format: ProviderFormat,
    /// The models to offer; the provider is asked when there are none.
    #[serde(default)]
    pub models: Vec<String>,
    /// Environment variable that holds the key.
    pub key_env: Option<String>,
    /// Name of the secret, in the vault of each account, that holds the key.
    pub secret: Option<SecretName>,
}

/// What the server may reach for the app.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Outbound {
    /// Private hosts that may be reached although they are private.
    pub private_hosts: Vec<PrivateHost>,
}

/// The MCP servers the operator approved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mcp {
    /// The operator's own `mcpServers` file.
    pub config: Option<PathBuf>,
    /// Names of environment variables that may be passed on.
    pub environment: Vec<String>,
}

/// The model that pages may fetch and run by themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PageModelSection {
    /// Its GGUF file, from the data folder on.
    pub file: Option<PathBuf>,
}

/// What the operator does not allow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicySection {
    /// Ids of toolsets that the app shows as disabled by the administrator.
    pub disabled_toolsets: Vec<String>,
}

/// How much is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Largest body of a request, in bytes.
    pub request_bytes: NonZeroU64,
    /// Most connections open at once; the next ones wait.
    pub connections: NonZeroU32,
    /// Longest time for the head of a request, and for a TLS handshake, in seconds.
    pub head_seconds: NonZeroU32,
    /// Largest body of a request to a model, in bytes.
    pub model_request_bytes: NonZeroU64,
    /// Largest body of a request that the server makes for a tool, in bytes.
    pub fetch_request_bytes: NonZeroU64,
    /// Largest body of what a device syncs at once, in bytes.
    pub sync_request_bytes: NonZeroU64,
    /// Most bytes that an account may have synced.
    pub sync_quota_bytes: NonZeroU64,
    /// Longest time for a connection to a provider, in seconds.
    pub connect_seconds: NonZeroU32,
    /// Longest time until a provider begins to answer, in seconds.
    pub answer_seconds: NonZeroU32,
    /// Longest silence in the middle of a provider's answer, in seconds.
    pub silence_seconds: NonZeroU32,
    /// Largest message from an MCP server, in bytes.
    pub mcp_message_bytes: NonZeroU64,
    /// Longest time until an MCP server has introduced itself, in seconds.
    pub mcp_start_seconds: NonZeroU32,
    /// Longest time in which nothing comes from a called tool, in seconds.
    pub mcp_call_seconds: NonZeroU32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_bytes: const { NonZeroU64::new(2 * 1024 * 1024).expect("not zero") },
            connections: const { NonZeroU32::new(512).expect("not zero") },
            head_seconds: const { NonZeroU32::new(30).expect("not zero") },
            model_request_bytes: const { NonZeroU64::new(32 * 1024 * 1024).expect("not zero") },
            fetch_request_bytes: const { NonZeroU64::new(32 * 1024 * 1024).expect("not zero") },
            sync_request_bytes: const { NonZeroU64::new(32 * 1024 * 1024).expect("not zero") },
            sync_quota_bytes: const { NonZeroU64::new(20 * 1024 * 1024 * 1024).expect("not zero") },
            connect_seconds: const { NonZeroU32::new(10).expect("not zero") },
            // A model on a small machine reads a long conversation for minutes before its first word.
            answer_seconds: const { NonZeroU32::new(600).expect("not zero") },
            silence_seconds: const { NonZeroU32::new(300).expect("not zero") },
            mcp_message_bytes: const { NonZeroU64::new(16 * 1024 * 1024).expect("not zero") },
            // Some are fetched from a registry by their own command first.
            mcp_start_seconds: const { NonZeroU32::new(120).expect("not zero") },
            mcp_call_seconds: const { NonZeroU32::new(600).expect("not zero") },
        }
    }
}

impl FileConfig {
    /// Reads the file of a data folder; a folder without one gives the defaults.
    pub fn read(data_folder: &Path) -> Result<Self, ConfigError> {
        let path = data_folder.join(FILE_NAME);
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text),
            // A folder that cannot be one is said by whoever opens it.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(Self::default()),
            Err(source) => Err(ConfigError::Unreadable { path, source }),
        }
    }

    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let read: Self = toml::from_str(text).map_err(|error| ConfigError::Syntax {
            line: error.span().map_or(1, |span| line_of(text, span.start)),
            message: error.message().trim().replace('\n', ", "),
        })?;
        let mut names = HashSet::new();
        for provider in &read.providers {
            provider.check()?;
            if !names.insert(provider.name.as_str()) {
                return Err(provider.refuse("has the name of an earlier one"));
            }
        }
        Ok(read)
    }
}

impl Provider {
    fn check(&self) -> Result<(), ConfigError> {
        if self.key_env.is_some() && self.secret.is_some() {
            Err(self.refuse("may have key_env or secret, not both"))
        } else {
            Ok(())
        }
    }

    fn refuse(&self, reason: &'static str) -> ConfigError {
        ConfigError::Provider { name: self.name.to_string(), reason }
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_read() {
        let text = r#"
            [[provider]]
            name = "local"
            base_url = "http://127.0.0.1:11434/v1"
            format = "openai"

            [[provider]]
            name = "claude"
            base_url = "https://api.anthropic.com"
            format = "anthropic"
            models = ["one", "two"]
            key_env = "ANTHROPIC_API_KEY"

            [outbound]
            private_hosts = ["192.168.1.9", "nas.local:11434"]

            [mcp]
            config = "mcp.json"
            environment = ["HOME"]

            [page_model]
            file = "small.gguf"

            [policy]
            disabled_toolsets = ["shell"]

            [limits]
            request_bytes = 1000
            silence_seconds = 60
        "#;
        let expected = FileConfig {
            providers: vec![
                Provider {
                    name: ProviderName::parse("local").expect("a name"),
                    base_url: BaseUrl::parse("http://127.0.0.1:11434/v1").expect("a base URL"),
                    format: ProviderFormat::OpenAi,
                    models: vec![],
                    key_env: None,
                    secret: None,
                },
                Provider {
                    name: ProviderName::parse("claude").expect("a name"),
                    base_url: BaseUrl::parse("https://api.anthropic.com").expect("a base URL"),
                    format: ProviderFormat::Anthropic,
                    models: vec!["one".into(), "two".into()],
                    key_env: Some("ANTHROPIC_API_KEY".into()),
                    secret: None,
                },
            ],
            outbound: Outbound {
                private_hosts: ["192.168.1.9", "nas.local:11434"]
                    .map(|host| PrivateHost::parse(host).expect("a host"))
                    .into(),
            },
            mcp: Mcp { config: Some("mcp.json".into()), environment: vec!["HOME".into()] },
            page_model: PageModelSection { file: Some("small.gguf".into()) },
            policy: PolicySection { disabled_toolsets: vec!["shell".into()] },
            limits: Limits {
                request_bytes: NonZeroU64::new(1000).expect("not zero"),
                silence_seconds: NonZeroU32::new(60).expect("not zero"),
                ..Limits::default()
            },
        };
        assert_eq!(FileConfig::parse(text).expect("reads"), expected);
    }

    #[test]
    fn an_empty_or_missing_file_is_the_default() {
        assert_eq!(FileConfig::parse("").expect("reads"), FileConfig::default());
        let empty = tempfile::tempdir().expect("a folder");
        assert_eq!(FileConfig::read(empty.path()).expect("reads"), FileConfig::default());
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        fn check(text: &str, expected: &str) {
            let error = FileConfig::parse(text).expect_err("is refused").to_string();
            assert!(error.contains(expected), "{error:?} should contain {expected:?}");
        }
        check("\n[limits]\nrequest_byte = 3\n", "line 3: unknown field `request_byte`");
        check("[limit]\n", "line 1: unknown field `limit`");
        check("[limits]\nrequest_bytes = 0\n", "line 2: invalid value");
        check("[limits\n", "line 1:");
        let provider = "[[provider]]\nname = \"a\"\nbase_url = \"a\"\nformat = \"openai\"\n";
        check(provider, "line 3: a base_url has to begin with http:// or https://");
        check("[outbound]\nprivate_hosts = [\"10.0.0.0/8\"]\n", "line 2: a private host is a name or an IP address");
        let sound = provider.replace("\"a\"\nformat", "\"http://a\"\nformat");
        check(&sound.replace("openai", "morse"), "line 4: unknown variant `morse`");
        check(&sound.replace("name = \"a\"", "name = \"a/b\""), "line 2: a provider's name has 1 to 64 characters");
        check(&format!("{sound}{sound}"), "provider \"a\" has the name of an earlier one");
        check(&format!("{sound}key_env = \"K\"\nsecret = \"s\"\n"), "provider \"a\" may have key_env or secret");
        check(&format!("{sound}secret = \"my key\"\n"), "line 5: a secret's name has");
    }
}
