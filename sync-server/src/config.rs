//! How the operator wants the server: flags and environment first, then `satchel.toml`, then the defaults.
//!
//! A [`Config`] is complete and makes sense; whatever does not is refused here, with a sentence, before anything is opened.

mod file;
mod origin;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

pub use file::{FILE_NAME, FileConfig, Limits, Mcp, Outbound, PageModelSection, PolicySection, Provider};
pub use origin::{Origin, OriginError, Scheme};

use crate::cli::ServeFlags;
use crate::data_folder;

/// Port listened on unless another is chosen.
pub const DEFAULT_PORT: u16 = 8787;

/// Everything `serve` needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The data folder.
    pub data: PathBuf,
    /// The address listened on; port 0 stands for any free one.
    pub listen: SocketAddr,
    /// The origin people open, when it is not the address listened on.
    pub public_origin: Option<Origin>,
    /// Certificate and key, when the server itself speaks HTTPS.
    pub tls: Option<TlsFiles>,
    /// Folder of a built app to serve instead of the embedded one.
    pub app_dir: Option<PathBuf>,
    /// Folder of Python wheels that toolsets may use.
    pub packages: Option<PathBuf>,
    /// File of a model that pages may fetch and run by themselves.
    pub model_file: Option<PathBuf>,
    /// The operator's own file of MCP servers.
    pub mcp_config: Option<PathBuf>,
    /// What `satchel.toml` says.
    pub file: FileConfig,
}

