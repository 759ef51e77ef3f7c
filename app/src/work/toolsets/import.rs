//! A bundle on its way in: read where it is, opened and checked in the core worker, shown, and installed as it was shown.

use satchel_core::local_api::reading::PreviewRead;
use satchel_core::record::SourceType;
use satchel_core::settings::LimitName;
use satchel_core::store::StoreError;

use crate::browser::build::{BuildError, BuildFile};
use crate::browser::core_worker;
use crate::browser::files::{Brought, BrowserFile, FileError};
use crate::browser::outside::{self, OutsideError};
use crate::browser::raw_bytes::RawBytes;
use crate::browser::tab_news::{self, Topic};
use crate::core_worker::{Job, Progress};
use crate::work::local_api::{self, LocalApiError};
use crate::work::settings;
use crate::work::store::AppStore;

pub(crate) use crate::browser::files::{drags_files, dropped, picked};
pub(crate) use crate::browser::outside::OutsideAddress;

/// Where a bundle comes from.
#[derive(Clone)]
pub(crate) enum Source {
    /// A ZIP or a manifest on this device.
    File(BrowserFile),
    /// The files of a folder on this device.
    Folder(Vec<BrowserFile>),
    /// A ZIP or a manifest on the web.
    Address(OutsideAddress),
    /// A bundle that came with the app.
    Shipped(BuildFile),
}

/// What is being done to a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Its bytes are read.
    Reading,
    /// It is opened and checked.
    Checking,
    /// It is written.
    Installing,
}

/// Why a bundle did not come in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ImportError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Outside(#[from] OutsideError),
    #[error(transparent)]
    Shipped(#[from] BuildError),
    #[error(transparent)]
    Refused(#[from] LocalApiError),
    #[error("that is not a toolset: choose one ZIP, one toolset.yaml, or one folder")]
    NotOne,
    #[error(
        "{name:?} has {size} bytes, and a toolset may have at most {limit}; raise \"size of a bundle\" in Settings"
    )]
    TooLarge { name: String, size: u64, limit: u64 },
    #[error(
        "{name:?} has {count} files, and a toolset may have at most {limit}; raise \"files of a bundle\" in Settings"
    )]
    TooManyFiles { name: String, count: usize, limit: usize },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Source {
    /// What was chosen in the input for files, which takes one, or in that for folders.
    pub(crate) fn of_picked(files: Vec<BrowserFile>) -> Result<Self, ImportError> {
        match <[BrowserFile; 1]>::try_from(files) {
            Ok([file]) if !file.path.contains('/') => Ok(Self::File(file)),
            Ok(file) => Ok(Self::Folder(file.into())),
            Err(files) if files.first().is_some_and(|file| file.path.contains('/')) => Ok(Self::Folder(files)),
            Err(_) => Err(ImportError::NotOne),
        }
    }

    /// What was dropped. No limit can be set to more files than are looked at here.
    pub(crate) async fn of_dropped(brought: Brought) -> Result<Self, ImportError> {
        let most = usize::try_from(LimitName::BundleEntries.bounds().1).unwrap_or(usize::MAX);
        Self::of_picked(brought.files(most).await?)
    }

    /// What it is called: the file, the folder or the address.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(file) => file.path.clone(),
            Self::Folder(files) => {
                let path = files.first().map(|file| file.path.as_str()).unwrap_or_default();
                path.split('/').next().unwrap_or_default().to_owned()
            }
            Self::Address(address) => address.href.clone(),
            Self::Shipped(file) => file.name().to_owned(),
        }
    }

    fn source_type(&self) -> SourceType {
        match self {
            Self::File(_) | Self::Shipped(_) => SourceType::Zip,
            Self::Folder(_) => SourceType::Local,
            Self::Address(_) => SourceType::Url,
        }
    }
}

/// Reads a bundle and shows what installing it would do. `on_progress` hears how far that has come.
pub(crate) async fn show(
    store: &AppStore,
    source: &Source,
    on_progress: impl Fn(Step, Progress) + 'static,
) -> Result<PreviewRead, ImportError> {
    let limits = settings::limits(store).await?.bundle();
    let limit = limits.inflated_bytes;
    let reading = |done, total| on_progress(Step::Reading, Progress { done, total });
    let (paths, pieces) = match source {
        Source::File(file) => {
            check_size(&file.path, file.size, limit)?;
            (None, vec![file.raw_bytes().await?])
        }
        Source::Folder(files) => {
            if files.len() > limits.entries {
                let (name, count) = (source.name(), files.len());
                return Err(ImportError::TooManyFiles { name, count, limit: limits.entries });
            }
            check_size(&source.name(), files.iter().map(|file| file.size).sum(), limit)?;
            (Some(files.iter().map(|file| file.path.clone()).collect()), read_all(files, &reading).await?)
        }
        Source::Address(address) => (None, vec![outside::fetch(address, limit, reading).await?]),
        Source::Shipped(file) => (None, vec![file.raw_bytes().await?]),
    };
    on_progress(Step::Checking, Progress::default());
    let checking = Box::new(move |progress| on_progress(Step::Checking, progress));
    Ok(local_api::run(store, Job::ShowBundle { paths }, pieces, Some(checking)).await?.json()?)
}

/// Installs what was shown.
pub(crate) async fn install(
    store: &AppStore,
    source: &Source,
    package: &str,
    replace: bool,
) -> Result<(), LocalApiError> {
    let source_type = source.source_type();
    let job = Job::InstallBundle { package: package.into(), source_type, source_ref: source.name(), replace };
    local_api::run(store, job, Vec::new(), None).await?;
    tab_news::tell(Topic::Toolsets);
    Ok(())
}

/// Lets go of what was shown.
pub(crate) async fn forget(store: &AppStore) {
    // A worker that cannot be reached holds nothing either.
    local_api::run(store, Job::ForgetBundle, Vec::new(), None).await.ok();
}

/// Stops what the worker does.
pub(crate) fn stop() {
    core_worker::stop_all();
}

fn check_size(name: &str, size: u64, limit: u64) -> Result<(), ImportError> {
    if size > limit { Err(ImportError::TooLarge { name: name.into(), size, limit }) } else { Ok(()) }
}

async fn read_all(files: &[BrowserFile], on_progress: &impl Fn(u64, u64)) -> Result<Vec<RawBytes>, FileError> {
    let total = files.iter().map(|file| file.size).sum();
    let (mut pieces, mut done) = (Vec::with_capacity(files.len()), 0);
    for file in files {
        pieces.push(file.raw_bytes().await?);
        done += file.size;
        on_progress(done, total);
    }
    Ok(pieces)
}
