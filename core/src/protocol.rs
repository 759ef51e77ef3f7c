//! What app and server say to each other.
//!
//! The two never know one another's code; they meet in these types. Every one of them has a snapshot test, because a change
//! here is a change between programs of different age.

mod fetch;
mod http_tool;
mod hub;
mod mcp;
mod page_model;
mod policy;
mod problem;
mod provider;
mod secret;
mod sync;

pub use fetch::{
    FETCH_ANSWER_BYTES, FETCH_HEAD_BYTES, FetchFrameError, FetchRequest, FetchResponse, frame_fetch,
    longest_fetch_frame, unframe_fetch,
};
pub use http_tool::{HttpToolCall, HttpToolEnd};
pub use hub::{HubChange, HubProvider, HubPublication, HubPut, HubState, HubTool};
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
pub use sync::{
    BlobName, BlobPart, SYNC_BATCH_BYTES, SYNC_BODY_BYTES, SYNC_CONTENT_TYPE, SYNC_NAMES, SYNC_PART_BYTES, SyncAnswer,
    SyncAsk, SyncChange, SyncDevice, SyncEpoch, SyncFrameError, SyncKeyId, SyncRequest, SyncSnapshot, SyncStatus,
    WantedPart, frame_sync, sync_reserve, unframe_sync,
};