/// Where certificate and key are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain, PEM.
    pub certificate: PathBuf,
    /// The private key, PEM.
    pub key: PathBuf,
}

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// There is no home to put a data folder into.
    #[error("no folder for the data is known on this machine; name one with --data")]
    NoDataFolder,
    /// `--listen` is not an IP address.
    #[error("--listen takes an IP address with or without a port, such as 0.0.0.0 or [::1]:9000, not {0:?}")]
    Listen(String),
    /// The port is given twice, differently.
    #[error("--listen names port {listen} and --port names {port}; leave one of them out")]
    TwoPorts {
        /// The one in `--listen`.
        listen: u16,
        /// The one in `--port`.
        port: u16,
    },
    /// `--public-url` is not an origin.
    #[error("--public-url takes the address people open, such as https://satchel.example.org: {reason}")]
    PublicUrl {
        /// What is wrong with it.
        reason: OriginError,
    },
    /// Listening everywhere, going by no name.
    #[error("listening on every address ({0}) needs --public-url, the one address that people open")]
    NoName(IpAddr),
    /// One of certificate and key is missing.
    #[error("--tls-cert and --tls-key belong together; give both or neither")]
    HalfTls,
    /// The public address is plain although the server speaks TLS.
    #[error("--public-url begins with http:// although --tls-cert is given; make it https://")]
    PlainPublicUrl,
    /// `satchel.toml` is there and cannot be read.
    #[error("cannot read {path}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// `satchel.toml` has a mistake.
    #[error("satchel.toml line {line}: {message}")]
    Syntax {
        /// Where.
        line: usize,
        /// What, in the parser's words; unknown keys are named.
        message: String,
    },
    /// A `[[provider]]` of `satchel.toml` does not make sense.
    #[error("satchel.toml: provider {name:?} {reason}")]
    Provider {
        /// Which one.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

impl Config {
    /// Brings flags, environment (already inside the flags) and file together.
    pub fn resolve(flags: ServeFlags) -> Result<Self, ConfigError> {
        let data = data_folder::choose(&flags.data)?;
        let listen = resolve_listen(flags.listen.as_deref(), flags.port)?;
        let public_origin = match flags.public_url.as_deref() {
            Some(url) => Some(url.parse::<Origin>().map_err(|reason| ConfigError::PublicUrl { reason })?),
            None => None,
        };
        let tls = match (flags.tls_cert, flags.tls_key) {
            (Some(certificate), Some(key)) => Some(TlsFiles { certificate, key }),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => return Err(ConfigError::HalfTls),
        };
        if public_origin.is_none() && listen.ip().is_unspecified() {
            return Err(ConfigError::NoName(listen.ip()));
        }
        if tls.is_some() && public_origin.as_ref().is_some_and(|origin| !origin.is_https()) {
            return Err(ConfigError::PlainPublicUrl);
        }
        let file = FileConfig::read(&data)?;
        // A path in the file is meant from where the file is.
        let model_file = flags.model_file.or_else(|| file.page_model.file.as_ref().map(|named| data.join(named)));
        let mcp_config = flags.mcp_config.or_else(|| file.mcp.config.as_ref().map(|named| data.join(named)));
        let (app_dir, packages) = (flags.app_dir, flags.packages);
        Ok(Self { data, listen, public_origin, tls, app_dir, packages, model_file, mcp_config, file })
    }

    /// The one origin this server goes by, given the address it really listens on.
    #[must_use]
    pub fn canonical_origin(&self, bound: SocketAddr) -> Origin {
        let scheme = if self.tls.is_some() { Scheme::Https } else { Scheme::Http };
        self.public_origin.clone().unwrap_or_else(|| Origin::of_address(scheme, bound))
    }
}

fn resolve_listen(listen: Option<&str>, port: Option<u16>) -> Result<SocketAddr, ConfigError> {
    let Some(listen) = listen else {
        return Ok(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port.unwrap_or(DEFAULT_PORT)));
    };
    if let Ok(address) = listen.parse::<SocketAddr>() {
        return match port {
            Some(port) if port != address.port() => Err(ConfigError::TwoPorts { listen: address.port(), port }),
            Some(_) | None => Ok(address),
        };
    }
    let bare = listen.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(listen);
    match bare.parse::<IpAddr>() {
        Ok(address) => Ok(SocketAddr::new(address, port.unwrap_or(DEFAULT_PORT))),
        Err(_) => Err(ConfigError::Listen(listen.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser;

    fn resolve(flags: &[&str]) -> Result<Config, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().display().to_string();
        let arguments = ["satchel", "--data", data.as_str()].into_iter().chain(flags.iter().copied());
        let cli = Cli::try_parse_from(arguments).map_err(|error| error.to_string())?;
        Config::resolve(cli.serve).map_err(|error| error.to_string())
    }

    #[test]
    fn address_and_port_have_several_spellings() {
        let check = |flags: &[&str], expected: &str| {
            let config = resolve(flags).expect("resolves");
            assert_eq!(config.listen, expected.parse().expect("an address"), "{flags:?}");
        };
        check(&[], "127.0.0.1:8787");
        check(&["--port", "9000"], "127.0.0.1:9000");
        check(&["--listen", "192.168.1.5"], "192.168.1.5:8787");
        check(&["--listen", "192.168.1.5:9000"], "192.168.1.5:9000");
        check(&["--listen", "192.168.1.5", "--port", "9000"], "192.168.1.5:9000");
        check(&["--listen", "[::1]"], "[::1]:8787");
        check(&["--listen", "::1", "--port", "9000"], "[::1]:9000");
    }

    /// R323
    #[test]
    fn the_public_url_names_the_server() {
        let bound = "0.0.0.0:8787".parse().expect("an address");
        let named = resolve(&["--listen", "0.0.0.0", "--public-url", "https://satchel.example"]).expect("resolves");
        assert_eq!(named.canonical_origin(bound).to_string(), "https://satchel.example");

        let secure = resolve(&["--listen", "192.168.1.5", "--tls-cert", "c", "--tls-key", "k"]).expect("resolves");
        let bound = "192.168.1.5:8787".parse().expect("an address");
        assert_eq!(secure.canonical_origin(bound).to_string(), "https://192.168.1.5:8787");
    }

    #[test]
    fn the_flag_for_the_model_wins_over_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let toml = "[page_model]\nfile = \"small.gguf\"\n";
        std::fs::write(folder.path().join(FILE_NAME), toml).expect("is writable");
        let model_file = |flags: &[&str]| {
            let data = folder.path().display().to_string();
            let arguments = ["satchel", "--data", data.as_str()].into_iter().chain(flags.iter().copied());
            let cli = Cli::try_parse_from(arguments).expect("parses");
            Config::resolve(cli.serve).expect("resolves").model_file
        };
        assert_eq!(model_file(&[]), Some(folder.path().join("small.gguf")));
        assert_eq!(model_file(&["--model-file", "other.gguf"]), Some("other.gguf".into()));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_a_sentence() {
        let check = |flags: &[&str], expected: &str| {
            let error = resolve(flags).expect_err("is refused");
            assert!(error.contains(expected), "{error:?} should contain {expected:?}");
        };
        check(&["--listen", "here"], "--listen takes an IP address");
        check(&["--listen", "127.0.0.1:1", "--port", "2"], "leave one of them out");
        check(&["--listen", "0.0.0.0"], "needs --public-url");
        check(&["--listen", "[::]"], "needs --public-url");
        check(&["--public-url", "satchel.example"], "has to begin with http://");
        check(&["--public-url", "https://a.example/app"], "has to end after the host");
        check(&["--tls-cert", "c"], "belong together");
        check(&["--tls-key", "k"], "belong together");
        check(&["--tls-cert", "c", "--tls-key", "k", "--public-url", "http://a.example"], "make it https://");
        check(&["--port", "70000"], "70000");
    }
}
