//! `dist/`: the static app, made from what Trunk built, `public/`, the editor, the inside of the cage, what runs a model in the page, Pyodide and the
//! example toolsets.
//!
//! Server, service worker and a plain static host all answer with the same bytes and headers, because all three read one
//! [`BuildDescription`]: it is written beside the files, into the service worker, and (the policy) into the page.

mod compress;
mod content_type;
mod description;
mod examples;
mod page;
mod policy;
mod pyodide;
mod service_worker;
mod stored_zip;

use std::fs;
use std::path::{Path, PathBuf};

use crate::app_build::Pace;
use crate::digest;
use crate::files::{self, AtPath, FileError};
use crate::project::Project;

use description::{BuildDescription, FileEntry, Part};

/// What Trunk makes of the core worker.
const CORE_WORKER_FILES: [&str; 2] = ["satchel-worker.js", "satchel-worker_bg.wasm"];
/// The script that starts it.
const CORE_WORKER_START: &str = "core-worker.js";
/// What the folder of what runs a model in the page is called, before its hash.
const PAGE_MODEL: &str = "page-model";
const DESCRIPTION: &str = "satchel-build.json";

/// A finished `dist/`.
#[derive(Debug)]
pub(crate) struct Dist {
    folder: PathBuf,
    description: BuildDescription,
}

