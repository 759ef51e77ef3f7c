//! How large the requests of the local API may be, and how long its lists.

use crate::bundle::BundleLimits;
use crate::catalog::ToolsetLimits;
use crate::conversation::ConversationLimits;
use crate::settings::Limits;
use crate::tool_run::RunLimits;
use crate::workspace::WorkspaceLimits;

/// The limits that requests are held to; those of each matter are its own (R324).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalApiLimits {
    /// Bytes of a body of JSON.
    pub json_bytes: u64,
    /// Bytes of a bundle as it comes, packed or not.
    pub bundle_bytes: u64,
    /// Items of a page, where the request does not say.
    pub page_size: usize,
    /// Items of a page at most.
    pub largest_page: usize,
    /// What a bundle may contain.
    pub bundle: BundleLimits,
    /// What a workspace may contain.
    pub workspace: WorkspaceLimits,
    /// What a chat may contain.
    pub conversation: ConversationLimits,
    /// How long an uninstalled toolset can be brought back.
    pub toolset: ToolsetLimits,
    /// What a call of a tool may cost.
    pub run: RunLimits,
}

impl Default for LocalApiLimits {
    fn default() -> Self {
        let bundle = BundleLimits::default();
        Self {
            json_bytes: 1 << 20,
            // Packed, it is no larger than what it may inflate to.
            bundle_bytes: bundle.inflated_bytes,
            page_size: 25,
            largest_page: 256,
            bundle,
            workspace: WorkspaceLimits::default(),
            conversation: ConversationLimits::default(),
            toolset: ToolsetLimits::default(),
            run: RunLimits::default(),
        }
    }
}

impl LocalApiLimits {
    /// The limits as the user has set them.
    #[must_use]
    pub fn of(limits: &Limits) -> Self {
        let bundle = limits.bundle();
        Self {
            bundle_bytes: bundle.inflated_bytes,
            bundle,
            workspace: limits.workspace(),
            conversation: limits.conversation(),
            run: limits.run(),
            ..Self::default()
        }
    }
}
