//! The command line, as the operator types it.
//!
//! Every flag can also be given as a `SATCHEL_*` environment variable; a flag wins over its variable. What the values mean
//! together is decided in [`crate::config`].

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use tracing::level_filters::LevelFilter;

/// A chat workbench that lives in a browser tab: this is its server.
#[derive(Debug, Parser)]
#[command(name = "satchel", version, about, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; `serve` when nothing is named.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The flags of `serve`, for when no command is named.
    #[command(flatten)]
    pub serve: ServeFlags,
}

/// What the program can be asked to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the app until stopped (the default)
    Serve(ServeFlags),
    /// Print the access token, or replace that of an account
    Token(TokenFlags),
    /// Copy the database into one file, also while a server uses it
    Backup(BackupFlags),
    /// Put a backup in the place of the database, while no server uses it; what was there is kept beside it
    Restore(RestoreFlags),
    /// Make accounts
    #[command(subcommand)]
    Account(AccountCommand),
    /// See the devices that sync, and revoke one
    #[command(subcommand)]
    Device(DeviceCommand),
    /// Remove every stored secret and start with a new key, for when the vault's key is lost
    ForgetSecrets(DataFlags),
    /// See, approve and revoke the commands that apps want to start as MCP servers
    #[command(subcommand)]
    Mcp(McpCommand),
    /// Write the lock file of a folder of Python wheels, for a static host that serves it as /packages/
    Packages(PackagesFlags),
}

/// What can be done about MCP servers. All of it works beside a running server.
#[derive(Debug, Subcommand)]
pub enum McpCommand {
    /// Show every command that is published or in your own file, and whether it is approved
    List(McpListFlags),
    /// Let the server start this command, exactly as it is
    Approve(FingerprintFlags),
    /// Withdraw an approval; a running server stops the command
    Revoke(FingerprintFlags),
}

/// What can be done about accounts. All of it works beside a running server.
#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Make an account and print its access token, which is shown only once
    Add(AccountFlags),
}

/// The flags of `account add`.
#[derive(Clone, Debug, Args)]
pub struct AccountFlags {
    /// The data folder.
    #[command(flatten)]
    pub data: DataFlags,
    /// What the account is called; no two have the same name
    #[arg(value_name = "NAME")]
    pub name: String,
}

/// What can be done about devices. All of it works beside a running server.
#[derive(Debug, Subcommand)]
pub enum DeviceCommand {
    /// Show every device of every account
    List(DataFlags),
    /// Revoke a device: it gets nothing more, and keeps what it has
    Revoke(RevokeFlags),
}

/// The flags of `device revoke`.
#[derive(Clone, Debug, Args)]
pub struct RevokeFlags {
    /// The data folder.
    #[command(flatten)]
    pub data: DataFlags,
    /// The device's id, as `satchel device list` shows it
    #[arg(value_name = "DEVICE")]
    pub device: String,
}

/// The flags of `restore`.
#[derive(Clone, Debug, Args)]
pub struct RestoreFlags {
    /// The data folder.
    #[command(flatten)]
    pub data: DataFlags,
    /// The backup
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// The flags of `mcp list`.
#[derive(Clone, Debug, Args)]
pub struct McpListFlags {
    /// The data folder.
    #[command(flatten)]
    pub data: DataFlags,
    /// The file that `satchel serve` is given as --mcp-config, if it is; satchel.toml is read anyway
    #[arg(long, env = "SATCHEL_MCP_CONFIG", value_name = "FILE")]
    pub mcp_config: Option<PathBuf>,
}

/// The flags of `mcp approve` and `mcp revoke`.
#[derive(Clone, Debug, Args)]
pub struct FingerprintFlags {
    /// The data folder.
    #[command(flatten)]
    pub data: DataFlags,
    /// The command's fingerprint, as the app and `satchel mcp list` show it
    #[arg(value_name = "FINGERPRINT")]
    pub fingerprint: String,
}

/// Where the data lives; every command needs to know.
#[derive(Clone, Debug, Default, Args)]
pub struct DataFlags {
    /// Folder for the database, the access token, the vault's key and satchel.toml
    #[arg(long, env = "SATCHEL_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,
}

/// The flags of `serve`.
#[derive(Clone, Debug, Args)]
pub struct ServeFlags {
    /// The data folder.
    #[command(flatten)]
    pub data: DataFlags,
    /// Address to listen on: an IP address, with or without a port [default: 127.0.0.1]
    #[arg(long, env = "SATCHEL_LISTEN", value_name = "ADDRESS[:PORT]")]
    pub listen: Option<String>,
    /// Port to listen on; 0 takes a free one [default: 8787]
    #[arg(long, env = "SATCHEL_PORT")]
    pub port: Option<u16>,
    /// The address people open, when it differs from the one listened on
    #[arg(long, env = "SATCHEL_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
    /// Certificate chain for HTTPS, a PEM file
    #[arg(long, env = "SATCHEL_TLS_CERT", value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// Private key for HTTPS, a PEM file
    #[arg(long, env = "SATCHEL_TLS_KEY", value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Serve the app from this folder instead of the one inside the program
    #[arg(long, env = "SATCHEL_APP_DIR", value_name = "DIR")]
    pub app_dir: Option<PathBuf>,
    /// Folder of Python wheels that toolsets may use, served under /packages/
    #[arg(long, env = "SATCHEL_PACKAGES", value_name = "DIR")]
    pub packages: Option<PathBuf>,
    /// GGUF file of a small model that pages may fetch and run by themselves
    #[arg(long, env = "SATCHEL_MODEL_FILE", value_name = "FILE")]
    pub model_file: Option<PathBuf>,
    /// File of MCP servers in the mcpServers format; its commands are approved and offered to the app
    #[arg(long, env = "SATCHEL_MCP_CONFIG", value_name = "FILE")]
    pub mcp_config: Option<PathBuf>,
    /// How much to log: off, error, warn, info, debug or trace
    #[arg(long, env = "SATCHEL_LOG", value_name = "LEVEL", default_value = "info")]
    pub log: LevelFilter,
}

/// The flags of `token`.
#[derive(Clone, Debug, Args)]
pub struct TokenFlags {
    /// The data folder.
    #[command(flatten)]
    pub data: DataFlags,
    /// Whose token; the first account's when nobody is named
    #[arg(value_name = "ACCOUNT")]
    pub account: Option<String>,
    /// Replace the token; the old one is refused from now on
    #[arg(long)]
    pub new: bool,
}

/// The flags of `backup`.
#[derive(Clone, Debug, Args)]
pub struct BackupFlags {
    /// The data folder.
    #[command(flatten)]
    pub data: DataFlags,
    /// The file to write; there must be none of this name
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Copy the secrets too, sealed as they are; the key that opens them is never in a backup
    #[arg(long)]
    pub with_secrets: bool,
}

/// The flags of `packages`.
#[derive(Clone, Debug, Args)]
pub struct PackagesFlags {
    /// The folder; its pyodide-lock.json is written, or pruned to what is there
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn serve_is_the_default_command() {
        let bare = Cli::try_parse_from(["satchel", "--port", "9000"]).expect("parses");
        assert!(bare.command.is_none());
        assert_eq!(bare.serve.port, Some(9000));

        let named = Cli::try_parse_from(["satchel", "serve", "--port", "9000"]).expect("parses");
        assert!(matches!(named.command, Some(Command::Serve(ServeFlags { port: Some(9000), .. }))));
    }
}
