//! Cutting the page's WebAssembly into chunks: a main part that the chat opens with, and parts that are fetched when a page
//! that needs them is first opened. `app/src/main.rs` says which pages those are.
//!
//! The cut goes through what the linker wrote, where it is still known what refers to what, and so comes before wasm-bindgen.
//! Trunk runs the linker and wasm-bindgen in one go. Therefore Trunk builds everything in one piece first, which settles
//! the page and the names in it, and then main part and script are made a second time, from the cut, under the same names.

use std::fs;
use std::path::{Path, PathBuf};

use super::import_names::{self, ImportsError};
use crate::digest;
use crate::files::{self, AtPath, FileError};
use crate::process::{self, ProcessError};

/// The page's program, as cargo names it.
const APP: &str = "satchel-app";
/// The script that loads the chunks, as wasm-split-cli names it.
const LOADER: &str = "__wasm_split.js";
/// What the main part calls its script.
const SCRIPT: &str = "w";

/// The app could not be cut.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChunksError {
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Imports(#[from] ImportsError),
    #[error("Trunk made no {APP}-…_bg.wasm")]
    NoApp,
    #[error("{script} does not name {name}")]
    NotNamed { script: String, name: String },
}

/// What is cut, with what, and where it goes.
#[derive(Debug)]
pub(crate) struct Cut<'path> {
    /// The app as the linker wrote it.
    pub(crate) linked: &'path Path,
    /// Trunk's output.
    pub(crate) trunk: &'path Path,
    /// A folder for what lies between.
    pub(crate) scratch: &'path Path,
    /// Where wasm-split-cli and wasm-bindgen are.
    pub(crate) tools: &'path [PathBuf],
}

impl Cut<'_> {
    /// Cuts the app. Its main part takes the place of the whole in Trunk's output; the chunks are left in the scratch folder
    /// until they are as they will be served, and [`Cut::name_chunks`] can name them by what they hold.
    pub(crate) fn make(&self) -> Result<(), ChunksError> {
        files::remove_folder(self.scratch)?;
        let app = self.app_name()?;
        self.run("wasm-split-cli", |command| {
            command.arg(self.linked).arg(self.scratch).args(["--out-name", &app]);
        })?;
        let main = self.scratch.join(format!("{app}.wasm"));
        self.run("wasm-bindgen", |command| {
            // The chunks reach the main part through the linker's own exports, which wasm-bindgen drops unless it is told not to.
            command.args(["--target", "web", "--no-typescript", "--keep-lld-exports", "--out-name", &app]);
            command.arg("--out-dir").arg(self.trunk).arg(&main);
        })?;
        let [script_path, wasm_path] = ["js", "wasm"].map(|ending| self.trunk.join(file_of(&app, ending)));
        let script = imported_once(&fs::read_to_string(&script_path).at("read", &script_path)?);
        let wasm = fs::read(&wasm_path).at("read", &wasm_path)?;
        let (wasm, script) = import_names::shorten(&wasm, &script, &format!("./{app}_bg.js"), SCRIPT)?;
        files::write(&script_path, script.as_bytes())?;
        files::write(&wasm_path, &wasm)?;
        Ok(fs::remove_file(&main).at("remove", &main)?)
    }

    /// The script that loads the chunks, until it has its name.
    pub(crate) fn loader(&self) -> PathBuf {
        self.scratch.join(LOADER)
    }

    /// Gives chunks and loader names that change with their contents, and puts them beside the main part.
    pub(crate) fn name_chunks(&self) -> Result<(), ChunksError> {
        let loader_path = self.loader();
        let mut loader = fs::read_to_string(&loader_path).at("read", &loader_path)?;
        fs::remove_file(&loader_path).at("remove", &loader_path)?;
        for chunk in files::below(self.scratch)? {
            let path = self.scratch.join(&chunk);
            let name = chunk.display().to_string();
            let hashed = hashed_name(&name, &fs::read(&path).at("read", &path)?);
            // A chunk without any code of its own is not asked for.
            if loader.contains(&quoted(&name)) {
                loader = renamed(&loader, LOADER, &name, &hashed)?;
                files::copy(&path, &self.trunk.join(&hashed))?;
            }
        }
        self.name_app(&loader)
    }

    /// Gives the main part and the loader names that change with their contents. Trunk named the main part by what the linker
    /// wrote, before it was cut and made small; a browser that keeps a file for ever must not be given another one under that name.
    fn name_app(&self, loader: &str) -> Result<(), ChunksError> {
        let old = self.app_name()?;
        let [script_path, wasm_path] = ["js", "wasm"].map(|ending| self.trunk.join(file_of(&old, ending)));
        let script = fs::read_to_string(&script_path).at("read", &script_path)?;
        let wasm = fs::read(&wasm_path).at("read", &wasm_path)?;
        // Script and loader name each other, so neither name can come from the finished text of the other.
        let parts = [&wasm, script.as_bytes(), loader.as_bytes()].map(digest::hex).concat();
        let app = format!("{APP}-{}", &digest::hex(parts.as_bytes())[..16]);
        let with_app_name = |text: &str| {
            let text = text.replace(&file_of(&old, "js"), &file_of(&app, "js"));
            text.replace(&file_of(&old, "wasm"), &file_of(&app, "wasm"))
        };
        let loader = with_app_name(loader);
        let hashed = hashed_name(LOADER, loader.as_bytes());
        files::write(&self.trunk.join(&hashed), loader.as_bytes())?;
        // The names in the app's imports stay as they are: the script gives them to the WebAssembly under the same key.
        let script = renamed_imports(&with_app_name(&script), &file_of(&old, "js"), LOADER, &hashed)?;
        files::write(&self.trunk.join(file_of(&app, "js")), script.as_bytes())?;
        files::write(&self.trunk.join(file_of(&app, "wasm")), &wasm)?;
        for path in [&script_path, &wasm_path] {
            fs::remove_file(path).at("remove", path)?;
        }
        let page_path = self.trunk.join("index.html");
        let page = fs::read_to_string(&page_path).at("read", &page_path)?;
        Ok(files::write(&page_path, with_app_name(&page).as_bytes())?)
    }

    /// The app's name with its hash, which Trunk takes from what the linker wrote.
    fn app_name(&self) -> Result<String, ChunksError> {
        let names = files::below(self.trunk)?;
        let mut programs = names.iter().filter_map(|name| name.to_str()?.strip_suffix("_bg.wasm"));
        programs.find(|name| name.starts_with(&format!("{APP}-"))).map(str::to_owned).ok_or(ChunksError::NoApp)
    }

    fn run(&self, program: &str, arguments: impl Fn(&mut std::process::Command)) -> Result<(), ProcessError> {
        // Only the child's own PATH is changed, and a program is looked for in the parent's.
        let found = self.tools.iter().map(|folder| folder.join(program)).find(|path| path.is_file());
        let mut command = process::command(found.unwrap_or_else(|| PathBuf::from(program)));
        arguments(&mut command);
        process::run(&mut command)
    }
}

