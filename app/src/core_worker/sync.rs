//! Sync in the worker: sealing, hashing and merging happen here, never in the page.
//!
//! One worker over all tabs has the role and runs the rounds ([`following`]). What a user asks for is done by the worker of the tab where they ask
//! ([`errands`]): it changes what is kept, and tells whoever has the role to read it again. Between them goes a [`SyncWord`].

mod errands;
mod following;
mod kept;
mod line;
mod news;
mod repairing;

use satchel_core::ids::DeviceId;
use satchel_core::sync::DriverView;
use satchel_core::time::Timestamp;
use serde::{Deserialize, Serialize};

pub(super) use errands::run;
pub(super) use repairing::{is_on, repair};

use crate::browser::tab_news;

/// What the page asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "errand", rename_all = "snake_case")]
pub(crate) enum Errand {
    /// Sync from now on, if that is wanted; where somebody does, have it try again.
    Follow,
    /// Begin with a fresh key.
    Start {
        /// What this device is called.
        name: String,
    },
    /// Give up what the server has, whose code is lost, and begin with a fresh key.
    BeginAnew {
        /// What this device is called.
        name: String,
    },
    /// Begin again with the key that is kept: the server has lost that there was one.
    Begin,
    /// Join with the code of another device.
    Join {
        /// The code, as it was typed.
        code: String,
        /// What this device is called.
        name: String,
    },
    /// Show the code.
    Code,
    /// List the devices.
    Devices,
    /// Call this device something else.
    Name {
        /// What.
        name: String,
    },
    /// Shut a device out.
    ShutOut {
        /// Which one.
        device: DeviceId,
    },
    /// Begin the log anew under another key.
    ChangeKey {
        /// What this device is called: its name is sealed under the key.
        name: String,
    },
    /// Sync no more.
    Leave,
    /// Sync not for now, or again.
    Pause {
        /// Whether it rests.
        is_paused: bool,
    },
    /// Read everything again.
    ReadAgain,
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// It is done.
    Done,
    /// The sync code.
    Code(ShownCode),
    /// The devices.
    Devices {
        /// All of them, those that were shut out among them.
        devices: Vec<ListedDevice>,
    },
}

/// The sync code, for the user's eyes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownCode {
    /// In letters.
    pub(crate) code: String,
    /// How many squares each side of the picture has.
    pub(crate) side: usize,
    /// The squares, row by row.
    pub(crate) dark: Vec<bool>,
}

impl std::fmt::Debug for ShownCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ShownCode(hidden)")
    }
}

/// A device of the account, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ListedDevice {
    /// Its id.
    pub(crate) id: DeviceId,
    /// What it calls itself.
    pub(crate) name: Option<String>,
    /// Whether it is this one.
    pub(crate) is_this: bool,
    /// When it last came.
    pub(crate) last_seen: Timestamp,
    /// When it was shut out.
    pub(crate) revoked_at: Option<Timestamp>,
}

/// What tabs and workers say to each other of sync.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SyncWord {
    /// Somebody wants to know how it is doing.
    Look,
    /// How it is doing.
    Shown(DriverView),
    /// The key, or what the user wants, is another one.
    Changed,
    /// Something may be possible that was not.
    Again,
    /// The server says that the log has grown.
    Noticed,
    /// The stream of the server's notices is there again.
    Listening,
}

/// Says something of sync to every tab and worker, this one included.
pub(crate) fn say(word: &SyncWord) {
    tab_news::say_of_sync(&serde_json::to_string(word).expect("a word is JSON"));
}
