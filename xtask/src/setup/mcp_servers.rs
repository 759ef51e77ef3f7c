//! The packages of `tests/mcp`: real MCP servers, for tests of the server against what people run.
//!
//! Those from npm and those from PyPI are each installed into the cache under the hash of their list, and the clone gets links to them.
//! No install script of a package is ever run.

use std::time::Duration;

use crate::files;
use crate::process;
use crate::project::Project;
use crate::setup::linked_folder::LinkedFolder;
use crate::setup::{FetchError, Finding, Requirement, pip};

const PATIENCE: Duration = Duration::from_secs(20 * 60);

const NPM: LinkedFolder = LinkedFolder {
    kind: "mcp-npm",
    list: "tests/mcp/package-lock.json",
    part: "node_modules",
    link: "tests/mcp/node_modules",
};

const PYTHON_LIST: &str = "tests/mcp/python.txt";

const PYTHON: LinkedFolder = LinkedFolder { kind: "mcp-python", list: PYTHON_LIST, part: "", link: "tests/mcp/python" };

/// The servers.
pub(crate) struct McpServers;

impl Requirement for McpServers {
    fn name(&self) -> String {
        "MCP servers from npm and PyPI (100 MB)".to_owned()
    }

    fn purpose(&self) -> &'static str {
        "test with real MCP servers"
    }

    fn look(&self, project: &Project) -> Finding {
        match NPM.look(project) {
            Finding::Present(_) => PYTHON.look(project),
            missing @ Finding::Missing(_) => missing,
        }
    }

    fn fetch(&self, project: &Project) -> Result<(), FetchError> {
        NPM.fetch(project, |fresh| {
            for name in ["package.json", "package-lock.json"] {
                files::copy(&project.root().join("tests/mcp").join(name), &fresh.join(name))?;
            }
            let mut npm = process::command("npm");
            npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(fresh);
            Ok(process::run_quietly(&mut npm, &project.cache().log("mcp-npm"), PATIENCE)?)
        })?;
        PYTHON.fetch(project, |fresh| {
            let mut pip = pip::command(project, "install", PYTHON_LIST)?;
            pip.args(["--no-compile", "--target"]).arg(fresh);
            Ok(process::run_quietly(&mut pip, &project.cache().log("mcp-python"), PATIENCE)?)
        })
    }
}
