//! Where the code of a Python tool is among the files of its toolset (C33).
//!
//! The cage finds a module as Python does; this says which file that is, for whoever shows it or misses it. Nothing is imported here.

use super::InstalledToolset;
use crate::record::{Tool, ToolKind, ToolsetFile};

/// The files that may hold the function of an entrypoint, in the order in which they count: from the root of the toolset, else under
/// `tools/`, and in either place a package before a module. None where it is no entrypoint of Python.
#[must_use]
pub fn module_files(entrypoint: &str) -> Vec<String> {
    let Some((module, _function)) = entrypoint.split_once(':') else { return Vec::new() };
    let path = module.replace('.', "/");
    ["", "tools/"].iter().flat_map(|at| [format!("{at}{path}/__init__.py"), format!("{at}{path}.py")]).collect()
}

impl InstalledToolset {
    /// The file that holds a tool's function; none where it is not Python, or where no file of the toolset has it.
    #[must_use]
    pub fn source_of(&self, tool: &Tool) -> Option<&ToolsetFile> {
        let entrypoint = tool.entrypoint.as_deref().filter(|_| tool.kind == ToolKind::Python)?;
        module_files(entrypoint).iter().find_map(|path| self.files.iter().find(|file| file.path == *path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C33
    #[test]
    fn a_module_is_looked_for_at_the_root_and_then_under_tools() {
        let expected = ["a/b/__init__.py", "a/b.py", "tools/a/b/__init__.py", "tools/a/b.py"];
        assert_eq!(module_files("a.b:run"), expected);
        assert_eq!(module_files("read_file"), [""; 0]);
    }
}
