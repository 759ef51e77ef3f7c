//! docs/local-api.md has every address of the table, and no other.

use std::collections::BTreeSet;

use super::super::table;
use crate::store::MemoryStore;

const DOCUMENT: &str = include_str!("../../../../docs/local-api.md");

#[test]
fn every_address_is_documented_and_no_other() {
    let rows = DOCUMENT.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let documented: Vec<String> =
        rows.map(|(request, _)| request.to_owned()).filter(|request| request.contains(" /local/")).collect();
    let once: BTreeSet<String> = documented.iter().cloned().collect();
    assert_eq!(once.len(), documented.len(), "each address has one row");
    let answered: BTreeSet<String> =
        table::<MemoryStore>().iter().map(|route| format!("{} /local/{}", route.method, route.pattern)).collect();
    assert_eq!(once, answered);
}
