//! Trying every way out of a cage, from inside, so that its walls are seen and not believed.

use satchel_core::local_api::{Code, Response};
use satchel_core::python::{CageReport, FromCage, Probe, ToCage};

use super::cage::Cage;

const PROBES: &str = include_str!("probes.py");

/// Starts a cage, tries to get out, and says what happened.
pub(super) async fn check(target: &str) -> Response {
    match run(target).await {
        Ok(report) => {
            let body = serde_json::to_vec(&report).expect("a report is JSON");
            Response { status: 200, headers: Vec::new(), body }
        }
        Err(reason) => Response::refused(Code::NotAvailable, &reason),
    }
}

async fn run(target: &str) -> Result<CageReport, String> {
    let mut cage = Cage::start().await.map_err(|error| error.to_string())?;
    let arguments = serde_json::json!({ "target": target }).to_string();
    let request = cage.begin(|request| ToCage::Evaluate { request, source: PROBES.into(), arguments });
    let found = loop {
        match cage.next().await.word {
            FromCage::Evaluated { request: of, result } if of == request => break result,
            FromCage::Raised { request: of, traceback } if of == request => {
                return Err(format!("Python raised an error: {traceback}"));
            }
            FromCage::Failed { message } => return Err(message),
            // Every way is tried, the network's bridge too: nothing was granted to nobody.
            FromCage::Fetch { fetch, .. } => super::refuse(&cage, fetch, "this cage belongs to no toolset"),
            _ => {}
        }
    };
    let probes: Vec<Probe> =
        serde_json::from_str(&found).map_err(|error| format!("the answer is not a report: {error}"))?;
    Ok(CageReport { python: cage.python.clone(), load_millis: cage.load_millis, probes })
}
