//! From the command line to a running server, and every way in which that can fail.
//!
//! A failure is one sentence: what happened, and what to do.

mod accounts;
mod signals;

use std::error::Error;
use std::io::{self, Write as _};

use tokio::runtime::{Builder, Runtime};
use tracing::level_filters::LevelFilter;

use crate::access_token::{self, TokenError};
use crate::app_files::{AppFiles, AppFilesError};
use crate::cli::{BackupFlags, Cli, Command, DataFlags, McpCommand, PackagesFlags, RestoreFlags, ServeFlags};
use crate::config::{Config, ConfigError, FileConfig, Origin};
use crate::data_folder::{self, DataFolder, DataFolderError};
use crate::database::{self, BackupError, BackupSecrets, Database, DatabaseError, RestoreError};
use crate::events::Events;
use crate::guard::Names;
use crate::llm::OperatorProviders;
use crate::mcp::{self, Mcp, McpCommandError, McpParts, OperatorFileError, OperatorServers, PassedOn};
use crate::outbound::{Outbound, Rules};
use crate::packages_folder::{PackagesFolder, PackagesFolderError};
use crate::page_model::{PageModelFile, PageModelFileError};
use crate::server::{self, ListenError, Listeners, TlsError};
use crate::state::{AppState, Parts};
use crate::vault::{KEY_VARIABLE, KeyError, Vault, VaultError};
use crate::{log, routes, sync};
use accounts::AccountCommandError;
use satchel_core::counted::counted;
use signals::Signals;

