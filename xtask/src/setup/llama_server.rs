//! The package of `tests/llama.txt`: llama.cpp's own server, for tests against a real provider.
//!
//! It is unpacked in the cache under the hash of that list, and the clone gets a link to it. It is pinned by its hash.

use std::time::Duration;

use crate::process;
use crate::project::Project;
use crate::setup::linked_folder::LinkedFolder;
use crate::setup::{FetchError, Finding, Requirement, pip};

const PATIENCE: Duration = Duration::from_secs(20 * 60);

const LIST: &str = "tests/llama.txt";

const FOLDER: LinkedFolder = LinkedFolder { kind: "llama", list: LIST, part: "", link: "tests/llama" };

/// The server.
pub(crate) struct LlamaServer;

impl Requirement for LlamaServer {
    fn name(&self) -> String {
        "llama.cpp from PyPI (30 MB)".to_owned()
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
            Ok(process::run_quietly(&mut pip, &project.cache().log("llama"), PATIENCE)?)
        })
    }
}
