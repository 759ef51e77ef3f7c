//! Chromium and its driver: those the user names, else those that are installed, else Debian's.

use std::env;
use std::path::{Path, PathBuf};

use crate::process;
use crate::project::Project;
use crate::setup::{FetchError, Finding, Requirement, system_packages};

const PACKAGES: [&str; 3] = ["chromium", "chromium-driver", "chromium-headless-shell"];
const BROWSER_NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC_BROWSERS: [&str; 2] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// How Chromium is started without a screen, without a sandbox (containers) and without calling home.
pub(crate) const FLAGS: [&str; 8] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// Chromium together with chromedriver.
pub(crate) struct Browser;

/// The browser's program, if there is one.
pub(crate) fn chromium() -> Option<PathBuf> {
    named_by("CHROMIUM")
        .or_else(|| BROWSER_NAMES.into_iter().find_map(process::find))
        .or_else(|| MAC_BROWSERS.iter().map(PathBuf::from).find(|path| path.is_file()))
}

/// The same engine without what draws windows, which starts in half the time; the browser itself where there is none.
pub(crate) fn headless() -> Option<PathBuf> {
    named_by("CHROMIUM").or_else(|| process::find("chromium-headless-shell")).or_else(chromium)
}

/// The driver's program, if there is one.
pub(crate) fn chromedriver() -> Option<PathBuf> {
    named_by("CHROMEDRIVER").or_else(|| process::find("chromedriver"))
}

impl Requirement for Browser {
    fn name(&self) -> String {
        "Chromium and chromedriver".to_owned()
    }

    fn purpose(&self) -> &'static str {
        "run tests in a real browser"
    }

    fn look(&self, _project: &Project) -> Finding {
        match (chromium(), chromedriver()) {
            (Some(browser), Some(driver)) => Finding::Present(format!("{}, {}", browser.display(), driver.display())),
            (None, _) => Finding::Missing("no Chromium, and CHROMIUM names none".to_owned()),
            (_, None) => Finding::Missing("no chromedriver, and CHROMEDRIVER names none".to_owned()),
        }
    }

    fn fetch(&self, project: &Project) -> Result<(), FetchError> {
        if cfg!(target_os = "macos") {
            return Err(FetchError::ByHand {
                reason: "the browser has to be installed by hand here".to_owned(),
                command: "brew install --cask chromium chromedriver".to_owned(),
            });
        }
        system_packages::install(project, &PACKAGES.map(str::to_owned))
    }
}

/// The program that an environment variable names, if it is there.
pub(super) fn named_by(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path: &PathBuf| Path::is_file(path))
}
