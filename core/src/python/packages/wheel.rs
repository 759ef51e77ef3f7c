//! Wheels: what their file names say, whether they run in the cage, and what they require.

use super::environment::{ABI, PLATFORM, PYTHON_MINOR};
use super::name::PackageName;
use super::requirement::{Requirement, RequirementError};
use super::version::Version;
use crate::bundle::ArchiveError;
use crate::bundle::archive::read_one;

/// What the file name of a wheel says: `{name}-{version}[-{build}]-{python}-{abi}-{platform}.whl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WheelName {
    /// The package.
    pub name: PackageName,
    /// Its version.
    pub version: Version,
    pythons: Vec<String>,
    abis: Vec<String>,
    platforms: Vec<String>,
}

/// How well a wheel fits the cage; the larger the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// Nothing but Python.
    Pure,
    /// Compiled for this or an earlier Python, by the interface that stays.
    Stable,
    /// Compiled for exactly this Python.
    Exact,
}

/// Why what a wheel requires cannot be known.
#[derive(Debug, thiserror::Error)]
pub enum WheelError {
    /// It is no archive, or a bad one.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// It does not describe itself.
    #[error("it has no METADATA, so it is not a wheel")]
    NoMetadata,
    /// It describes itself in another encoding.
    #[error("its METADATA is not text")]
    NotText,
    /// It requires something that cannot be understood.
    #[error("it requires what cannot be understood: {0}")]
    Requirement(RequirementError),
}

/// Its sentence is part of ours, so that it is no source beside it and is said once.
impl From<RequirementError> for WheelError {
    fn from(error: RequirementError) -> Self {
        Self::Requirement(error)
    }
}

impl WheelName {
    /// Reads a file name; nothing where it is not one of a wheel.
    #[must_use]
    pub fn parse(file_name: &str) -> Option<Self> {
        let parts: Vec<&str> = file_name.strip_suffix(".whl")?.split('-').collect();
        let (&[name, version, python, abi, platform] | &[name, version, _, python, abi, platform]) = parts.as_slice()
        else {
            return None;
        };
        let tags = |tag: &str| tag.split('.').map(str::to_owned).collect();
        Some(Self {
            name: PackageName::parse(name).ok()?,
            // A local version is written with "+", which a file name has as "_".
            version: Version::parse(&version.replace('_', "+")).ok()?,
            pythons: tags(python),
            abis: tags(abi),
            platforms: tags(platform),
        })
    }

    /// How well it fits, or that it does not run in the cage.
    #[must_use]
    pub fn fit(&self) -> Option<Fit> {
        let here =
            [format!("pyemscripten_{ABI}_wasm32"), format!("pyodide_{ABI}_wasm32"), format!("{PLATFORM}_wasm32")];
        let is_any = self.platforms.iter().any(|platform| platform == "any");
        if !is_any && !self.platforms.iter().any(|platform| here.contains(platform)) {
            return None;
        }
        let fits = self.pythons.iter().flat_map(|python| self.abis.iter().filter_map(|abi| fit_of(python, abi)));
        fits.max().map(|fit| if is_any { Fit::Pure } else { fit })
    }
}

fn fit_of(python: &str, abi: &str) -> Option<Fit> {
    let minor = |prefix: &str| python.strip_prefix(prefix).and_then(|minor| minor.parse::<u64>().ok());
    match abi {
        "none" => {
            let is_earlier = python == "py3" || minor("py3").is_some_and(|minor| minor <= PYTHON_MINOR);
            (is_earlier || minor("cp3") == Some(PYTHON_MINOR)).then_some(Fit::Pure)
        }
        "abi3" => minor("cp3").filter(|minor| *minor <= PYTHON_MINOR).map(|_| Fit::Stable),
        other => {
            let exact = format!("cp3{PYTHON_MINOR}");
            (python == exact && other == exact).then_some(Fit::Exact)
        }
    }
}

/// What a wheel requires, out of the METADATA in it.
pub fn requirements(wheel: &[u8], metadata_bytes: u64) -> Result<Vec<Requirement>, WheelError> {
    let is_metadata = |path: &str| {
        path.split_once('/').is_some_and(|(folder, file)| folder.ends_with(".dist-info") && file == "METADATA")
    };
    let metadata = read_one(wheel, &is_metadata, metadata_bytes)?.ok_or(WheelError::NoMetadata)?;
    let metadata = String::from_utf8(metadata).map_err(|_other_encoding| WheelError::NotText)?;
    let headers = metadata.lines().take_while(|line| !line.is_empty());
    let required = headers.filter_map(|line| {
        let (header, value) = line.split_once(':')?;
        header.eq_ignore_ascii_case("requires-dist").then_some(value)
    });
    required.map(|value| Requirement::parse(value.trim()).map_err(WheelError::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::wheel;
    use super::*;

    #[test]
    fn wheels_fit_or_not() {
        let check = |file_name: &str, expected: Option<Fit>| {
            assert_eq!(WheelName::parse(file_name).expect("is a wheel").fit(), expected, "{file_name}");
        };
        check("attrs-26.1.0-py3-none-any.whl", Some(Fit::Pure));
        check("six-1.17.0-py2.py3-none-any.whl", Some(Fit::Pure));
        check("a-1-1build-py39-none-any.whl", Some(Fit::Pure));
        check("a-1-py2-none-any.whl", None);
        check("a-1-py315-none-any.whl", None);
        check("numpy-2.4.6-cp314-cp314-pyemscripten_2026_0_wasm32.whl", Some(Fit::Exact));
        check("numpy-2.4.6-cp313-cp313-pyemscripten_2026_0_wasm32.whl", None);
        check("numpy-2.4.6-cp314-cp314t-pyemscripten_2026_0_wasm32.whl", None);
        check("a-1-cp310-abi3-pyemscripten_2026_0_wasm32.whl", Some(Fit::Stable));
        check("a-1-cp314-cp314-pyodide_2024_0_wasm32.whl", None);
        check("a-1-cp314-cp314-manylinux_2_17_x86_64.whl", None);
        check("a-1-cp314-cp314-macosx_11_0_arm64.pyemscripten_2026_0_wasm32.whl", Some(Fit::Exact));
    }

    #[test]
    fn what_is_no_wheel_has_no_wheel_name() {
        for text in ["attrs-1.tar.gz", "attrs-1-py3-none.whl", "a-b-c-d-e-f-g.whl", "-1-py3-none-any.whl", ".whl"] {
            assert_eq!(WheelName::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_a_wheel_requires_is_read_out_of_it() {
        let read = |requires: &[&str]| requirements(&wheel("a", "1.0", requires), 10_000);
        let found = read(&["b>=2", "c ; extra == 'more'"]).expect("is read");
        assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), ["b>=2", "c"]);
        assert!(!found[1].applies(&[]) && found[1].applies(&["more".into()]));
        let refused = read(&["b>=newest"]).expect_err("is refused").to_string();
        assert_eq!(refused, "it requires what cannot be understood: \">=newest\" is not a version of a Python package");
        assert_eq!(
            requirements(b"no zip", 10_000).expect_err("is refused").to_string(),
            "the archive is damaged, or is not a ZIP"
        );
        let large = requirements(&wheel("a", "1.0", &[]), 3).expect_err("is refused").to_string();
        assert_eq!(large, "the archive inflates to more than 3 bytes");
    }
}
