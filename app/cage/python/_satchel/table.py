"""Rows as a table in HTML, every text in it escaped."""

import html

#: Nobody reads further; the whole belongs into a file.
_MOST_ROWS = 1_000


def is_table(thing: object) -> bool:
    """Whether a thing is a list of dicts."""
    return isinstance(thing, list) and bool(thing) and all(isinstance(row, dict) for row in thing)


def html_table(rows, columns=None) -> str:
    """A list of dicts, or a list of lists with the names of their columns."""
    rows = list(rows)
    if columns is None:
        columns = list(dict.fromkeys(key for row in rows if isinstance(row, dict) for key in row))
    head = "".join(f"<th>{_cell(column)}</th>" for column in columns)
    body = "".join(f"<tr>{_row(row, columns)}</tr>" for row in rows[:_MOST_ROWS])
    rest = len(rows) - _MOST_ROWS
    caption = f"<caption>{rest:,} more rows are not shown</caption>" if rest > 0 else ""
    head = f"<thead><tr>{head}</tr></thead>" if columns else ""
    return f"<table>{caption}{head}<tbody>{body}</tbody></table>"


def _row(row, columns) -> str:
    values = [row.get(column) for column in columns] if isinstance(row, dict) else row
    return "".join(f"<td>{_cell(value)}</td>" for value in values)


def _cell(value: object) -> str:
    return "" if value is None else html.escape(str(value))
