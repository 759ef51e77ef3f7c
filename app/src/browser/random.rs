//! Randomness from the browser's own generator.

use js_sys::Uint8Array;
use satchel_core::ids::{self, ChatId, DeviceId, MessageId};

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

/// A fresh UUID of version 7.
pub(crate) fn uuid_v7() -> String {
    let bytes = Uint8Array::new_with_length(10);
    page::crypto().get_random_values_with_array_buffer_view(&bytes).expect("ten bytes can be filled");
    let mut random = [0; 10];
    bytes.copy_to(&mut random);
    ids::uuid_v7(clock::now(), random)
}
