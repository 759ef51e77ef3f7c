//! nginx, the peer of the model proxy: the one that is installed, else Debian's package, unpacked and not installed. Installing it would start
//! it as a service on port 80, which no measurement needs.

use std::path::PathBuf;
use std::time::Duration;

use crate::process;
use crate::project::Project;
use crate::setup::{FetchError, Finding, Requirement};

const PATIENCE: Duration = Duration::from_secs(5 * 60);
/// Not on every user's path.
const INSTALLED: &str = "/usr/sbin/nginx";

/// nginx.
pub(crate) struct Nginx;

/// Its program, if there is one.
pub(crate) fn program(project: &Project) -> Option<PathBuf> {
    let places = [PathBuf::from(INSTALLED), unpacked(project).join("usr/sbin/nginx")];
    process::find("nginx").or_else(|| places.into_iter().find(|path| path.is_file()))
}

/// Where the package is unpacked. Its version is that of the Debian at hand.
fn unpacked(project: &Project) -> PathBuf {
    project.cache().tool("nginx", "debian")
}

impl Requirement for Nginx {
    fn name(&self) -> String {
        "nginx".to_owned()
    }

    fn purpose(&self) -> &'static str {
        "compare the model proxy with it"
    }

    fn look(&self, project: &Project) -> Finding {
        match program(project) {
            Some(program) => Finding::Present(program.display().to_string()),
            None => Finding::Missing("no nginx".to_owned()),
        }
    }

    fn fetch(&self, project: &Project) -> Result<(), FetchError> {
        if process::find("apt-get").is_none() {
            return Err(FetchError::ByHand {
                reason: "nginx is unpacked from Debian's package, and this system has no apt".to_owned(),
                command: "your package manager for nginx".to_owned(),
            });
        }
        let fresh = project.cache().fresh_folder("nginx")?;
        let mut shell = process::command("sh");
        // The package alone: what it depends on is part of every Debian.
        shell.args(["-eu", "-c", "apt-get -q download nginx && dpkg-deb --extract nginx_*.deb . && rm nginx_*.deb"]);
        process::run_quietly(shell.current_dir(&fresh), &project.cache().log("nginx"), PATIENCE)?;
        Ok(project.cache().publish(&fresh, &unpacked(project))?)
    }
}
