//! Tools that ask hosts on the network: what such a tool says, how its templates are filled in, and how its calls go on (R089–R099).
//!
//! A definition is read once and found right ([`HttpTool::read`]); a call of it is a [`Run`], a machine without a clock and without a
//! network: it says what to send or how long to wait, and is told what came of it. The server drives it with the secrets of its vault, the
//! page without any. Both therefore check the same hosts, encode values alike and give up after the same tries.
//!
//! A placeholder `${name}` means an argument if the tool's schema declares one of that name, else a secret; which of the two is decided when
//! the definition is read and never by what a call brings. What is filled in is data: it is encoded for where it stands and not looked into
//! again, so that no argument can name a secret or become one (C37).

mod auth;
mod body;
mod call;
mod definition;
mod fault;
mod limits;
mod output;
mod pace;
mod recipe;
mod redact;
mod redirect;
mod request;
mod retry;
mod run;
#[cfg(test)]
pub(crate) mod scripted;
mod template;
#[cfg(test)]
mod tests;
mod url;

pub use call::{CallHttp, HttpCall, HttpEnd, NoHttp};
pub use definition::{BodyOutput, ErrorMode, HttpTool, ResponseRule, Step, WantedGrant, argument_names};
pub use fault::{ExpandFault, HttpFault, HttpFaultKind};
pub use limits::HttpLimits;
pub use output::{Output, OutputFault, read_output};
pub use pace::{TooSoon, count_call};
pub use recipe::{Argument, Recipe, RecipeFault, RecipeStep, next_label, slug_of};
pub use redact::Redaction;
pub use request::PlainRequest;
pub use retry::{Trouble, TroubleKind};
pub use run::{Answered, Effect, Event, Outcome, Run};
