//! Tables that were too long for the records of their calls (R308), held in the worker. The page draws a screenful of one and asks for the
//! rows it shows: reading a hundred thousand rows, or sorting them, would hold it up for many frames.

use std::cell::RefCell;
use std::collections::VecDeque;

use satchel_core::digest::BlobId;
use satchel_core::render::{Column, Direction, Fields, Plain, Table, TableRow};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{errand, store};
use crate::browser::core_worker::scope::Done;
use crate::work::calls;
use crate::work::store::AppStore;
use crate::work::workspace::FilesError;

/// Which column a table is sorted by, and which way; nothing for its own order.
pub(crate) type Sorting = Option<(usize, Direction)>;

/// What the page asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Errand {
    /// Read a result and hold it, if it is a table.
    Open {
        /// The tool that gave it.
        tool: String,
        /// What the tool was called with.
        args: Value,
        /// Where the result is, for the words where it cannot be read.
        path: String,
        /// The result.
        sha256: BlobId,
    },
    /// Some rows of a table.
    Rows {
        /// The table.
        sha256: BlobId,
        /// In which order.
        sorted: Sorting,
        /// From which row on.
        from: usize,
        /// How many.
        many: usize,
    },
    /// The whole table as a text; it is the one piece of the answer.
    Text {
        /// The table.
        sha256: BlobId,
    },
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// It is a table, and held.
    Opened(Opened),
    /// The result is no table.
    NoTable,
    /// The rows that were asked for.
    Rows(Vec<TableRow>),
    /// The text is there.
    Text,
    /// The table is not held any more.
    LetGo,
}

/// What the page has to know of a table before it asks for rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Opened {
    /// Its columns.
    pub(crate) columns: Vec<Column>,
    /// How many rows there are.
    pub(crate) len: usize,
    /// What the result has beside the table.
    pub(crate) rest: Fields,
}

/// How many tables are held at a time; the one that was not asked for the longest is let go.
const MOST_HELD: usize = 3;
/// So many rows at most are given at a time.
const MOST_ROWS: usize = 2_000;

/// A table, and the order that it was last asked for in.
struct Held {
    sha256: BlobId,
    table: Table,
    ordered: Option<((usize, Direction), Vec<u32>)>,
}

thread_local! {
    /// The newest first.
    static HELD: RefCell<VecDeque<Held>> = const { RefCell::new(VecDeque::new()) };
}

/// Runs an errand.
pub(super) async fn run(errand: &str) -> Done {
    errand::run(errand, attempt).await
}

async fn attempt(errand: Errand) -> Result<(Outcome, Vec<Vec<u8>>), FilesError> {
    let outcome = match errand {
        Errand::Open { tool, args, path, sha256 } => {
            let store = AppStore::Kept(store::open().await?);
            let bytes = calls::content(&store, &path, sha256).await?;
            let plain = serde_json::from_slice(&bytes).ok().map(|result| Plain::of(&tool, &args, result));
            match plain {
                Some(Plain::Table { table, rest }) => Outcome::Opened(hold(sha256, table, rest)),
                _not_a_table => Outcome::NoTable,
            }
        }
        Errand::Rows { sha256, sorted, from, many } => {
            let rows = with_held(sha256, |held| held.rows(sorted, from, many.min(MOST_ROWS)));
            rows.map_or(Outcome::LetGo, Outcome::Rows)
        }
        Errand::Text { sha256 } => match with_held(sha256, |held| held.table.to_text()) {
            Some(text) => return Ok((Outcome::Text, vec![text.into_bytes()])),
            None => Outcome::LetGo,
        },
    };
    Ok((outcome, Vec::new()))
}

fn hold(sha256: BlobId, table: Table, rest: Fields) -> Opened {
    let opened = Opened { columns: table.columns().to_vec(), len: table.len(), rest };
    HELD.with_borrow_mut(|all| {
        all.retain(|held| held.sha256 != sha256);
        all.push_front(Held { sha256, table, ordered: None });
        all.truncate(MOST_HELD);
    });
    opened
}

/// Uses a table that is held. Which tool gave it does not matter any more: the same bytes are the same table.
fn with_held<T>(sha256: BlobId, using: impl FnOnce(&mut Held) -> T) -> Option<T> {
    HELD.with_borrow_mut(|all| {
        let at = all.iter().position(|held| held.sha256 == sha256)?;
        let held = all.remove(at)?;
        all.push_front(held);
        all.front_mut().map(using)
    })
}

impl Held {
    fn rows(&mut self, sorted: Sorting, from: usize, many: usize) -> Vec<TableRow> {
        if let Some((column, direction)) = sorted
            && self.ordered.as_ref().is_none_or(|(of, _)| *of != (column, direction))
        {
            self.ordered = Some(((column, direction), self.table.order(column, direction)));
        }
        let order = self.ordered.as_ref().filter(|_| sorted.is_some()).map(|(_, order)| order.as_slice());
        self.table.rows(order, from, many)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    fn table_of(values: &[u32]) -> Table {
        let rows: Vec<Value> = values.iter().map(|value| json!({"n": value})).collect();
        match Plain::of("any:query", &Value::Null, Value::Array(rows)) {
            Plain::Table { table, .. } => table,
            other => panic!("no table: {other:?}"),
        }
    }

    async fn numbers(sha256: BlobId, sorted: Sorting) -> Option<Vec<usize>> {
        let asked = Errand::Rows { sha256, sorted, from: 0, many: 10 };
        match attempt(asked).await.expect("is answered").0 {
            Outcome::Rows(rows) => Some(rows.into_iter().map(|row| row.number).collect()),
            _let_go => None,
        }
    }

    /// The order that is held is the one that was asked for last, and going back to none gives the table's own.
    #[wasm_bindgen_test]
    async fn rows_are_given_in_the_order_of_each_request() {
        let id = BlobId::of(b"ordered");
        hold(id, table_of(&[2, 3, 1]), Vec::new());
        for (sorted, expected) in [
            (None, [0, 1, 2]),
            (Some((0, Direction::Up)), [2, 0, 1]),
            (Some((0, Direction::Down)), [1, 0, 2]),
            (None, [0, 1, 2]),
        ] {
            assert_eq!(numbers(id, sorted).await.as_deref(), Some(expected.as_slice()), "{sorted:?}");
        }
    }

    /// What is asked for stays; what was not asked for the longest goes, and that is said.
    #[wasm_bindgen_test]
    async fn only_so_many_tables_are_held() {
        let ids: Vec<BlobId> = (0..=MOST_HELD).map(|at| BlobId::of(format!("held {at}").as_bytes())).collect();
        for id in &ids[..MOST_HELD] {
            hold(*id, table_of(&[1, 2]), Vec::new());
        }
        assert!(numbers(ids[0], None).await.is_some());
        hold(ids[MOST_HELD], table_of(&[1, 2]), Vec::new());
        assert!(numbers(ids[0], None).await.is_some(), "asked for since");
        assert_eq!(numbers(ids[1], None).await, None);
        let text = attempt(Errand::Text { sha256: ids[1] }).await.expect("is answered").0;
        assert_eq!(text, Outcome::LetGo);
    }
}
