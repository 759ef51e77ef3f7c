//! Firefox, for the journey that shows the app in another engine: the one the user names, else the installed one, else Debian's.

use std::path::PathBuf;

use crate::process;
use crate::project::Project;
use crate::setup::browser::named_by;
use crate::setup::{FetchError, Finding, Requirement, system_packages};

const PACKAGE: &str = "firefox-esr";
const NAMES: [&str; 2] = ["firefox-esr", "firefox"];
const MAC: &str = "/Applications/Firefox.app/Contents/MacOS/firefox";

/// Firefox.
pub(crate) struct Firefox;

/// The browser's program, if there is one.
pub(crate) fn program() -> Option<PathBuf> {
    named_by("FIREFOX")
        .or_else(|| NAMES.into_iter().find_map(process::find))
        .or_else(|| Some(PathBuf::from(MAC)).filter(|path| path.is_file()))
}

impl Requirement for Firefox {
    fn name(&self) -> String {
        "Firefox".to_owned()
    }

    fn purpose(&self) -> &'static str {
        "see that the app works in another browser than Chromium"
    }

    fn look(&self, _project: &Project) -> Finding {
        match program() {
            Some(program) => Finding::Present(program.display().to_string()),
            None => Finding::Missing("no Firefox, and FIREFOX names none".to_owned()),
        }
    }

    fn fetch(&self, project: &Project) -> Result<(), FetchError> {
        if cfg!(target_os = "macos") {
            return Err(FetchError::ByHand {
                reason: "the browser has to be installed by hand here".to_owned(),
                command: "brew install --cask firefox".to_owned(),
            });
        }
        system_packages::install(project, &[PACKAGE.to_owned()])
    }
}
