//! What app and server say to each other.
//!
//! The two never know one another's code; they meet in these types. Every one of them has a snapshot test, because a change
//! here is a change between programs of different age.

mod mcp;
mod page_model;
mod policy;
mod problem;
mod provider;
mod secret;

pub use mcp::{
    ClientId, ClientIdError, McpApproval, McpCall, McpCallId, McpCallResult, McpDefinition, McpDefinitionError,
    McpIdentity, McpInputAction, McpInputAnswer, McpInputRequest, McpLogin, McpOffer, McpProgress, McpServerList,
    McpServerNotice, McpServerState, McpStatus, McpTransport, ServerEvent, parse_server_key,
};
pub use page_model::PageModelOffer;
pub use policy::{AccountSummary, Capability, Policy};
pub use problem::{Problem, ProblemBody, ProblemCode};
pub use provider::{
    ANSWERED_BY, ANSWERED_BY_PROVIDER, KeyStanding, ModelList, ModelPrices, ModelSummary, ProviderFormat, ProviderList,
    ProviderName, ProviderNameError, ProviderSettings, ProviderSummary,
};
pub use secret::{PutSecret, SecretList, SecretName, SecretNameError, SecretSummary, SecretValue};
