//! Files that go along with messages: those of a message that is written, those of one that was sent, and the list of files that an at
//! sign opens.

mod chips;
mod mention_list;
mod of_message;
mod thumbnail;

pub(crate) use self::chips::AttachmentChips;
pub(crate) use self::mention_list::MentionList;
pub(crate) use self::of_message::AttachedFiles;