/// Threads that answer requests. Two keep a small server small; nothing on them blocks.
const WORKER_THREADS: usize = 2;
/// Threads that read files.
const FILE_THREADS: usize = 4;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Flags, environment or `satchel.toml`.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The app to serve.
    #[error(transparent)]
    App(#[from] AppFilesError),
    /// The folder of Python packages.
    #[error(transparent)]
    Packages(#[from] PackagesFolderError),
    /// The model that pages may fetch.
    #[error(transparent)]
    PageModel(#[from] PageModelFileError),
    /// The operator's file of MCP servers.
    #[error(transparent)]
    McpFile(#[from] OperatorFileError),
    /// `satchel mcp`.
    #[error(transparent)]
    Mcp(#[from] McpCommandError),
    /// Certificate and key.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The data folder.
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
    /// The database.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// A backup.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// A backup to be restored.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// `satchel account`, `satchel token` and `satchel device`.
    #[error(transparent)]
    Account(AccountCommandError),
    /// The access token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The vault.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The address.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The system: threads or signals.
    #[error("the system refused what every program needs")]
    System(#[source] io::Error),
    /// Standard output.
    #[error("cannot write to standard output")]
    Output(#[source] io::Error),
}

/// Does what the command line asks.
pub fn run(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        Some(Command::Token(flags)) => {
            log::start(LevelFilter::WARN);
            say(&runtime()?.block_on(accounts::token(&flags))?).map_err(Failure::Output)
        }
        Some(Command::Backup(flags)) => {
            log::start(LevelFilter::WARN);
            back_up(&flags)
        }
        Some(Command::Restore(flags)) => {
            log::start(LevelFilter::WARN);
            restore(&flags)
        }
        Some(Command::Account(command)) => {
            log::start(LevelFilter::WARN);
            say(&runtime()?.block_on(accounts::account(&command))?).map_err(Failure::Output)
        }
        Some(Command::Device(command)) => {
            log::start(LevelFilter::WARN);
            say(&runtime()?.block_on(accounts::device(&command))?).map_err(Failure::Output)
        }
        Some(Command::ForgetSecrets(flags)) => {
            log::start(LevelFilter::WARN);
            runtime()?.block_on(forget_secrets(&flags))
        }
        Some(Command::Mcp(command)) => {
            log::start(LevelFilter::WARN);
            runtime()?.block_on(decide_on_mcp(&command))
        }
        Some(Command::Packages(flags)) => {
            log::start(LevelFilter::WARN);
            write_lock(&flags)
        }
        Some(Command::Serve(flags)) => start_serving(flags),
        None => start_serving(cli.serve),
    }
}

impl From<AccountCommandError> for Failure {
    /// What is not about accounts is told as everywhere, with the same advice.
    fn from(error: AccountCommandError) -> Self {
        match error {
            AccountCommandError::Config(error) => Self::Config(error),
            AccountCommandError::DataFolder(error) => Self::DataFolder(error),
            AccountCommandError::Database(error) => Self::Database(error),
            AccountCommandError::Token(error) => Self::Token(error),
            other => Self::Account(other),
        }
    }
}

impl Failure {
    /// The whole failure as one sentence: what happened, why, and what to do.
    #[must_use]
    pub fn sentence(&self) -> String {
        let mut sentence = self.to_string();
        let mut source = self.source();
        while let Some(cause) = source {
            sentence.push_str(": ");
            sentence.push_str(&cause.to_string());
            source = cause.source();
        }
        if let Some(advice) = self.advice() {
            sentence.push_str("; ");
            sentence.push_str(advice);
        }
        sentence
    }

    /// 2 when the operator asked for something that cannot be, 1 when the machine could not do it.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_)
            | Self::App(_)
            | Self::Packages(_)
            | Self::PageModel(_)
            | Self::Tls(_)
            | Self::McpFile(_)
            | Self::Backup(BackupError::Exists { .. } | BackupError::Nothing { .. })
            | Self::Restore(RestoreError::Nothing { .. } | RestoreError::NotABackup { .. }) => 2,
            Self::Account(error) => error.exit_code(),
            Self::Mcp(McpCommandError::Database(_)) => 1,
            Self::Mcp(_) => 2,
            Self::DataFolder(_)
            | Self::Backup(BackupError::NotWritable { .. } | BackupError::Database(_))
            | Self::Restore(RestoreError::NotWritable { .. } | RestoreError::Database(_))
            | Self::Database(_)
            | Self::Token(_)
            | Self::Vault(_)
            | Self::Listen(_)
            | Self::System(_)
            | Self::Output(_) => 1,
        }
    }

    fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Config(_) | Self::System(_) | Self::Output(_) | Self::Account(_) => None,
            Self::App(_) => Some("`cargo xtask build` builds it again"),
            Self::Packages(_) => Some("check the folder that --packages names"),
            Self::PageModel(_) => Some("check the file that --model-file or [page_model] in satchel.toml names"),
            Self::McpFile(_) => Some("check the file that --mcp-config or [mcp] in satchel.toml names"),
            Self::Mcp(McpCommandError::Database(error)) => database_advice(error),
            Self::Mcp(_) => None,
            Self::Tls(_) => Some("check --tls-cert and --tls-key"),
            Self::DataFolder(DataFolderError::NotWritable { .. }) => {
                Some("make it writable for this user or choose another with --data")
            }
            Self::DataFolder(DataFolderError::InUse { .. }) => Some("stop that one or choose another with --data"),
            Self::Database(error)
            | Self::Token(TokenError::Database(error))
            | Self::Restore(RestoreError::Database(error))
            | Self::Backup(BackupError::Database(error)) => database_advice(error),
            Self::Backup(BackupError::Exists { .. }) => Some("choose another name, or move that file away"),
            Self::Backup(BackupError::Nothing { .. }) => Some("choose the data folder with --data"),
            Self::Backup(BackupError::NotWritable { .. }) => Some("choose a folder that this user can write"),
            Self::Restore(RestoreError::Nothing { .. } | RestoreError::NotABackup { .. }) => {
                Some("choose a file that `satchel backup` has written")
            }
            Self::Restore(RestoreError::NotWritable { .. }) => Some("check the rights of the data folder"),
            Self::Token(_) => Some("check the rights of the data folder"),
            Self::Vault(error) => vault_advice(error),
            Self::Listen(ListenError::Taken(_)) => Some("stop that program or choose another port with --port"),
            Self::Listen(ListenError::Refused { .. }) => Some("choose another address with --listen or --port"),
        }
    }
}

fn vault_advice(error: &VaultError) -> Option<&'static str> {
    match error {
        VaultError::NoKey { .. } | VaultError::WrongKey { .. } | VaultError::Key(KeyError::NotAKey { .. }) => {
            Some("put the right key back, or give the secrets up with `satchel forget-secrets`")
        }
        VaultError::Key(KeyError::File { .. }) => Some("check the rights of the data folder"),
        VaultError::Key(KeyError::Randomness(_)) => None,
        VaultError::Database(error) => database_advice(error),
    }
}

