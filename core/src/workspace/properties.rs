//! What holds for every workspace, tried on many.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::fixtures::{LIMITS, built, file, path, trees};
use super::{Changes, Files, Trees, WorkspaceError, diff, edit, find, flatten, gather};

/// Some files. Names repeat often, so that folders are shared, replaced and emptied.
fn some_files() -> impl Strategy<Value = Files> {
    let name = prop::sample::select(vec!["a", "b", "c.txt", "d-d", "é", "e f"]);
    let at = prop::collection::vec(name, 1..5).prop_map(|names| names.join("/"));
    prop::collection::btree_map(at, "[xyz]{0,2}", 0..20).prop_map(without_conflicts)
}

/// Leaves out files that lie below another file.
fn without_conflicts(contents: BTreeMap<String, String>) -> Files {
    let below = |at: &str| contents.keys().any(|other| at.starts_with(&format!("{other}/")));
    let proper = contents.iter().filter(|(at, _)| !below(at));
    proper.map(|(at, content)| (path(at), file(content))).collect()
}

proptest! {
    /// R035
    #[test]
    fn a_snapshot_of_a_materialised_snapshot_is_the_same(files in some_files()) {
        let snapshot = built(&files);
        let again = flatten(&trees(&[&snapshot]), snapshot.root).expect("all trees are there");
        prop_assert_eq!(&again, &files);
        prop_assert_eq!(built(&again), snapshot);
    }

    /// R034: a snapshot by what changed is the same as one of everything.
    #[test]
    fn an_edit_gives_what_building_anew_would((a, b) in (some_files(), some_files())) {
        let (before, after) = (built(&a), built(&b));
        let mut changes = Changes::default();
        for at in a.keys().filter(|at| !b.contains_key(*at)) {
            changes = changes.delete(at.clone());
        }
        for (at, file) in &b {
            changes = changes.put(at.clone(), *file);
        }
        let edited = edit(&trees(&[&before]), before.root, &changes, &LIMITS).expect("are proper files");
        prop_assert_eq!((edited.root, edited.totals), (after.root, after.totals));
        let all = trees(&[&before, &edited]);
        prop_assert_eq!(flatten(&all, edited.root), Ok(b));
    }

    /// R033, R038: what differs, done to the one, gives the other.
    #[test]
    fn a_diff_leads_from_one_state_to_the_other((a, b) in (some_files(), some_files())) {
        let (before, after) = (built(&a), built(&b));
        let all = trees(&[&before, &after]);
        let differs = diff(&all, before.root, after.root).expect("all trees are there");
        prop_assert_eq!(differs.is_empty(), a == b);
        let edited = edit(&all, before.root, &Changes::from(&differs), &LIMITS).expect("are proper files");
        prop_assert_eq!(edited.root, after.root);
        let back = diff(&all, after.root, before.root).expect("all trees are there");
        prop_assert_eq!((&back.added, &back.deleted), (&differs.deleted, &differs.added));
    }

    /// R031: the same files make the same trees, in whatever order they came.
    #[test]
    fn the_order_of_changes_does_not_matter(files in some_files(), seed in any::<prop::sample::Index>()) {
        let mut order: Vec<_> = files.iter().collect();
        if !order.is_empty() {
            let turn = seed.index(order.len());
            order.rotate_left(turn);
            order.reverse();
        }
        let mut snapshot = built(&Files::new());
        let mut all = Trees::default();
        for (at, file) in order {
            let changes = Changes::default().put(at.clone(), *file);
            snapshot = edit(&all, snapshot.root, &changes, &LIMITS).expect("is a proper file");
            for blob in &snapshot.trees {
                all.insert(blob.id(), Some(blob.bytes()));
            }
        }
        prop_assert_eq!(snapshot.root, built(&files).root);
    }

    #[test]
    fn a_file_is_found_where_it_is((files, other) in (some_files(), some_files())) {
        let snapshot = built(&files);
        let all = trees(&[&snapshot]);
        for at in files.keys().chain(other.keys()) {
            prop_assert_eq!(find(&all, snapshot.root, at), Ok(files.get(at).copied()));
        }
    }

    /// R319: what changes replace and delete is enough to take them back, and it is read without the rest.
    #[test]
    fn what_is_gathered_takes_changes_back((files, other) in (some_files(), some_files()), keep in any::<bool>()) {
        let snapshot = built(&files);
        let all = trees(&[&snapshot]);
        let mut changes = Changes::default();
        for (at, file) in &other {
            let folder = at.names().next().expect("a path has a name");
            changes = if keep { changes.put(at.clone(), *file) } else { changes.delete(path(folder)) };
        }
        let gathered = gather(&all, snapshot.root, changes.paths()).expect("all trees are there");
        prop_assert!(gathered.iter().all(|(at, file)| files.get(at) == Some(file)));
        prop_assert_eq!(changes.undo(&gathered), changes.undo(&files));
    }

    /// What is asked for is asked for once, and then everything is there.
    #[test]
    fn lacking_trees_are_asked_for_level_by_level(files in some_files()) {
        let snapshot = built(&files);
        let stored: BTreeMap<_, _> = snapshot.trees.iter().map(|blob| (blob.id(), blob.bytes())).collect();
        let mut known = Trees::default();
        let mut rounds = 0;
        let found = loop {
            match flatten(&known, snapshot.root) {
                Err(WorkspaceError::Missing(ids)) => {
                    rounds += 1;
                    for id in ids {
                        prop_assert!(!known.knows(id));
                        known.insert(id, stored.get(&id).copied());
                    }
                }
                other => break other,
            }
        };
        prop_assert_eq!(found, Ok(files));
        prop_assert!(rounds <= 4);
    }
}
