//! A folder that is kept in the cache under the hash of a list, with a link in the clone that leads to it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::digest;
use crate::files::{AtPath, FileError};
use crate::project::Project;
use crate::setup::{FetchError, Finding};

/// Such a folder.
pub(super) struct LinkedFolder {
    /// What its name in the cache begins with.
    pub(super) kind: &'static str,
    /// The list of what is in it, in the project.
    pub(super) list: &'static str,
    /// What of it the link leads to; empty for the whole of it.
    pub(super) part: &'static str,
    /// The link, in the project.
    pub(super) link: &'static str,
}

impl LinkedFolder {
    /// Whether folder and link are there.
    pub(super) fn look(&self, project: &Project) -> Finding {
        let folder = match self.folder(project) {
            Ok(folder) => folder,
            Err(error) => return Finding::Missing(error.to_string()),
        };
        if !folder.is_dir() {
            return Finding::Missing(format!("no {}", folder.display()));
        }
        match fs::read_link(project.root().join(self.link)) {
            Ok(target) if target == self.target(&folder) => Finding::Present(folder.display().to_string()),
            _ => Finding::Missing(format!("{} does not lead to them", self.link)),
        }
    }

    /// Makes what is missing; `fill` is given an empty folder.
    pub(super) fn fetch(
        &self,
        project: &Project,
        fill: impl FnOnce(&Path) -> Result<(), FetchError>,
    ) -> Result<(), FetchError> {
        let folder = self.folder(project)?;
        if !folder.is_dir() {
            let fresh = project.cache().fresh_folder(self.kind)?;
            fill(&fresh)?;
            project.cache().publish(&fresh, &folder)?;
        }
        Ok(point_link(&project.root().join(self.link), &self.target(&folder))?)
    }

    fn folder(&self, project: &Project) -> Result<PathBuf, FileError> {
        let path = project.root().join(self.list);
        let list = fs::read(&path).at("read", &path)?;
        Ok(project.cache().folder().join(format!("{}-{}", self.kind, &digest::hex(&list)[..12])))
    }

    fn target(&self, folder: &Path) -> PathBuf {
        if self.part.is_empty() { folder.to_owned() } else { folder.join(self.part) }
    }
}

/// Makes `link` lead to `target`, whatever was there before.
fn point_link(link: &Path, target: &Path) -> Result<(), FileError> {
    match fs::symlink_metadata(link) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(link).at("remove", link)?,
        Ok(_) => fs::remove_file(link).at("remove", link)?,
        Err(_) => {}
    }
    symlink(target, link).at("create the link", link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_replaces_whatever_was_there() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let link = home.path().join("node_modules");
        let leads_to = |target: &str| fs::read_link(&link).is_ok_and(|found| found == Path::new(target));

        point_link(&link, Path::new("/first")).expect("nothing was there");
        assert!(leads_to("/first"));
        point_link(&link, Path::new("/second")).expect("a stale link was there");
        assert!(leads_to("/second"));
        fs::remove_file(&link).expect("the link exists");
        fs::create_dir_all(link.join("package")).expect("the folder is writable");
        point_link(&link, Path::new("/third")).expect("a real folder was there");
        assert!(leads_to("/third"));
    }
}
