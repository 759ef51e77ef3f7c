//! Building the app: Trunk compiles it, it is cut into chunks and made small, esbuild bundles its code view, the inside of the
//! cage and what runs a model in the page, and [`crate::dist`] makes `dist/` of it all. Nothing is done when nothing has changed.

mod cage;
mod chunks;
mod editor;
mod fingerprint;
mod import_names;
mod measured;
mod minify;
mod optimize;
mod pace;
mod page_model;

use std::fs::{self, File};
use std::path::PathBuf;

use crate::dist::{self, Dist, DistError, Sources};
use crate::files::{self, AtPath, FileError};
use crate::process::{self, ProcessError};
use crate::project::Project;
use crate::report;
use crate::setup::{self, SetupError};
use crate::toolchain::{WASM_TARGET, WasmToolchain};

pub(crate) use measured::measured;
pub(crate) use pace::Pace;

use chunks::{ChunksError, Cut};
use minify::MinifyError;
use optimize::OptimizeError;

/// What the app is compiled with: its pages as chunks.
const FEATURES: &str = "chunks";

/// The app could not be built.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AppBuildError {
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error(transparent)]
    Dist(#[from] DistError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error("the app could not be cut into chunks")]
    Chunks(#[from] ChunksError),
    #[error("the app could not be made small")]
    Optimize(#[from] OptimizeError),
    #[error("the app's scripts and styles could not be made small")]
    Minify(#[from] MinifyError),
}

/// The app in `dist/`, built from the sources as they are now.
pub(crate) fn bring_up_to_date(project: &Project, toolchain: WasmToolchain) -> Result<Dist, AppBuildError> {
    // Two commands in one clone would write the same folders.
    let _lock = lock(project)?;
    let mark = project.scratch().join("dist-sources");
    let pace = Pace::from_environment();
    let sources = fingerprint::of_sources(project.root(), &format!("{} {}", toolchain.identity()?, pace.identity()))?;
    if fs::read_to_string(&mark).is_ok_and(|built| built == sources)
        && let Some(dist) = Dist::open(&project.dist())
    {
        report::step("the app is up to date");
        return Ok(dist);
    }
    report::step(match pace {
        Pace::Small => "building the app",
        Pace::Quick => "building the app quickly, and large: SATCHEL_BUILD=quick",
    });
    compile(project, toolchain, pace)?;
    let trunk_output = run_trunk(project, toolchain, pace)?;
    let cut = Cut {
        linked: &toolchain.output(project).join("page/satchel-app.wasm"),
        trunk: &trunk_output,
        scratch: &project.scratch().join("chunks"),
        tools: &setup::tool_folders(project)?,
    };
    cut.make()?;
    let esbuild = project.node_modules().join(".bin/esbuild");
    if pace == Pace::Small {
        report::step("making the app small");
        let wasm_opt = project.node_modules().join(".bin/wasm-opt");
        optimize::all(&wasm_opt, &[cut.trunk, cut.scratch], &project.scratch().join("wasm-opt"))?;
    }
    minify::scripts(&esbuild, &trunk_output)?;
    minify::styles(&esbuild, &trunk_output)?;
    minify::later_styles(&esbuild, &project.root().join("app/style/later.css"), &trunk_output)?;
    minify::minify(&esbuild, &cut.loader())?;
    cut.name_chunks()?;
    let parts = Sources {
        trunk: trunk_output,
        public: project.root().join("public"),
        core_worker: project.root().join("app/core-worker.js"),
        pyodide: project.node_modules().join("pyodide"),
        editor: editor::bundle(project)?,
        cage: cage::bundle(project)?,
        page_model: page_model::bundle(project)?,
        examples: project.root().join("examples"),
    };
    let dist = dist::assemble(project, &parts, pace)?;
    fs::write(&mark, sources).at("write", &mark)?;
    Ok(dist)
}

/// Compiles page and worker in one go. Trunk would do one after the other, and linking is done by one core; it finds both ready.
fn compile(project: &Project, toolchain: WasmToolchain, pace: Pace) -> Result<(), AppBuildError> {
    let mut cargo = toolchain.cargo(project);
    toolchain.apply_to(&mut cargo, project, &setup::tool_folders(project)?);
    pace.apply_to(&mut cargo);
    cargo.args(["build", "--package", "satchel-app", "--bin", "satchel-app", "--bin", "satchel-worker"]);
    cargo.args(["--profile", "page", "--features", FEATURES, "--target", WASM_TARGET]);
    Ok(process::run_watched(&mut cargo)?)
}

/// Runs Trunk as `Trunk.toml` says; the folder it fills.
fn run_trunk(project: &Project, toolchain: WasmToolchain, pace: Pace) -> Result<PathBuf, AppBuildError> {
    let output = project.target().join("trunk");
    // A build that failed leaves its half-made files there.
    files::remove_folder(&output)?;
    let mut trunk = process::command("trunk");
    toolchain.apply_to(&mut trunk, project, &setup::tool_folders(project)?);
    pace.apply_to(&mut trunk);
    // Trunk reads NO_COLOR as true or false only, while others set it to 1.
    trunk.env_remove("NO_COLOR").args(["build", "--skip-version-check", "--features", FEATURES]);
    process::run_watched(&mut trunk)?;
    Ok(output)
}

fn lock(project: &Project) -> Result<File, FileError> {
    let folder = project.scratch();
    fs::create_dir_all(&folder).at("create", &folder)?;
    let path = folder.join("lock");
    let file = File::create(&path).at("create", &path)?;
    file.lock().at("lock", &path)?;
    Ok(file)
}
