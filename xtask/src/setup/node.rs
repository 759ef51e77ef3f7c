//! Node with npm. It runs wasm-opt, compresses files and drives the browser; the set-up cannot fetch it, only ask for it.

use crate::process;
use crate::project::Project;
use crate::setup::{FetchError, Finding, Requirement};

const OLDEST: u32 = 20;

/// `node` and `npm` on PATH.
pub(crate) struct Node;

impl Requirement for Node {
    fn name(&self) -> String {
        format!("Node {OLDEST} or newer, with npm")
    }

    fn purpose(&self) -> &'static str {
        "optimise and compress the app and to drive the browser"
    }

    fn look(&self, _project: &Project) -> Finding {
        let Ok(version) = process::output(process::command("node").arg("--version")) else {
            return Finding::Missing("`node` is not on PATH".to_owned());
        };
        let version = version.trim();
        match major(version) {
            Some(major) if major >= OLDEST && process::find("npm").is_some() => Finding::Present(version.to_owned()),
            Some(major) if major >= OLDEST => Finding::Missing("`npm` is not on PATH".to_owned()),
            _ => Finding::Missing(format!("`node` is {version}")),
        }
    }

    fn fetch(&self, project: &Project) -> Result<(), FetchError> {
        let Finding::Missing(reason) = self.look(project) else { return Ok(()) };
        let command = if cfg!(target_os = "macos") { "brew install node" } else { "sudo apt-get install nodejs npm" };
        Err(FetchError::ByHand { reason, command: command.to_owned() })
    }
}

fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert_eq!(major("20.20.2"), None);
        assert_eq!(major("vnext"), None);
    }
}