/// `split_settings.wasm` as `chunk-settings-0123456789abcdef.wasm`, the loader as `chunks-….js`.
fn hashed_name(name: &str, contents: &[u8]) -> String {
    let hash = &digest::hex(contents)[..16];
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    let stem = match stem.split_once('_') {
        Some(("split" | "chunk", page)) => format!("chunk-{}", page.replace('_', "-")),
        _ => "chunks".to_owned(),
    };
    format!("{stem}-{hash}.{ending}")
}

/// The script of the app with this name, or its WebAssembly.
fn file_of(app: &str, ending: &str) -> String {
    if ending == "wasm" { format!("{app}_bg.wasm") } else { format!("{app}.{ending}") }
}

fn quoted(name: &str) -> String {
    format!("\"./{name}\"")
}

fn renamed(text: &str, script: &str, from: &str, to: &str) -> Result<String, ChunksError> {
    if !text.contains(&quoted(from)) {
        return Err(ChunksError::NotNamed { script: script.to_owned(), name: from.to_owned() });
    }
    Ok(text.replace(&quoted(from), &quoted(to)))
}

/// wasm-bindgen imports the loader once for each function that it takes from there, and gives it to the WebAssembly as often under
/// one key. Once is enough.
fn imported_once(script: &str) -> String {
    let (import, key) = (format!("from {}", quoted(LOADER)), format!("{}: ", quoted(LOADER)));
    let (mut is_imported, mut is_given) = (false, false);
    let is_kept = |line: &&str| {
        let line = line.trim().trim_end_matches(';');
        if line.starts_with("import * as ") && line.ends_with(&import) {
            return !std::mem::replace(&mut is_imported, true);
        }
        !line.starts_with(&key) || !std::mem::replace(&mut is_given, true)
    };
    script.split_inclusive('\n').filter(is_kept).collect()
}

