//! The steps of `cargo xtask test` and what each of them runs.

use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use super::flaky;
use crate::app_build::{self, AppBuildError};
use crate::files::{self, FileError};
use crate::process::{self, ProcessError};
use crate::project::Project;
use crate::server_build::{self, ServerBuildError};
use crate::setup::{self, SetupError, browser, firefox};
use crate::toolchain::{WASM_TARGET, WasmToolchain};

/// Tests of what only this command is sure to have set up.
const SET_UP: &str = "satchel-server/real-mcp-servers";

/// One check.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum StepName {
    Format,
    Clippy,
    ClippyWasm,
    NativeTests,
    WasmTests,
    Build,
    Journeys,
}

/// A step did not pass.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TestError {
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error("the app could not be built")]
    App(#[from] AppBuildError),
    #[error("the server could not be built")]
    Server(#[from] ServerBuildError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("there is no {0}")]
    NoBrowser(&'static str),
}

impl TestError {
    /// The error with its causes, in one line.
    pub(crate) fn chain(&self) -> String {
        crate::full_text(self).replace('\n', ": ")
    }
}

impl StepName {
    /// Every step, in the order they are run: the quick ones first.
    pub(crate) const ALL: [Self; 7] =
        [Self::Format, Self::Clippy, Self::ClippyWasm, Self::NativeTests, Self::WasmTests, Self::Build, Self::Journeys];

    /// As the user types it after `--only`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Clippy => "clippy",
            Self::ClippyWasm => "clippy-wasm",
            Self::NativeTests => "native-tests",
            Self::WasmTests => "wasm-tests",
            Self::Build => "build",
            Self::Journeys => "journeys",
        }
    }

    /// What it checks, for the user.
    pub(crate) fn explains(self) -> &'static str {
        match self {
            Self::Format => "the sources are formatted",
            Self::Clippy => "no lint complains, on this machine's target",
            Self::ClippyWasm => "no lint complains, for the browser",
            Self::NativeTests => "core, server and flows",
            Self::WasmTests => "the app's own tests, in headless Chromium",
            Self::Build => "the app and the server for the journeys",
            Self::Journeys => "the whole product in a real browser",
        }
    }

    /// The step whose result it uses.
    pub(crate) fn builds_on(self) -> Option<Self> {
        match self {
            Self::Journeys => Some(Self::Build),
            Self::Format | Self::Clippy | Self::ClippyWasm | Self::NativeTests | Self::WasmTests | Self::Build => None,
        }
    }
}

/// Runs one step in full view.
pub(crate) fn run(step: StepName, project: &Project, toolchain: WasmToolchain) -> Result<(), TestError> {
    match step {
        StepName::Format => cargo(project, &["fmt", "--all", "--check"]),
        StepName::Clippy => cargo(
            project,
            &[
                "clippy",
                "--workspace",
                "--exclude",
                "satchel-app",
                "--all-targets",
                "--features",
                SET_UP,
                "--",
                "--deny",
                "warnings",
            ],
        ),
        StepName::ClippyWasm => {
            let mut clippy = toolchain.clippy(project);
            clippy.args([
                "--package",
                "satchel-app",
                "--all-targets",
                "--features",
                "chunks,bench",
                "--target",
                WASM_TARGET,
                "--",
                "--deny",
                "warnings",
            ]);
            Ok(process::run(&mut clippy)?)
        }
        StepName::NativeTests => {
            cargo(project, &["test", "--workspace", "--exclude", "satchel-app", "--features", SET_UP])
        }
        StepName::WasmTests => wasm_tests(project, toolchain),
        StepName::Build => {
            let dist = app_build::bring_up_to_date(project, toolchain)?;
            server_build::for_testing(project, &dist)?;
            Ok(())
        }
        StepName::Journeys => journeys(project),
    }
}

fn cargo(project: &Project, arguments: &[&str]) -> Result<(), TestError> {
    Ok(process::run(process::command("cargo").args(arguments).current_dir(project.root()))?)
}

fn wasm_tests(project: &Project, toolchain: WasmToolchain) -> Result<(), TestError> {
    let capabilities = json!({ "goog:chromeOptions": { "args": browser::FLAGS, "binary": chromium()? } });
    let path = project.scratch().join("webdriver.json");
    files::write(&path, capabilities.to_string().as_bytes())?;
    let mut cargo = toolchain.cargo(project);
    // The target's runner is found by name.
    toolchain.apply_to(&mut cargo, project, &setup::tool_folders(project)?);
    cargo.args(["test", "--package", "satchel-app", "--target", WASM_TARGET]);
    cargo.env("CHROMEDRIVER", browser::chromedriver().ok_or(TestError::NoBrowser("chromedriver"))?);
    cargo.env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", path);
    // The runner's own patience, 5 seconds for the driver and 20 for the tests, is too short for two busy cores.
    cargo.env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60").env("WASM_BINDGEN_TEST_TIMEOUT", "180");
    Ok(process::run(&mut cargo)?)
}

fn journeys(project: &Project) -> Result<(), TestError> {
    let report = flaky::report_file(project);
    // What an earlier run found says nothing of this one.
    files::write(&report, b"")?;
    let mut playwright: Command = process::command("node");
    playwright
        .arg(project.node_modules().join("@playwright/test/cli.js"))
        .args(["test", "--config", "tests/playwright.config.ts", "--reporter", "list,json"])
        .env("PLAYWRIGHT_JSON_OUTPUT_FILE", &report)
        .current_dir(project.root())
        .env("SATCHEL_BIN", project.target().join("journeys/satchel"))
        .env("SATCHEL_DIST", project.dist())
        .env("CHROMIUM", browser::headless().ok_or(TestError::NoBrowser("Chromium"))?)
        .env("FIREFOX", firefox::program().ok_or(TestError::NoBrowser("Firefox"))?);
    Ok(process::run(&mut playwright)?)
}

fn chromium() -> Result<PathBuf, TestError> {
    browser::chromium().ok_or(TestError::NoBrowser("Chromium"))
}
