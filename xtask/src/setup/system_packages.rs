//! Packages of the operating system, by apt, where the user may install them. Elsewhere the exact command is given.

use std::process::Command;
use std::time::Duration;

use crate::process;
use crate::project::Project;
use crate::report;
use crate::setup::FetchError;

const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// Those of `packages` that are not installed; all of them where there is no dpkg.
pub(crate) fn absent(packages: &[String]) -> Vec<String> {
    let mut query = process::command("dpkg-query");
    query.args(["--show", "--showformat", "${Package} ${db:Status-Status}\n"]).args(packages);
    // dpkg-query fails when it does not know one of them, and lists the others all the same.
    let listed = query.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    packages.iter().filter(|package| !is_installed(&listed, package)).cloned().collect()
}

/// Installs those of `packages` that are absent.
pub(crate) fn install(project: &Project, packages: &[String]) -> Result<(), FetchError> {
    let absent = absent(packages);
    if absent.is_empty() {
        return Ok(());
    }
    if process::find("apt-get").is_none() {
        return Err(FetchError::ByHand {
            reason: format!("this system has no apt, so these cannot be installed from here: {}", absent.join(", ")),
            command: format!("your package manager for {}", absent.join(" ")),
        });
    }
    let by_hand = format!("sudo apt-get update && sudo apt-get install -y {}", absent.join(" "));
    let apt = || {
        privileged("apt-get").map_err(|_| FetchError::ByHand {
            reason: format!("installing Debian packages needs rights this user does not have: {}", absent.join(", ")),
            command: by_hand.clone(),
        })
    };
    report::note(&format!("installing Debian packages {}", absent.join(", ")));
    process::run_quietly(apt()?.args(["-q", "update"]), &project.cache().log("apt-update"), PATIENCE)?;
    let mut install = apt()?;
    install.args(["-q", "install", "-y", "--no-install-recommends"]).args(&absent);
    process::run_quietly(&mut install, &project.cache().log("apt-install"), PATIENCE)?;
    Ok(())
}

/// A command with root's rights, by sudo when it asks for no password.
pub(crate) fn privileged(program: &str) -> Result<Command, FetchError> {
    let is_root = process::output(process::command("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if is_root {
        let mut command = process::command(program);
        command.env("DEBIAN_FRONTEND", "noninteractive");
        return Ok(command);
    }
    if process::output(process::command("sudo").args(["-n", "true"])).is_ok() {
        let mut command = process::command("sudo");
        command.args(["-n", "env", "DEBIAN_FRONTEND=noninteractive", program]);
        return Ok(command);
    }
    Err(FetchError::ByHand {
        reason: format!("`{program}` needs rights this user does not have"),
        command: "sudo -v".to_owned(),
    })
}

fn is_installed(listed: &str, package: &str) -> bool {
    listed
        .lines()
        .any(|line| line.split_once(' ').is_some_and(|(name, status)| name == package && status == "installed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_status_installed_counts() {
        let listed = "chromium installed\nlld-22 config-files\n";
        assert!(is_installed(listed, "chromium"));
        assert!(!is_installed(listed, "lld-22"));
        assert!(!is_installed(listed, "chrom"));
    }

    #[test]
    fn a_package_nobody_knows_is_absent() {
        let unknown = vec!["satchel-no-such-package".to_owned()];
        assert_eq!(absent(&unknown), unknown);
    }
}
