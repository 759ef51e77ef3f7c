//! Python tools: the contract with the cage they run in, and which cage serves whom.
//!
//! No Python runs here and no message is carried: `app/cage` is the cage's own side, `app/src/browser/python_cage` carries the words
//! between the two. What a run reads and writes of the store is decided elsewhere.

mod any;
mod call;
pub mod packages;
mod pool;
mod protocol;
mod report;
#[cfg(test)]
pub(crate) mod scripted;

pub use any::AnyPython;
pub use call::{CallPython, Description, Ending, PythonCall, PythonEnd, SessionKey};
pub use pool::{CageNumber, CageState, Claim, Pool};
pub use protocol::{
    CallContext, CallFailure, CallOutcome, FetchAnswer, FileSpan, FromCage, OutputStream, ToCage, UnreadFile,
};
pub use report::{CageReport, Probe};
