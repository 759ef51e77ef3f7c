//! The package of `tests/model.txt`: a small language model, for the first chat of whoever has no key, and for tests.
//!
//! It is unpacked in the cache under the hash of that list, and the clone gets a link to it. It is pinned by its hash.

use std::path::PathBuf;
use std::time::Duration;

use crate::files;
use crate::process;
use crate::project::Project;
use crate::setup::linked_folder::LinkedFolder;
use crate::setup::{FetchError, Finding, Requirement, pip};

const PATIENCE: Duration = Duration::from_secs(20 * 60);

const LIST: &str = "tests/model.txt";
const LINK: &str = "tests/model";

const FOLDER: LinkedFolder = LinkedFolder { kind: "model", list: LIST, part: "", link: LINK };

/// The model.
pub(crate) struct SmallModel;

impl SmallModel {
    /// Its file, where it is there.
    pub(crate) fn file(project: &Project) -> Option<PathBuf> {
        let folder = project.root().join(LINK);
        let files = files::below(&folder).ok()?;
        files
            .into_iter()
            .find(|file| file.extension().is_some_and(|ending| ending == "gguf"))
            .map(|file| folder.join(file))
    }
}

impl Requirement for SmallModel {
    fn name(&self) -> String {
        "SmolLM2 from PyPI (98 MB)".to_owned()
    }

    fn purpose(&self) -> &'static str {
        "chat with no key and no network, and to test with a real model"
    }

    fn look(&self, project: &Project) -> Finding {
        FOLDER.look(project)
    }

    fn fetch(&self, project: &Project) -> Result<(), FetchError> {
        FOLDER.fetch(project, |fresh| {
            let mut pip = pip::command(project, "install", LIST)?;
            pip.args(["--no-compile", "--target"]).arg(fresh);
            Ok(process::run_quietly(&mut pip, &project.cache().log("model"), PATIENCE)?)
        })
    }
}
