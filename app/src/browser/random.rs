//! Randomness from the browser's own generator.

use js_sys::Uint8Array;
use satchel_core::ids::{self, ChatId, DeviceId, ManifestId, MessageId};

use super::{clock, page};

/// A device id that no other profile has.
pub(crate) fn device_id() -> DeviceId {
    DeviceId::parse(page::crypto().random_uuid()).expect("randomUUID gives a UUID in lower case")
}

/// The id of a new chat.
pub(crate) fn chat_id() -> ChatId {
    ChatId::parse(uuid_v7()).expect("a fresh UUID is one")
}

/// The id of a new message.
pub(crate) fn message_id() -> MessageId {
    MessageId::parse(uuid_v7()).expect("a fresh UUID is one")
}

/// The id of a new state of a chat's files.
pub(crate) fn manifest_id() -> ManifestId {
    ManifestId::parse(uuid_v7()).expect("a fresh UUID is one")
}

/// A number by chance, all equally likely.
pub(crate) fn chance() -> u32 {
    let bytes = Uint8Array::new_with_length(4);
    page::crypto().get_random_values_with_array_buffer_view(&bytes).expect("four bytes can be filled");
    let mut random = [0; 4];
    bytes.copy_to(&mut random);
    u32::from_le_bytes(random)
}

/// Bytes for a key.
pub(crate) fn sixteen_bytes() -> [u8; 16] {
    let bytes = Uint8Array::new_with_length(16);
    page::crypto().get_random_values_with_array_buffer_view(&bytes).expect("sixteen bytes can be filled");
    let mut random = [0; 16];
    bytes.copy_to(&mut random);
    random
}

/// A fresh UUID, of the kind that sorts by its time.
pub(crate) fn uuid_v7() -> String {
    let bytes = Uint8Array::new_with_length(10);
    page::crypto().get_random_values_with_array_buffer_view(&bytes).expect("ten bytes can be filled");
    let mut random = [0; 10];
    bytes.copy_to(&mut random);
    ids::uuid_v7(clock::now(), random)
}
