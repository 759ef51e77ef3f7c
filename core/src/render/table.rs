//! A result as a table: which lists are one, and in which order its rows stand.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Rows under named columns. Every row has a cell for every column.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Value>>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// What it is called.
    pub name: String,
    /// Whether all its cells are numbers, or empty.
    pub is_numeric: bool,
}

/// A row as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRow {
    /// Its number in the table, from 0, however the table is sorted.
    pub number: usize,
    /// A text for every column.
    pub cells: Vec<String>,
}

/// Which way a table is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The smallest first.
    Up,
    /// The largest first.
    Down,
}

/// A table with more columns is a list of things rather than a table.
const MOST_COLUMNS: usize = 200;

impl Table {
    /// A list of objects, whose keys are the columns; the list again where it is no table.
    pub(super) fn of_objects(list: Vec<Value>) -> Result<Self, Vec<Value>> {
        let Some(names) = names_in(&list) else { return Err(list) };
        let row = |item| match item {
            Value::Object(fields) => in_order(fields, &names),
            _other => vec![Value::Null; names.len()],
        };
        let rows = list.into_iter().map(row).collect();
        Ok(Self::new(names, rows))
    }

    /// Named columns and rows that are lists, as pandas and databases write them. Short rows are filled up.
    pub(super) fn of_lists(names: Vec<String>, list: Vec<Value>) -> Option<Self> {
        if !Self::takes(&names) {
            return None;
        }
        let row = |item| match item {
            Value::Array(mut cells) => {
                cells.resize(names.len(), Value::Null);
                Some(cells)
            }
            Value::Object(fields) => Some(in_order(fields, &names)),
            _other => None,
        };
        let rows: Option<Vec<Vec<Value>>> = list.into_iter().map(row).collect();
        rows.map(|rows| Self::new(names, rows))
    }

    /// Whether these can be the columns of a table.
    pub(super) fn takes(names: &[String]) -> bool {
        !names.is_empty() && names.len() <= MOST_COLUMNS
    }

    fn new(names: Vec<String>, rows: Vec<Vec<Value>>) -> Self {
        let is_numeric = |at: usize| {
            let mut any = false;
            let fits = rows.iter().all(|row| match &row[at] {
                Value::Number(_) => {
                    any = true;
                    true
                }
                Value::Null => true,
                _other => false,
            });
            fits && any
        };
        let columns =
            (names.into_iter().enumerate()).map(|(at, name)| Column { is_numeric: is_numeric(at), name }).collect();
        Self { columns, rows }
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What stands in a row, as it is shown; nothing for a row that is not there.
    #[must_use]
    pub fn row(&self, at: usize) -> Vec<String> {
        self.rows.get(at).map(|row| row.iter().map(cell_text).collect()).unwrap_or_default()
    }

    /// So many rows from one on, in the order of [`Table::order`] or, without one, in their own; fewer where the table ends.
    #[must_use]
    pub fn rows(&self, order: Option<&[u32]>, from: usize, many: usize) -> Vec<TableRow> {
        (from..self.len().min(from.saturating_add(many)))
            .map(|at| order.and_then(|order| order.get(at)).map_or(at, |number| *number as usize))
            .map(|number| TableRow { number, cells: self.row(number) })
            .collect()
    }

    /// The rows by their numbers, sorted by a column; rows that are equal there stay in their order, and empty cells are last.
    #[must_use]
    pub fn order(&self, column: usize, direction: Direction) -> Vec<u32> {
        let mut keyed: Vec<(Key, u32)> = (self.rows.iter().zip(0_u32..))
            .map(|(row, number)| (Key::of(row.get(column).unwrap_or(&Value::Null)), number))
            .collect();
        keyed.sort_by(|(one, _), (other, _)| match (one, other) {
            (Key::Empty, Key::Empty) => Ordering::Equal,
            (Key::Empty, _) => Ordering::Greater,
            (_, Key::Empty) => Ordering::Less,
            (one, other) if direction == Direction::Up => one.compare(other),
            (one, other) => other.compare(one),
        });
        keyed.into_iter().map(|(_, number)| number).collect()
    }

    /// The whole table as lines of cells with tabs between them, as spreadsheets take it.
    #[must_use]
    pub fn to_text(&self) -> String {
        let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        let head = self.columns.iter().map(|column| plain(&column.name)).collect::<Vec<_>>().join("\t");
        let rows = self.rows.iter().map(|row| {
            let cells: Vec<String> = row.iter().map(|cell| plain(&cell_text(cell))).collect();
            cells.join("\t")
        });
        std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n")
    }
}

/// The columns of a list of objects. A list of anything else is no table, nor is one whose objects have hardly a key in common.
pub(super) fn names_in(list: &[Value]) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let mut filled = 0;
    for item in list {
        let fields = item.as_object()?;
        filled += fields.len();
        // Most lists repeat the keys of their first object, so that this rarely searches.
        for (at, key) in fields.keys().enumerate() {
            if names.get(at) != Some(key) && !names.contains(key) {
                names.push(key.clone());
            }
        }
        if names.len() > MOST_COLUMNS {
            return None;
        }
    }
    let is_sparse = filled * 3 < names.len() * list.len();
    (!names.is_empty() && !is_sparse).then_some(names)
}

