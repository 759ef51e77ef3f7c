//! What every store must do, as one suite that every implementer runs: natively for the memory store, in Chromium for the
//! IndexedDB store.
//!
//! A new case is written as a function in one of the files below and named in [`every_case`](crate::every_store_case), and from then on both stores are held to it.

mod blobs;
mod changes;
mod devices;
mod reading;
mod sending;

pub use blobs::*;
pub use changes::*;
pub use devices::*;
pub use reading::*;
pub use sending::*;

use super::Store;
use crate::ids::DeviceId;
use crate::record::{RowRef, Setting};
use crate::sync::Stamp;
use crate::time::Timestamp;

/// How a suite gets at the store it tests.
#[expect(async_fn_in_trait, reason = "only tests implement this")]
pub trait Harness {
    /// The store under test.
    type Store: Store;

    /// A place for one store, empty, of this device.
    async fn fresh(device: DeviceId) -> Self;

    /// Opens the store. A second call gives what a second tab, or the next start, would have.
    async fn open(&self) -> Self::Store;
}

/// Hands the name of every case to the macro `$run`, which makes a test of each.
#[macro_export]
macro_rules! every_store_case {
    ($run:ident) => {
        $run! {
            a_record_reads_back
            an_empty_commit_succeeds
            blobs_are_stored_once_under_their_names
            blobs_are_listed_by_name
            several_blobs_come_in_the_order_asked_for
            of_many_blobs_the_missing_ones_are_told
            a_missing_required_blob_refuses_the_whole_commit
            a_required_blob_may_come_with_the_commit
            writing_a_blob_again_heals_it
            dropped_blobs_are_gone
            nothing_is_dropped_once_another_commit_relies_on_blobs
            a_changed_row_refuses_the_whole_commit
            an_expected_absence_holds_for_a_deleted_row
            only_changed_fields_get_a_new_stamp
            a_change_of_one_field_leaves_another_tabs_field
            writing_equal_values_writes_nothing
            stamps_grow_though_the_clock_goes_back
            two_tabs_never_make_the_same_stamp
            a_deleted_row_is_gone_and_can_come_back
            a_row_written_and_deleted_in_one_commit_is_gone
            of_many_rows_those_that_are_there_are_seen
            the_outbox_holds_one_entry_a_row
            a_row_changed_while_being_sent_stays_in_the_outbox
            device_local_rows_never_reach_the_outbox
            both_durabilities_are_there_at_the_next_start
            an_unreadable_row_does_not_hide_the_others
            keys_of_several_parts_are_kept_apart
            rows_come_sorted_by_key
            rows_are_found_by_an_indexed_field
            several_lookups_are_answered_in_their_order
            keys_are_listed_without_their_rows
            deleted_rows_are_read_as_they_are_kept
            rows_of_other_devices_are_merged
            rows_are_sent_again_on_request
        }
    };
}

pub use every_store_case as every_case;

fn device() -> DeviceId {
    DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID")
}

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn setting(key: &str, value: impl Into<serde_json::Value>) -> Setting {
    Setting { key: key.into(), value: value.into() }
}

async fn stamp_of(store: &impl Store, row: &RowRef) -> Option<Stamp> {
    store.row(row).await.expect("reads").and_then(|row| row.stamp().cloned())
}