/// A `dist/` could not be made or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DistError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Page(#[from] page::PageError),
    #[error(transparent)]
    ServiceWorker(#[from] service_worker::ServiceWorkerError),
    #[error(transparent)]
    Compress(#[from] compress::CompressError),
    #[error(transparent)]
    Pyodide(#[from] pyodide::PyodideError),
    #[error("both Trunk and public/ make {0}")]
    MadeTwice(String),
    #[error("{0} is missing; Trunk or public/ has to make it")]
    NotMade(&'static str),
    #[error("{} is not what the build writes", .path.display())]
    Description { path: PathBuf, source: serde_json::Error },
    #[error("a file name is not text: {0:?}")]
    Name(PathBuf),
}

/// Where the parts come from.
#[derive(Debug)]
pub(crate) struct Sources {
    /// Trunk's output.
    pub(crate) trunk: PathBuf,
    /// What is served as it is.
    pub(crate) public: PathBuf,
    /// The script that starts the core worker.
    pub(crate) core_worker: PathBuf,
    /// The npm package `pyodide`.
    pub(crate) pyodide: PathBuf,
    /// The code view, as esbuild made it.
    pub(crate) editor: PathBuf,
    /// The inside of the cage.
    pub(crate) cage: PathBuf,
    /// What runs a model in the page.
    pub(crate) page_model: PathBuf,
    /// The example toolsets, one a folder.
    pub(crate) examples: PathBuf,
}

/// Makes `project`'s dist folder from `sources`. The folder is replaced only when the new one is complete.
pub(crate) fn assemble(project: &Project, sources: &Sources, pace: Pace) -> Result<Dist, DistError> {
    let next = project.scratch().join("dist-next");
    files::remove_folder(&next)?;
    let core_worker = gather(sources, &next)?;
    let description = describe(&next, &core_worker, |folder, entries| compress::all(project, pace, folder, entries))?;
    let place = project.dist();
    files::remove_folder(&place)?;
    fs::rename(&next, &place).at("put in place", &place)?;
    Ok(Dist { folder: place, description })
}

impl Dist {
    /// Reads a dist folder; `None` when there is none that is whole.
    pub(crate) fn open(folder: &Path) -> Option<Self> {
        let description: BuildDescription = serde_json::from_slice(&fs::read(folder.join(DESCRIPTION)).ok()?).ok()?;
        let whole = description.files.iter().all(|entry| {
            fs::metadata(folder.join(&entry.path[1..])).is_ok_and(|metadata| metadata.len() == entry.bytes)
        });
        whole.then(|| Self { folder: folder.to_path_buf(), description })
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The build's name.
    pub(crate) fn build(&self) -> &str {
        &self.description.build
    }

    /// Bytes of the shell, plain and as brotli.
    pub(crate) fn shell_bytes(&self) -> (u64, u64) {
        let shell =
            self.description.files.iter().filter(|entry| entry.part == Part::Shell && !is_outside_cache(&entry.path));
        shell.fold((0, 0), |(plain, sent), entry| (plain + entry.bytes, sent + entry.sent_bytes()))
    }

    /// Path, bytes and bytes as sent of every file.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        self.description.files.iter().map(|entry| (entry.path.as_str(), entry.bytes, entry.sent_bytes()))
    }
}

/// Copies everything that will be served into one folder, unchanged. Gives the address of the core worker's script.
fn gather(sources: &Sources, folder: &Path) -> Result<String, DistError> {
    let is_of_core_worker = |file: &Path| CORE_WORKER_FILES.iter().any(|name| file == Path::new(name));
    for file in files::below(&sources.trunk)?.into_iter().filter(|file| !is_of_core_worker(file)) {
        files::copy(&sources.trunk.join(&file), &folder.join(&file))?;
    }
    let core_worker = gather_core_worker(sources, folder)?;
    for file in files::below(&sources.public)? {
        let place = folder.join(&file);
        if place.exists() {
            return Err(DistError::MadeTwice(file.display().to_string()));
        }
        files::copy(&sources.public.join(&file), &place)?;
    }
    pyodide::gather(&sources.pyodide, &folder.join("vendor"))?;
    examples::gather(&sources.examples, &folder.join("vendor"))?;
    let bundled = [("editor", &sources.editor), ("cage", &sources.cage), (PAGE_MODEL, &sources.page_model)];
    for (name, source) in bundled {
        let place = folder.join(format!("vendor/{name}-{}", contents_hash(source)?));
        for file in files::below(source)? {
            files::copy(&source.join(&file), &place.join(&file))?;
        }
    }
    for needed in ["index.html", "service-worker.js"] {
        if !folder.join(needed).is_file() {
            return Err(DistError::NotMade(needed));
        }
    }
    Ok(core_worker)
}

/// Puts the core worker into a folder of its own, named by what is in it, so that it can be kept for ever; gives the address
/// of the script that starts it.
fn gather_core_worker(sources: &Sources, folder: &Path) -> Result<String, DistError> {
    let start = (CORE_WORKER_START, sources.core_worker.clone());
    let made = CORE_WORKER_FILES.map(|name| (name, sources.trunk.join(name)));
    let mut parts = Vec::new();
    for (name, path) in made.into_iter().chain([start]) {
        if !path.is_file() {
            return Err(DistError::NotMade(name));
        }
        parts.push((name, fs::read(&path).at("read", &path)?));
    }
    let hashes: String = parts.iter().map(|(name, contents)| format!("{name} {}\n", digest::hex(contents))).collect();
    let place = format!("vendor/core-worker-{}", &digest::hex(hashes.as_bytes())[..16]);
    for (name, contents) in &parts {
        files::write(&folder.join(&place).join(name), contents)?;
    }
    Ok(format!("/{place}/{CORE_WORKER_START}"))
}

/// Fills build name and policy into the page and the service worker, compresses, and writes the description.
///
/// The build's name covers page and worker as they are before it is filled in: it cannot cover itself.
fn describe(
    folder: &Path,
    core_worker: &str,
    compress: impl Fn(&Path, &mut [FileEntry]) -> Result<(), compress::CompressError>,
) -> Result<BuildDescription, DistError> {
    let page_path = folder.join("index.html");
    let page = page::Page::new(&fs::read_to_string(&page_path).at("read", &page_path)?)?;
    let headers = policy::headers(&page.inline_script_sources());
    let page = page.with_policy(&headers.app["content-security-policy"]).with_core_worker(core_worker);
    files::write(&page_path, page.html().as_bytes())?;

    let mut entries = list(folder)?;
    let build = description::build_name(&entries, &headers);
    let html = page.with_build(&build);
    for name in ["index.html", "404.html"] {
        files::write(&folder.join(name), html.as_bytes())?;
    }
    entries = list(folder)?;
    compress(folder, &mut entries)?;
    let mut description = BuildDescription { build, files: entries, headers };

    let worker_path = folder.join("service-worker.js");
    let worker = fs::read_to_string(&worker_path).at("read", &worker_path)?;
    files::write(&worker_path, service_worker::fill_in(&worker, &description.cached_part())?.as_bytes())?;
    let worker = entry(folder, Path::new("service-worker.js"))?;
    let place = description.files.iter_mut().find(|known| known.path == worker.path);
    let place = place.ok_or(DistError::NotMade("service-worker.js"))?;
    *place = worker;
    compress(folder, std::slice::from_mut(place))?;

    let path = folder.join(DESCRIPTION);
    let json = serde_json::to_vec_pretty(&description)
        .map_err(|source| DistError::Description { path: path.clone(), source })?;
    files::write(&path, &json)?;
    Ok(description)
}

/// The service worker cannot hold itself, and the copy of the page for static hosts is never asked for by name.
fn is_outside_cache(path: &str) -> bool {
    matches!(path, "/service-worker.js" | "/404.html")
}

fn list(folder: &Path) -> Result<Vec<FileEntry>, DistError> {
    files::below(folder)?.iter().map(|file| entry(folder, file)).collect()
}

fn entry(folder: &Path, file: &Path) -> Result<FileEntry, DistError> {
    let path = folder.join(file);
    let contents = fs::read(&path).at("read", &path)?;
    let name = file.to_str().ok_or_else(|| DistError::Name(file.to_path_buf()))?;
    Ok(FileEntry {
        sha256: digest::hex(&contents),
        bytes: contents.len() as u64,
        br_bytes: None,
        content_type: content_type::of(name).to_owned(),
        immutable: description::is_immutable(name),
        part: part_of(name),
        path: format!("/{name}"),
    })
}

/// When a file is fetched, by where it is.
fn part_of(name: &str) -> Part {
    match name.strip_prefix("vendor/") {
        Some(inside) if inside.starts_with(&format!("{PAGE_MODEL}-")) => Part::OnDemand,
        Some(_) => Part::Lazy,
        None => Part::Shell,
    }
}

/// 16 hexadecimal digits over the names and contents of a folder.
fn contents_hash(folder: &Path) -> Result<String, FileError> {
    let mut lines = String::new();
    for file in files::below(folder)? {
        let path = folder.join(&file);
        let contents = fs::read(&path).at("read", &path)?;
        lines.push_str(&format!("{} {}\n", file.display(), digest::hex(&contents)));
    }
    Ok(digest::hex(lines.as_bytes())[..16].to_owned())
}

#[cfg(test)]
mod tests;