/// Only the `import … from` lines, as wasm-bindgen writes them and as they are after minifying.
fn renamed_imports(text: &str, script: &str, from: &str, to: &str) -> Result<String, ChunksError> {
    let renamed = ["from ", "from"].iter().fold(text.to_owned(), |text, word| {
        text.replace(&format!("{word}{}", quoted(from)), &format!("{word}{}", quoted(to)))
    });
    if renamed == text {
        return Err(ChunksError::NotNamed { script: script.to_owned(), name: from.to_owned() });
    }
    Ok(renamed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_carry_page_and_contents() {
        let check = |name: &str, expected: &str| assert_eq!(hashed_name(name, b"contents"), expected);
        check("split_settings.wasm", "chunk-settings-d1b2a59fbea7e200.wasm");
        check("chunk_5.wasm", "chunk-5-d1b2a59fbea7e200.wasm");
        check(LOADER, "chunks-d1b2a59fbea7e200.js");
    }

    #[test]
    fn the_loader_is_imported_once() {
        let script = "import * as import1 from \"./__wasm_split.js\"\nimport * as import2 from \"./__wasm_split.js\"\n\
                      import * as other from \"./other.js\"\nreturn {\n    \"./__wasm_split.js\": import1,\n    \
                      \"./__wasm_split.js\": import2,\n    \"./other.js\": other,\n};\n";
        let once = "import * as import1 from \"./__wasm_split.js\"\nimport * as other from \"./other.js\"\nreturn {\n    \
                    \"./__wasm_split.js\": import1,\n    \"./other.js\": other,\n};\n";
        assert_eq!(imported_once(script), once);
    }

    #[test]
    fn a_script_names_the_new_file_and_one_that_names_none_is_refused() {
        let loader = "fetch(new URL(\"./split_a.wasm\", import.meta.url))";
        assert_eq!(
            renamed(loader, LOADER, "split_a.wasm", "chunk-a-1.wasm").expect("it names the chunk"),
            "fetch(new URL(\"./chunk-a-1.wasm\", import.meta.url))"
        );
        renamed(loader, LOADER, "split_b.wasm", "chunk-b-1.wasm").expect_err("it names another");
        let script = "import * as a from \"./__wasm_split.js\"\nconst imports = { \"./__wasm_split.js\": a };";
        assert_eq!(
            renamed_imports(script, "app.js", LOADER, "chunks-1.js").expect("it imports the loader"),
            "import * as a from \"./chunks-1.js\"\nconst imports = { \"./__wasm_split.js\": a };"
        );
        let minified = "import*as a from\"./__wasm_split.js\";";
        assert_eq!(
            renamed_imports(minified, "app.js", LOADER, "chunks-1.js").expect("it imports the loader"),
            "import*as a from\"./chunks-1.js\";"
        );
    }

    #[test]
    fn the_app_is_found_by_its_name_before_the_hash() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let cut = Cut { linked: home.path(), trunk: home.path(), scratch: home.path(), tools: &[] };
        for name in ["satchel-worker_bg.wasm", "satchel-app-0123456789abcdef.js"] {
            files::write(&home.path().join(name), b"").expect("the folder is writable");
        }
        assert!(matches!(cut.app_name(), Err(ChunksError::NoApp)));
        files::write(&home.path().join("satchel-app-0123456789abcdef_bg.wasm"), b"").expect("the folder is writable");
        assert_eq!(cut.app_name().expect("it is there"), "satchel-app-0123456789abcdef");
    }

    #[test]
    fn page_script_and_loader_name_each_other_and_the_name_follows_the_contents() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let cut = Cut { linked: home.path(), trunk: home.path(), scratch: home.path(), tools: &[] };
        let name = |wasm: &[u8]| {
            let old = "satchel-app-0123456789abcdef";
            let put = |name: String, contents: &[u8]| {
                files::write(&home.path().join(name), contents).expect("the folder is writable");
            };
            put(
                format!("{old}.js"),
                format!("import {{ a }} from \"./__wasm_split.js\"; \"./{old}_bg.js\"; \"{old}_bg.wasm\"").as_bytes(),
            );
            put(format!("{old}_bg.wasm"), wasm);
            put("index.html".to_owned(), format!("<script src=\"/{old}.js\">").as_bytes());
            cut.name_app(&format!("import \"./{old}.js\"")).expect("all parts are there");
            let read = |name: &str| fs::read_to_string(home.path().join(name)).expect("it was written");
            let app = cut.app_name().expect("it was named");
            assert_eq!(read("index.html"), format!("<script src=\"/{app}.js\">"));
            let loader = hashed_name(LOADER, format!("import \"./{app}.js\"").as_bytes());
            assert_eq!(read(&loader), format!("import \"./{app}.js\""));
            // What the WebAssembly imports from keeps the name it was linked with.
            assert_eq!(
                read(&format!("{app}.js")),
                format!("import {{ a }} from \"./{loader}\"; \"./{old}_bg.js\"; \"{app}_bg.wasm\"")
            );
            fs::remove_file(home.path().join(format!("{app}_bg.wasm"))).expect("it was written");
            app
        };
        let first = name(b"one");
        assert_eq!(name(b"one"), first);
        assert_ne!(name(b"another"), first);
    }
}
