//! Trying every way out of the cage, from inside, so that its walls are seen and not believed.

use satchel_core::local_api::RefusalBody;
use satchel_core::python::CageReport;

use super::runs;
use crate::browser::page;
use crate::browser::tab_roles::ActiveRun;

/// The address that is tried unless another is given: this app's own server.
pub(crate) fn default_target() -> String {
    page::origin()
}

/// Starts a cage, tries to get out, and says what happened; else a sentence why that was not possible.
pub(crate) async fn run(target: String) -> Result<CageReport, String> {
    let _run = ActiveRun::begin();
    let report = runs::check_cage(target).await.map_err(|refusal| {
        serde_json::from_str::<RefusalBody>(&refusal).map_or(refusal, |refusal| refusal.error.message)
    })?;
    serde_json::from_slice(&report).map_err(|error| format!("the answer is not a report: {error}"))
}
