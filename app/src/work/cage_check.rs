//! Trying every way out of the cage, from inside, so that its walls are seen and not believed.

use satchel_core::python::{CageReport, Probe};

use crate::browser::page;
pub(crate) use crate::browser::python_cage::CageError;
use crate::browser::python_cage::PythonCage;
use crate::browser::tab_roles::ActiveRun;

const PROBES: &str = include_str!("cage_check/probes.py");

/// The address that is tried unless another is given: this app's own server.
pub(crate) fn default_target() -> String {
    page::origin()
}

/// Starts a cage, tries to get out, and says what happened.
pub(crate) async fn run(target: String) -> Result<CageReport, CageError> {
    let _run = ActiveRun::begin();
    let cage = PythonCage::start().await?;
    let arguments = serde_json::json!({ "target": target }).to_string();
    let probes = cage.evaluate(PROBES, &arguments).await?;
    let probes: Vec<Probe> = serde_json::from_str(&probes)
        .map_err(|error| CageError::NotStarted(format!("its answer is not a report: {error}")))?;
    Ok(CageReport { python: cage.python().into(), load_millis: cage.load_millis(), probes })
}
