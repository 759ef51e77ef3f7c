//! Paths that a configuration names, made relative to where the files are.
//!
//! A tool sees its files below `/workspace` and its toolset below another folder, and may give either spelling back.

/// The path below `root`, with `/` between folders and without `.`; nothing where it leaves `root` or names no file.
pub(super) fn below(root: &str, path: &str) -> Option<String> {
    let rest = path.strip_prefix(root.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    let relative = match rest {
        Some(rest) if !root.is_empty() => rest,
        _ if path.starts_with('/') => return None,
        _ => path,
    };
    if relative.contains(['\\', '\0']) {
        return None;
    }
    let parts: Vec<&str> = relative.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    (!parts.is_empty() && !parts.contains(&"..") && !relative.ends_with('/')).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R044
    #[test]
    fn only_paths_below_the_root() {
        let check = |path, expected: Option<&str>| assert_eq!(below("/workspace", path).as_deref(), expected, "{path}");
        check("a.py", Some("a.py"));
        check("./src//a.py", Some("src/a.py"));
        check("/workspace/src/a.py", Some("src/a.py"));
        check("/workspaces/a.py", None);
        check("/etc/passwd", None);
        check("../a.py", None);
        check("src/../../a.py", None);
        check("/workspace/../a", None);
        check("src\\a.py", None);
        check("", None);
        check(".", None);
        check("src/", None);
        assert_eq!(below("", "/etc/passwd"), None);
    }
}
