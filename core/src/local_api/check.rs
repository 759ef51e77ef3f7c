//! `POST /local/check`: is everything that is stored still as it was (R311)?

use serde::Serialize;

use super::call::Call;
use super::response::Response;
use super::route::Answer;
use crate::store::Store;
use crate::workspace::{Finding, inspect};

/// Answer of `POST /local/check`.
#[derive(Debug, Serialize)]
struct CheckBody {
    /// How many blobs were hashed again.
    blobs: usize,
    /// How many manifests were closed.
    manifests: usize,
    broken: Vec<FindingBody>,
}

/// A finding, and its sentence.
#[derive(Debug, Serialize)]
struct FindingBody {
    #[serde(flatten)]
    finding: Finding,
    message: String,
}

/// Checks, and changes nothing.
pub(super) async fn run<S: Store>(call: Call<'_, S>) -> Answer {
    let report = inspect(call.store).await?;
    let body = |finding: Finding| FindingBody { message: finding.to_string(), finding };
    let broken = report.findings.into_iter().map(body).collect();
    Ok(Response::json(200, &CheckBody { blobs: report.blobs, manifests: report.manifests, broken }))
}
