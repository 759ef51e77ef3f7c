//! Where the rows of a table come from: the page has them all, or the core worker has, and the page those around what is looked at.

use std::sync::Arc;

use leptos::prelude::*;
use satchel_core::render::{Column, Table, TableRow};

use super::surface::Copied;
use crate::work::tables::{HeldTable, Sorting};

/// The rows of a table.
#[derive(Clone)]
pub(super) enum TableRows {
    /// Here, in the page.
    Here(Arc<Table>),
    /// There, in the core worker.
    There(Arc<HeldTable>),
}

/// The rows that are drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    /// In which order.
    pub(super) sorted: Sorting,
    /// From which on.
    pub(super) from: usize,
    /// How many.
    pub(super) many: usize,
}

/// How the rows of a window are had. Both are to be called where a change is followed.
#[derive(Clone)]
pub(super) struct Supply {
    /// The row at a place of the window; nothing as long as it has not come.
    row: Arc<dyn Fn(usize) -> Option<TableRow> + Send + Sync>,
    /// Why rows do not come.
    pub(super) problem: Signal<Option<String>>,
}

impl Supply {
    pub(super) fn row(&self, at: usize) -> Option<TableRow> {
        (self.row)(at)
    }
}

/// Rows are fetched from the worker by blocks of so many, the one before and the one after along with them: while others are being fetched,
/// there is something to scroll through.
const BLOCK: usize = 128;

/// The rows that have come from the worker.
struct Arrived {
    from: usize,
    rows: Vec<TableRow>,
}

impl TableRows {
    /// The columns.
    pub(super) fn columns(&self) -> &[Column] {
        match self {
            Self::Here(table) => table.columns(),
            Self::There(table) => table.columns(),
        }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Here(table) => table.len(),
            Self::There(table) => table.len(),
        }
    }

    /// The whole table, to be copied.
    pub(super) fn copied(&self) -> Copied {
        match self.clone() {
            Self::Here(table) => Copied::of(move || table.to_text()),
            Self::There(table) => Copied::later(move || {
                let table = Arc::clone(&table);
                async move { table.text().await.map_err(|error| error.to_string()) }
            }),
        }
    }

    /// Supplies the rows of a window.
    pub(super) fn supply(&self, window: Memo<Window>) -> Supply {
        match self.clone() {
            Self::Here(table) => from_here(table, window),
            Self::There(table) => from_there(table, window),
        }
    }
}

fn from_here(table: Arc<Table>, window: Memo<Window>) -> Supply {
    let sorted = Memo::new(move |_| window.get().sorted);
    let of_order = Arc::clone(&table);
    let order = Memo::new(move |_| sorted.get().map(|(column, direction)| of_order.order(column, direction)));
    let row = move |at| order.with(|order| table.rows(order.as_deref(), at, 1).pop());
    Supply { row: Arc::new(row), problem: Signal::stored(None) }
}

fn from_there(table: Arc<HeldTable>, window: Memo<Window>) -> Supply {
    let part = Memo::new(move |_| {
        let Window { sorted, from, many } = window.get();
        let first = (from / BLOCK).saturating_sub(1) * BLOCK;
        (sorted, first, (from / BLOCK + 2) * BLOCK + many - first)
    });
    // While a part is being fetched, the one before it is still there.
    let arrived = LocalResource::new(move || {
        let (table, (sorted, from, many)) = (Arc::clone(&table), part.get());
        async move {
            let rows = table.rows(sorted, from, many).await;
            rows.map(|rows| Arrived { from, rows }).map_err(|error| error.to_string())
        }
    });
    let row = move |at: usize| {
        arrived.with(|arrived| match arrived {
            Some(Ok(Arrived { from, rows })) => at.checked_sub(*from).and_then(|at| rows.get(at)).cloned(),
            Some(Err(_)) | None => None,
        })
    };
    let problem = move || arrived.with(|arrived| arrived.as_ref().and_then(|arrived| arrived.as_ref().err().cloned()));
    Supply { row: Arc::new(row), problem: Signal::derive(problem) }
}