fn database_advice(error: &DatabaseError) -> Option<&'static str> {
    match error {
        DatabaseError::Newer { .. } => {
            Some("start the newer satchel that wrote it, or choose another data folder with --data")
        }
        DatabaseError::Open { .. } | DatabaseError::Sqlite(_) => {
            Some("check the disk and the data folder, or choose another with --data")
        }
        DatabaseError::Damaged(_) => Some("put a backup back with `satchel restore`"),
        DatabaseError::NotCommitted => Some("check that the disk has room"),
        DatabaseError::Thread(_) | DatabaseError::Closed => None,
    }
}

fn runtime() -> Result<Runtime, Failure> {
    Builder::new_multi_thread()
        .worker_threads(WORKER_THREADS)
        .max_blocking_threads(FILE_THREADS)
        .enable_all()
        .build()
        .map_err(Failure::System)
}

fn back_up(flags: &BackupFlags) -> Result<(), Failure> {
    let folder = DataFolder::open(&data_folder::choose(&flags.data)?)?;
    let secrets = if flags.with_secrets { BackupSecrets::Sealed } else { BackupSecrets::LeftOut };
    let count = database::back_up(&folder.database_path(), &flags.file, secrets)?;
    let what = match secrets {
        BackupSecrets::LeftOut => format!("everything except {}", counted(count, "secret")),
        BackupSecrets::Sealed => {
            format!("everything, with {} sealed; the key that opens secrets is not in it", counted(count, "secret"))
        }
    };
    say(&format!("{} has {what}", flags.file.display())).map_err(Failure::Output)
}

fn restore(flags: &RestoreFlags) -> Result<(), Failure> {
    let folder = DataFolder::open(&data_folder::choose(&flags.data)?)?;
    let _lock = folder.lock()?;
    let old = database::restore(&flags.file, &folder.database_path())?;
    let was = old.map_or_else(String::new, |old| format!("; what was there is now {}", old.display()));
    say(&format!("{} is restored{was}", flags.file.display())).map_err(Failure::Output)
}

async fn forget_secrets(flags: &DataFlags) -> Result<(), Failure> {
    let folder = DataFolder::open(&data_folder::choose(flags)?)?;
    let _lock = folder.lock()?;
    let database = Database::open(&folder.database_path())?;
    let removed = Vault::forget(&folder, &database, environment(KEY_VARIABLE)).await?;
    database.close().await;
    say(&format!("removed {}", counted(removed, "secret"))).map_err(Failure::Output)
}

async fn decide_on_mcp(command: &McpCommand) -> Result<(), Failure> {
    let data = match command {
        McpCommand::List(flags) => &flags.data,
        McpCommand::Approve(flags) | McpCommand::Revoke(flags) => &flags.data,
    };
    let path = data_folder::choose(data)?;
    let folder = DataFolder::open(&path)?;
    let database = Database::open(&folder.database_path())?;
    let said = match command {
        McpCommand::List(flags) => {
            let in_file = FileConfig::read(&path)?.mcp.config.map(|named| path.join(named));
            let named = flags.mcp_config.clone().or(in_file);
            mcp::list(&database, &OperatorServers::read(named.as_deref())?).await
        }
        McpCommand::Approve(flags) => mcp::approve(&database, &flags.fingerprint).await,
        McpCommand::Revoke(flags) => mcp::revoke(&database, &flags.fingerprint).await,
    };
    database.close().await;
    say(said?.trim_end()).map_err(Failure::Output)
}

