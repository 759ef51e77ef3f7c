//! A table of any length: sorted by the column that is pressed, and drawn only where it is looked at.

use leptos::html::Div;
use leptos::prelude::*;
use satchel_core::counted::counted;
use satchel_core::render::{Column, Direction, Fields, TableRow};

use super::key_value::FieldList;
use super::source::NotRead;
use super::surface::Surface;
use super::table_rows::{TableRows, Window};
use crate::browser::viewport;
use crate::work::tables::Sorting;

/// How high a row is, in pixels. The style sheet says the same.
const ROW: usize = 28;
/// Rows that are drawn above and below what can be seen.
const SPARE: usize = 12;
/// When fewer than so many of them are left, others are drawn.
const MARGIN: usize = 3;
/// Up to so many rows a table is as high as they are.
const AT_MOST: usize = 14;

/// The table.
#[component]
pub(super) fn TableView(
    /// Its rows.
    rows: TableRows,
    /// What is beside it.
    rest: Fields,
) -> impl IntoView {
    let copied = rows.copied();
    let title = format!("Table: {}, {}", counted(rows.len(), "row"), counted(rows.columns().len(), "column"));
    view! {
        <Surface test_id="renderer-table" title copied>
            <FieldList fields=rest />
            <Rows source=rows />
        </Surface>
    }
}

#[component]
fn Rows(
    /// The rows.
    source: TableRows,
) -> impl IntoView {
    let host = NodeRef::<Div>::new();
    let (rows, columns) = (source.len(), source.columns().len());
    let sorted = RwSignal::new(Sorting::None);
    // Which rows are drawn: moved only when those that are no longer suffice, so that most scrolling draws nothing.
    let first = RwSignal::new(0_usize);
    let seen = RwSignal::new(AT_MOST);
    let window = Memo::new(move |_| Window { sorted: sorted.get(), from: first.get(), many: seen.get() + 2 * SPARE });
    let look = move || {
        let Some(host) = host.get_untracked() else { return };
        let (top, height) = viewport::scrolled(&host);
        let (at, shown, drawn) = (top / ROW, height.div_ceil(ROW) + 1, first.get_untracked());
        if shown != seen.get_untracked() {
            seen.set(shown);
        }
        let end = drawn + shown + 2 * SPARE;
        let covers_top = drawn == 0 || drawn + MARGIN <= at;
        let covers_end = rows <= end || at + shown + MARGIN <= end;
        if !(covers_top && covers_end) {
            first.set(at.saturating_sub(SPARE));
        }
    };
    Effect::new(move || {
        if host.get().is_some() {
            look();
        }
    });
    let supply = source.supply(window);
    let problem = supply.problem;
    let head = StoredValue::new(source.clone());
    let body = move || {
        let Window { from, many, .. } = window.get();
        let drawn = (from..rows.min(from + many)).map(|at| {
            // A row that has not come yet has its place already.
            let (number, cells) = match supply.row(at) {
                Some(TableRow { number, cells }) => ((number + 1).to_string(), cells),
                None => (String::new(), vec![String::new(); columns]),
            };
            let cells = cells.into_iter().zip(source.columns()).map(|(text, column)| {
                view! { <td class:numeric=column.is_numeric title=text.clone()>{text.clone()}</td> }
            });
            view! {
                <tr aria-rowindex=(at + 2).to_string()>
                    <td class="row-number">{number}</td>
                    {cells.collect_view()}
                </tr>
            }
        });
        drawn.collect_view()
    };
    let above = move || format!("{}", first.get().min(rows) * ROW);
    let below = move || format!("{}", rows.saturating_sub(first.get() + seen.get() + 2 * SPARE) * ROW);
    view! {
        {move || problem.get().map(|problem| view! { <NotRead problem=Some(problem) /> })}
        <div class="table-view" node_ref=host tabindex="0" role="region" aria-label="Rows" on:scroll=move |_| look()>
            <table aria-rowcount=(rows + 1).to_string() aria-colcount=(columns + 1).to_string()>
                <thead>
                    <tr>
                        <th class="row-number" aria-label="Row"></th>
                        {move || head.with_value(|source| heads(source.columns(), sorted))}
                    </tr>
                </thead>
                <tbody>
                    <tr aria-hidden="true"><td class="table-space"><svg width="1" height=above></svg></td></tr>
                    {body}
                    <tr aria-hidden="true"><td class="table-space"><svg width="1" height=below></svg></td></tr>
                </tbody>
            </table>
        </div>
    }
}

/// The heads of the columns. Pressing one sorts, up, down, and then not at all.
fn heads(columns: &[Column], sorted: RwSignal<Sorting>) -> Vec<AnyView> {
    let head = |(at, column): (usize, &Column)| {
        let now = move || sorted.get().filter(|(column, _)| *column == at).map(|(_, direction)| direction);
        let turn = move |_| {
            sorted.set(match untrack(now) {
                None => Some((at, Direction::Up)),
                Some(Direction::Up) => Some((at, Direction::Down)),
                Some(Direction::Down) => None,
            });
        };
        let (mark, word) = (
            move || match now() {
                None => "",
                Some(Direction::Up) => "▲",
                Some(Direction::Down) => "▼",
            },
            move || match now() {
                None => "none",
                Some(Direction::Up) => "ascending",
                Some(Direction::Down) => "descending",
            },
        );
        let name = column.name.clone();
        view! {
            <th class:numeric=column.is_numeric aria-sort=word>
                <button type="button" on:click=turn>
                    {name}
                    <span class="sort-mark" aria-hidden="true">{mark}</span>
                </button>
            </th>
        }
        .into_any()
    };
    columns.iter().enumerate().map(head).collect()
}
