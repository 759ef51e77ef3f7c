//! The limits that a user can meet, and can therefore set (R324).

use std::time::Duration;

use crate::bundle::BundleLimits;
use crate::conversation::ConversationLimits;
use crate::tool_run::RunLimits;
use crate::workspace::WorkspaceLimits;

/// Which limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitName {
    /// The bytes of one file of a workspace.
    FileBytes,
    /// The bytes of all files of a workspace.
    WorkspaceBytes,
    /// The number of files of a workspace.
    WorkspaceFiles,
    /// The bytes of a bundle, inflated.
    BundleBytes,
    /// The number of entries of a bundle.
    BundleEntries,
    /// The bytes of a message.
    MessageBytes,
    /// The seconds that every tool may run; 0 leaves it to the tool.
    ToolSeconds,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitUnit {
    /// Bytes.
    Bytes,
    /// Files.
    Files,
    /// Seconds.
    Seconds,
}

/// The limits in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits([u64; LimitName::ALL.len()]);

impl LimitName {
    /// All of them, in the order of the settings page.
    pub const ALL: [Self; 7] = [
        Self::FileBytes,
        Self::WorkspaceBytes,
        Self::WorkspaceFiles,
        Self::BundleBytes,
        Self::BundleEntries,
        Self::MessageBytes,
        Self::ToolSeconds,
    ];

    /// The key of its row in the settings.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::FileBytes => "limit_file_bytes",
            Self::WorkspaceBytes => "limit_workspace_bytes",
            Self::WorkspaceFiles => "limit_workspace_files",
            Self::BundleBytes => "limit_bundle_bytes",
            Self::BundleEntries => "limit_bundle_entries",
            Self::MessageBytes => "limit_message_bytes",
            Self::ToolSeconds => "limit_tool_seconds",
        }
    }

    /// The limit with this key.
    #[must_use]
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|limit| limit.key() == key)
    }

    /// What it is called in Settings, and in the sentence that says it was met.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::FileBytes => "Size of a file",
            Self::WorkspaceBytes => "Size of a workspace",
            Self::WorkspaceFiles => "Files of a workspace",
            Self::BundleBytes => "Size of a bundle",
            Self::BundleEntries => "Files of a bundle",
            Self::MessageBytes => "Size of a message",
            Self::ToolSeconds => "Time of a tool",
        }
    }

    /// What it counts.
    #[must_use]
    pub const fn unit(self) -> LimitUnit {
        match self {
            Self::FileBytes | Self::WorkspaceBytes | Self::BundleBytes | Self::MessageBytes => LimitUnit::Bytes,
            Self::WorkspaceFiles | Self::BundleEntries => LimitUnit::Files,
            Self::ToolSeconds => LimitUnit::Seconds,
        }
    }

    /// What its least value means, where that is no limit.
    #[must_use]
    pub const fn least_means(self) -> Option<&'static str> {
        match self {
            Self::ToolSeconds => Some("0 leaves it to each tool; a tool that says nothing gets a minute."),
            Self::FileBytes
            | Self::WorkspaceBytes
            | Self::WorkspaceFiles
            | Self::BundleBytes
            | Self::BundleEntries
            | Self::MessageBytes => None,
        }
    }

    /// The least and the most it can be set to. More than the most does not fit into the memory of a tab.
    #[must_use]
    pub const fn bounds(self) -> (u64, u64) {
        match self {
            Self::FileBytes => (1_000, 1_000_000_000),
            Self::WorkspaceBytes => (1_000, 100_000_000_000),
            Self::WorkspaceFiles => (1, 1_000_000),
            Self::BundleBytes => (1_000, 1_000_000_000),
            Self::BundleEntries => (1, 100_000),
            Self::MessageBytes => (1_000, 10_000_000),
            Self::ToolSeconds => (0, 3_600),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        let (workspace, bundle) = (WorkspaceLimits::default(), BundleLimits::default());
        Self(LimitName::ALL.map(|limit| match limit {
            LimitName::FileBytes => workspace.file_bytes,
            LimitName::WorkspaceBytes => workspace.workspace_bytes,
            LimitName::WorkspaceFiles => workspace.files,
            LimitName::BundleBytes => bundle.inflated_bytes,
            LimitName::BundleEntries => bundle.entries as u64,
            LimitName::MessageBytes => ConversationLimits::default().message_bytes as u64,
            LimitName::ToolSeconds => 0,
        }))
    }
}

impl Limits {
    /// What a limit is set to.
    #[must_use]
    pub fn get(&self, limit: LimitName) -> u64 {
        self.0[limit as usize]
    }

    /// Sets a limit, within its bounds.
    #[must_use]
    pub fn with(mut self, limit: LimitName, value: u64) -> Self {
        let (least, most) = limit.bounds();
        self.0[limit as usize] = value.clamp(least, most);
        self
    }

    /// Those of a workspace.
    #[must_use]
    pub fn workspace(&self) -> WorkspaceLimits {
        WorkspaceLimits {
            file_bytes: self.get(LimitName::FileBytes),
            workspace_bytes: self.get(LimitName::WorkspaceBytes),
            files: self.get(LimitName::WorkspaceFiles),
        }
    }

    /// Those of a bundle.
    #[must_use]
    pub fn bundle(&self) -> BundleLimits {
        BundleLimits {
            inflated_bytes: self.get(LimitName::BundleBytes),
            entries: usize::try_from(self.get(LimitName::BundleEntries)).unwrap_or(usize::MAX),
            ..BundleLimits::default()
        }
    }

    /// Those of a call of a tool.
    #[must_use]
    pub fn run(&self) -> RunLimits {
        let time = Some(self.get(LimitName::ToolSeconds)).filter(|seconds| *seconds > 0).map(Duration::from_secs);
        RunLimits { time, workspace: self.workspace(), ..RunLimits::default() }
    }

    /// Those of a chat.
    #[must_use]
    pub fn conversation(&self) -> ConversationLimits {
        ConversationLimits {
            message_bytes: usize::try_from(self.get(LimitName::MessageBytes)).unwrap_or(usize::MAX),
            ..ConversationLimits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R324
    #[test]
    fn every_limit_reaches_what_it_limits() {
        let mut limits = Limits::default();
        assert_eq!(limits.workspace(), WorkspaceLimits::default());
        assert_eq!(limits.bundle(), BundleLimits::default());
        assert_eq!(limits.conversation(), ConversationLimits::default());
        assert_eq!(limits.run(), RunLimits::default());
        for (number, limit) in (2_001..).zip(LimitName::ALL) {
            limits = limits.with(limit, number);
            assert_eq!(LimitName::of_key(limit.key()), Some(limit));
        }
        assert_eq!(limits.workspace(), WorkspaceLimits { file_bytes: 2_001, workspace_bytes: 2_002, files: 2_003 });
        assert_eq!((limits.bundle().inflated_bytes, limits.bundle().entries), (2_004, 2_005));
        assert_eq!(limits.conversation().message_bytes, 2_006);
        assert_eq!(limits.run().time_of(Some(5)).as_secs(), 2_007);
        assert_eq!(limits.run().workspace, limits.workspace());
    }

    #[test]
    fn a_limit_stays_within_its_bounds() {
        let check = |value: u64, expected: u64| {
            assert_eq!(Limits::default().with(LimitName::FileBytes, value).get(LimitName::FileBytes), expected);
        };
        check(0, 1_000);
        check(5_000, 5_000);
        check(u64::MAX, 1_000_000_000);
    }
}