fn write_lock(flags: &PackagesFlags) -> Result<(), Failure> {
    let folder = PackagesFolder::open(Some(&flags.folder))?;
    let path = folder.write_lock(&flags.folder)?;
    say(&format!("{} lists {}", path.display(), counted(folder.len(), "package"))).map_err(Failure::Output)
}

fn start_serving(flags: ServeFlags) -> Result<(), Failure> {
    log::start(flags.log);
    let config = Config::resolve(flags)?;
    let runtime = runtime()?;
    let outcome = runtime.block_on(serve(config));
    // What was cut off may still hang on a thread; the process does not wait for it.
    runtime.shutdown_background();
    outcome
}

async fn serve(config: Config) -> Result<(), Failure> {
    let folder = DataFolder::open(&config.data)?;
    let _lock = folder.lock()?;
    let files = AppFiles::load(config.app_dir.as_deref())?;
    let packages = PackagesFolder::open(config.packages.as_deref())?;
    let page_model = PageModelFile::open(config.model_file.as_deref())?;
    let operator = OperatorServers::read(config.mcp_config.as_deref())?;
    let tls = config.tls.as_ref().map(server::acceptor).transpose()?;
    let database = Database::open(&folder.database_path())?;
    database.check().await?;
    let token = access_token::current(&folder, &database).await?;
    let vault = Vault::open(&folder, &database, environment(KEY_VARIABLE)).await?;
    let listeners = Listeners::bind(config.listen).await?;
    let mut signals = Signals::listen().map_err(Failure::System)?;

    let address = listeners.address();
    let origin = config.canonical_origin(address);
    warn_if_insecure(&origin);
    let build = files.build().unwrap_or("none").to_owned();
    let names = match config.public_origin {
        None if address.ip().is_loopback() => Names::loopback(origin.clone()),
        Some(_) | None => Names::public(origin.clone()),
    };
    let file = config.file;
    let outbound = Outbound::new(Rules::new(file.outbound.private_hosts), &file.limits);
    let events = Events::default();
    let mcp = Mcp::new(McpParts {
        database: database.clone(),
        vault: vault.clone(),
        outbound: outbound.clone(),
        events: events.clone(),
        operator,
        passed_on: PassedOn::new(&file.mcp.environment, environment),
        origin: origin.to_string(),
        limits: file.limits,
    });
    let mcp = mcp.await?;
    let state = AppState::new(Parts {
        names,
        limits: file.limits,
        files,
        packages,
        page_model,
        database: database.clone(),
        vault,
        outbound,
        providers: OperatorProviders::new(&file.providers, environment),
        disabled_toolsets: file.policy.disabled_toolsets,
        events: events.clone(),
        mcp: mcp.clone(),
    });
    let app = routes::app(state.clone());
    mcp.start().await?;
    let sweeping = tokio::spawn(sync::keep_sweeping(database.clone()));

    tracing::info!(version = env!("CARGO_PKG_VERSION"), %address, %origin, build, data = %config.data.display(), "started");
    if let Err(error) = say(&format!("{origin}/#token={}", token.reveal())) {
        tracing::warn!(%error, "the address could not be printed; `satchel token` prints the access token");
    }
    let asked_to_stop = async || {
        signals.next().await;
        // Streams of events have no end of their own.
        events.close();
        state.hub().close();
    };
    server::run(listeners, tls, &file.limits, app, asked_to_stop).await;
    sweeping.abort();
    mcp.stop().await;
    database.close().await;
    tracing::info!(requests = state.handled(), "stopped");
    Ok(())
}

/// R323
fn warn_if_insecure(origin: &Origin) {
    if !origin.is_secure_context() {
        tracing::warn!(
            %origin,
            "browsers give an app its storage and its offline copy only over HTTPS or on this machine; \
             use --tls-cert and --tls-key, or a proxy that speaks HTTPS and --public-url"
        );
    }
}

/// What a variable of the server's own environment holds.
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