fn in_order(mut fields: Map<String, Value>, names: &[String]) -> Vec<Value> {
    names.iter().map(|name| fields.get_mut(name).map(Value::take).unwrap_or_default()).collect()
}

/// A value as a cell shows it: texts without quotes, nothing for null.
pub(super) fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What a cell is sorted by: numbers before texts, texts without regard to case.
enum Key {
    Number(f64),
    Text(String),
    Empty,
}

impl Key {
    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Empty,
            Value::Number(number) => Self::Number(number.as_f64().unwrap_or(f64::NAN)),
            Value::Bool(flag) => Self::Number(f64::from(u8::from(*flag))),
            Value::String(text) if text.is_empty() => Self::Empty,
            Value::String(text) => match text.parse() {
                Ok(number) => Self::Number(number),
                Err(_) => Self::Text(text.to_lowercase()),
            },
            other => Self::Text(other.to_string()),
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one.total_cmp(other),
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            (Self::Number(_), _) => Ordering::Less,
            (_, Self::Number(_)) => Ordering::Greater,
            (Self::Empty, _) | (_, Self::Empty) => Ordering::Equal,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table(list: Value) -> Option<Table> {
        let Value::Array(list) = list else { return None };
        Table::of_objects(list).ok()
    }

    #[test]
    fn objects_with_the_same_keys_are_rows() {
        let table = table(json!([{"a": 1, "b": "x"}, {"b": null, "a": 2.5, "c": true}])).expect("is a table");
        let columns: Vec<(&str, bool)> =
            table.columns().iter().map(|column| (column.name.as_str(), column.is_numeric)).collect();
        assert_eq!(columns, [("a", true), ("b", false), ("c", false)]);
        assert_eq!(table.row(0), ["1", "x", ""]);
        assert_eq!(table.row(1), ["2.5", "", "true"]);
        assert_eq!(table.row(2), Vec::<String>::new());
        assert_eq!(table.to_text(), "a\tb\tc\n1\tx\t\n2.5\t\ttrue");
    }

    #[test]
    fn other_lists_are_no_tables() {
        assert_eq!(table(json!([])), None);
        assert_eq!(table(json!([1, 2])), None);
        assert_eq!(table(json!([{}, {}])), None);
        // Four objects that have nothing in common.
        assert_eq!(table(json!([{"a": 1}, {"b": 1}, {"c": 1}, {"d": 1}])), None);
    }

    #[test]
    fn rows_are_sorted_as_people_expect() {
        let table = table(json!([{"n": "b"}, {"n": "10"}, {"n": null}, {"n": 9}, {"n": "A"}])).expect("is a table");
        assert_eq!(table.order(0, Direction::Up), [3, 1, 4, 0, 2]);
        assert_eq!(table.order(0, Direction::Down), [0, 4, 1, 3, 2]);
        assert_eq!(table.order(7, Direction::Up), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_part_of_the_rows_is_given_in_the_order_that_is_asked_for() {
        let table = table(json!([{"n": 3}, {"n": 1}, {"n": 2}])).expect("is a table");
        let check = |order: Option<&[u32]>, from, many, expected: &[(usize, &str)]| {
            let rows = table.rows(order, from, many);
            let rows: Vec<(usize, &str)> = rows.iter().map(|row| (row.number, row.cells[0].as_str())).collect();
            assert_eq!(rows, expected);
        };
        check(None, 1, 2, &[(1, "1"), (2, "2")]);
        check(Some(&table.order(0, Direction::Up)), 0, 2, &[(1, "1"), (2, "2")]);
        check(Some(&table.order(0, Direction::Down)), 0, usize::MAX, &[(0, "3"), (2, "2"), (1, "1")]);
        check(None, 3, 5, &[]);
        check(None, 9, usize::MAX, &[]);
    }

    #[test]
    fn lists_of_cells_take_the_names_they_are_given() {
        let lists = vec![json!([1]), json!([2, "x", "too many"]), json!({"b": 3})];
        let table = Table::of_lists(vec!["a".into(), "b".into()], lists).expect("is a table");
        assert_eq!([table.row(0), table.row(1), table.row(2)], [["1", ""], ["2", "x"], ["", "3"]]);
        assert_eq!(Table::of_lists(vec!["a".into()], vec![json!(1)]), None);
    }
}
