//! Randomness from the browser's own generator.

use satchel_core::ids::DeviceId;

use super::page;

/// A device id that no other profile has.
pub(crate) fn device_id() -> DeviceId {
    DeviceId::parse(page::crypto().random_uuid()).expect("randomUUID gives a UUID in lower case")
}
