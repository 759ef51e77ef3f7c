//! One bundle on its way in: what is asked, done and shown, one thing at a time.

use std::collections::BTreeSet;

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use leptos::prelude::{
    Get as _, GetUntracked as _, LocalStorage, RwSignal, Set, SetValue as _, StoredValue, UpdateValue as _,
    WithValue as _, expect_context,
};
use satchel_core::local_api::reading::PreviewRead;

use super::Toolsets;
use crate::browser::spawn::spawn;
use crate::core_worker::Progress;
use crate::state::{Notices, Storage};
use crate::work::packages;
use crate::work::toolsets::import::{self, ImportError, OutsideAddress, Source};

pub(crate) use crate::work::toolsets::import::Step;

/// How far an import has come.
#[derive(Clone)]
pub(crate) enum Import {
    /// There is none.
    None,
    /// The user has to agree to a host.
    Ask(OutsideAddress),
    /// Something takes its time.
    Working {
        /// What is imported.
        name: String,
        /// What is being done.
        step: Step,
        /// How far it is.
        progress: Progress,
    },
    /// It did not come in.
    Refused {
        /// What was imported.
        name: String,
        /// Why not.
        reason: String,
    },
    /// It can be installed.
    Shown {
        /// Where it comes from.
        source: Source,
        /// What it is.
        preview: Box<PreviewRead>,
    },
}

/// The context of the import.
#[derive(Clone, Copy)]
pub(crate) struct Importing {
    state: RwSignal<Import, LocalStorage>,
    /// The hosts that the user agreed to, which are not asked about again as long as the app is open.
    agreed: StoredValue<BTreeSet<String>>,
    /// Dropped to stop what is under way.
    stop: StoredValue<Option<oneshot::Sender<()>>, LocalStorage>,
    toolsets: Toolsets,
    storage: Storage,
    notices: Notices,
}

impl Importing {
    /// Nothing is imported.
    pub(crate) fn new(toolsets: Toolsets, storage: Storage, notices: Notices) -> Self {
        let (state, stop) = (RwSignal::new_local(Import::None), StoredValue::new_local(None));
        Self { state, agreed: StoredValue::new(BTreeSet::new()), stop, toolsets, storage, notices }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// How far it has come.
    pub(crate) fn state(self) -> Import {
        self.state.get()
    }

    /// Imports what an input was given, or says why that is nothing.
    pub(crate) fn take(self, source: Result<Source, ImportError>) {
        match source {
            Ok(source) => self.show(source),
            Err(error) => self.refuse("The import".into(), &error),
        }
    }

    /// Imports from an address, after the user agreed to its host.
    pub(crate) fn ask_for(self, address: &str) {
        match OutsideAddress::parse(address) {
            Ok(address) if self.agreed.with_value(|hosts| hosts.contains(&address.host)) => {
                self.show(Source::Address(address));
            }
            Ok(address) => self.state.set(Import::Ask(address)),
            Err(error) => self.refuse("The import".into(), &error),
        }
    }

    /// The user agreed to the host.
    pub(crate) fn agree(self) {
        if let Import::Ask(address) = self.state.get_untracked() {
            self.agreed.update_value(|hosts| {
                hosts.insert(address.host.clone());
            });
            self.show(Source::Address(address));
        }
    }

    /// The user agreed to what was shown.
    pub(crate) fn install(self, replace: bool) {
        let Import::Shown { source, preview } = self.state.get_untracked() else { return };
        self.begin(source.name(), Step::Installing, async move {
            let package = &preview.contents.package;
            match import::install(&self.storage.store(), &source, package, replace).await {
                Ok(()) => {
                    let text = format!("{} {} is installed.", preview.contents.name, preview.contents.version);
                    self.notices.announce(text);
                    self.state.set(Import::None);
                    if !preview.contents.python_packages.is_empty() {
                        packages::fetch_quietly(preview.contents.id);
                    }
                }
                Err(error) => self.refuse(source.name(), &error),
            }
            self.toolsets.changed();
        });
    }

    /// Ends it, whatever it has come to.
    pub(crate) fn close(self) {
        let state = self.state.get_untracked();
        self.stop.set_value(None);
        self.state.set(Import::None);
        match state {
            Import::None | Import::Ask(_) | Import::Refused { .. } => {}
            Import::Working { step: Step::Reading, .. } => {}
            Import::Working { step: Step::Checking | Step::Installing, .. } => {
                import::stop();
                // What was written when it was stopped is written as a whole, or not at all.
                self.toolsets.changed();
            }
            Import::Shown { .. } => spawn(async move { import::forget(&self.storage.store()).await }),
        }
    }

    fn show(self, source: Source) {
        let name = source.name();
        self.begin(name.clone(), Step::Reading, async move {
            let on_progress = {
                let name = name.clone();
                move |step, progress| self.state.set(Import::Working { name: name.clone(), step, progress })
            };
            match import::show(&self.storage.store(), &source, on_progress).await {
                Ok(preview) => self.state.set(Import::Shown { source, preview: Box::new(preview) }),
                Err(error) => self.refuse(name, &error),
            }
        });
    }

    /// Does something that can be stopped.
    fn begin(self, name: String, step: Step, work: impl Future<Output = ()> + 'static) {
        let (stop, stopped) = oneshot::channel();
        self.stop.set_value(Some(stop));
        self.state.set(Import::Working { name, step, progress: Progress::default() });
        spawn(async move {
            match select(Box::pin(work), stopped).await {
                Either::Left(((), _)) => {}
                // Dropping the work ends its requests and jobs.
                Either::Right((_stopped, work)) => drop(work),
            }
        });
    }

    fn refuse(self, name: String, error: &dyn std::error::Error) {
        self.state.set(Import::Refused { name, reason: error.to_string() });
    }
}
