//! Writes the table of the app's files when the feature `embedded-app` is on.
//!
//! Where a file has a compressed copy, that one goes in and the plain one stays out: whoever does not take brotli gets it
//! decompressed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const DESCRIPTION: &str = "satchel-build.json";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_EMBEDDED_APP").is_none() {
        return Ok(());
    }
    println!("cargo::rerun-if-env-changed=SATCHEL_DIST");
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let dist = env::var_os("SATCHEL_DIST").map_or_else(|| manifest.join("../dist"), PathBuf::from);
    println!("cargo::rerun-if-changed={}", dist.display());
    let dist = dist
        .canonicalize()
        .map_err(|error| format!("no built app at {}: {error}; `cargo xtask build` makes one", dist.display()))?;

    let mut files = Vec::new();
    collect(&dist, &dist, &mut files)?;
    files.sort();
    let out = PathBuf::from(env::var("OUT_DIR")?).join("embedded_files.rs");
    fs::write(out, table(&dist, &files)?)?;
    Ok(())
}

/// Paths relative to the app's folder, with slashes.
fn collect(dist: &Path, folder: &Path, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(dist, &path, files)?;
        } else if let Some(name) = path.strip_prefix(dist).ok().and_then(Path::to_str) {
            files.push(name.replace('\\', "/"));
        }
    }
    Ok(())
}

fn table(dist: &Path, files: &[String]) -> Result<String, std::fmt::Error> {
    let mut source = String::new();
    let bytes = |name: &str| format!("include_bytes!({:?})", dist.join(name).display().to_string());
    writeln!(source, "pub(super) static DESCRIPTION: &[u8] = {};", bytes(DESCRIPTION))?;
    writeln!(source, "pub(super) static FILES: &[EmbeddedFile] = &[")?;
    for name in files.iter().filter(|name| *name != DESCRIPTION && !name.ends_with(".br")) {
        let compressed = format!("{name}.br");
        let brotli = files.binary_search(&compressed).is_ok();
        let kept = if brotli { &compressed } else { name };
        writeln!(
            source,
            "    EmbeddedFile {{ path: {:?}, brotli: {brotli}, bytes: {} }},",
            format!("/{name}"),
            bytes(kept)
        )?;
    }
    writeln!(source, "];")?;
    Ok(source)
}
