//! What is said to a model and what it answers, whoever runs it.
//!
//! A [`ModelRequest`] is the same for every provider; [`ProviderFormat`] writes it as one of them wants it, and its [`StreamReader`] turns the
//! bytes that come back into [`Delta`]s, which a [`Draft`] collects. There is no network here: whoever fetches hands the pieces in as they
//! come, cut wherever they are cut. Providers differ in what they leave out, repeat and misname; everything that is known of that is in
//! the one file of its format, and the rest of the app sees none of it.

mod anthropic;
mod body;
mod choice;
mod cost;
mod delta;
mod draft;
mod endpoint;
mod error;
pub(crate) mod events;
mod format;
mod known;
mod limits;
mod listing;
mod manner;
mod no_listing;
mod openai;
mod page;
mod request;
#[cfg(test)]
mod tests;
mod tokens;

pub use body::StreamReader;
pub use choice::{ModelChoice, ModelChoiceError, ModelPlace};
pub use cost::Cost;
pub use delta::{CallDelta, Delta, Finish, Usage};
pub use draft::{Draft, DraftCall, Reasoning};
pub use endpoint::{Endpoint, EndpointUrl, EndpointUrlError, EndpointsError, endpoints, set_endpoints};
pub use error::{ModelError, Said};
pub use format::Images;
pub use known::{ChosenModel, KnownModels, ModelGroup, Standing};

#[cfg(doc)]
use crate::protocol::ProviderFormat;
pub use limits::ModelLimits;
pub use listing::read_models;
pub use manner::{Manner, MannerChange, MannerError, Temperature};
pub use no_listing::{Keyed, NoListing};
pub use page::{GgufError, GgufHead, PageAnswer, PageModel, PageModelError, PageRequest};
pub use request::{AssistantTurn, InputPart, ModelCall, ModelMessage, ModelRequest, ToolAnswer, ToolDefinition};
pub use tokens::{tokens_of_message, tokens_of_text, tokens_of_tool};
