//! Making the app's scripts and styles small: esbuild takes out what only readers need, and the styles become one file, which
//! compresses better than many. Trunk's own minifier cannot read wasm-bindgen's script.

use std::fs;
use std::path::Path;

use crate::digest;
use crate::files::{self, AtPath, FileError};
use crate::process::{self, ProcessError};

/// Scripts or styles could not be made smaller.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MinifyError {
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("index.html links no styles")]
    NoStyles,
}

/// Minifies every script in Trunk's output.
pub(crate) fn scripts(esbuild: &Path, trunk: &Path) -> Result<(), MinifyError> {
    for file in files::below(trunk)?.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "js")) {
        minify(esbuild, &trunk.join(file))?;
    }
    Ok(())
}

/// Makes one minified file of the styles that the page links, in their order.
pub(crate) fn styles(esbuild: &Path, trunk: &Path) -> Result<(), MinifyError> {
    let page_path = trunk.join("index.html");
    let mut page = fs::read_to_string(&page_path).at("read", &page_path)?;
    let links = style_links(&page);
    let Some((first, _)) = links.first().cloned() else { return Err(MinifyError::NoStyles) };
    let mut all = String::new();
    for (_, name) in &links {
        let path = trunk.join(name);
        all.push_str(&fs::read_to_string(&path).at("read", &path)?);
        fs::remove_file(&path).at("remove", &path)?;
    }
    let path = trunk.join("style.css");
    files::write(&path, all.as_bytes())?;
    minify(esbuild, &path)?;
    let hash = digest::hex(&fs::read(&path).at("read", &path)?);
    let name = format!("style-{}.css", &hash[..16]);
    fs::rename(&path, trunk.join(&name)).at("rename", &path)?;
    page = page.replacen(&first, &format!("<link rel=\"stylesheet\" href=\"/{name}\">"), 1);
    for (link, _) in &links {
        page = page.replace(link, "");
    }
    Ok(files::write(&page_path, page.as_bytes())?)
}

/// Makes one minified file of the styles that come after the first page: `sheet` names them in their order.
pub(crate) fn later_styles(esbuild: &Path, sheet: &Path, trunk: &Path) -> Result<(), MinifyError> {
    let name = sheet.file_name().expect("a style sheet has a name");
    let mut command = process::command(esbuild);
    command.arg(sheet).args(["--bundle", "--minify", "--target=esnext", "--log-level=warning"]);
    command.arg(format!("--outfile={}", trunk.join(name).display()));
    Ok(process::run(&mut command)?)
}

/// Every link to a style of the app's own, whole, with the name of the file.
fn style_links(page: &str) -> Vec<(String, String)> {
    let opening = "<link rel=\"stylesheet\" href=\"/";
    let mut links = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find(opening) {
        let tag = &rest[start..];
        let Some(end) = tag.find('>') else { break };
        let name = tag[opening.len()..end].split('"').next().unwrap_or_default();
        links.push((tag[..=end].to_owned(), name.to_owned()));
        rest = &tag[end..];
    }
    links
}

/// Takes out of a script or style what only readers need.
pub(crate) fn minify(esbuild: &Path, path: &Path) -> Result<(), MinifyError> {
    let mut command = process::command(esbuild);
    // What every supported browser reads is left as it is written. A script stays a module: what it exports keeps its name.
    command.arg(path).args(["--minify", "--format=esm", "--target=esnext", "--log-level=warning", "--allow-overwrite"]);
    command.arg(format!("--outfile={}", path.display()));
    Ok(process::run(&mut command)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_links_are_found_in_their_order() {
        let page = "<link rel=\"icon\" href=\"/icon.svg\"><link rel=\"stylesheet\" href=\"/b-1.css\"/>\n<link rel=\"stylesheet\" href=\"/a-2.css\">";
        let links = style_links(page);
        let names: Vec<&str> = links.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["b-1.css", "a-2.css"]);
        assert_eq!(links[0].0, "<link rel=\"stylesheet\" href=\"/b-1.css\"/>");
    }
}
