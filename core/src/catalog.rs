//! Toolsets and their tools: what they are called.

mod names;

pub use names::{NameError, ServerId, ServerKey, ToolId, ToolName, ToolsetId, slug_of};
