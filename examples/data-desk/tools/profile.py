"""The tool `profile`: what is in a table, column by column."""

from collections import Counter
from pathlib import Path
from statistics import fmean, median

from desk.tables import Column, Table, read_table

#: How many of the most frequent values are told.
_TOP = 8
#: Into how many steps numbers are sorted for their picture.
_STEPS = 12


def profile(workspace: Path, file: str) -> dict:
    """Tells what each column of a table holds.

    Args:
        workspace: The folder of the chat's files.
        file: The table.

    Returns:
        The number of rows, a summary of each column, and notes on what looks wrong.
    """
    table = read_table(workspace, file)
    return {
        "file": table.path,
        "format": table.format,
        "rows": table.row_count,
        "columns": [_summary(column) for column in table.columns],
        "notes": [*table.notes, *_notes(table)],
    }


def _summary(column: Column) -> dict:
    given = [value for value in column.values if value is not None]
    counts = Counter(given)
    summary = {
        "name": column.name,
        "kind": column.kind,
        "filled": len(given),
        "missing": len(column.values) - len(given),
        "distinct": len(counts),
    }
    if column.kind == "number":
        summary |= _of_numbers(column.numbers())
    elif column.kind == "date":
        summary |= {"min": min(given), "max": max(given)}
    if column.kind in ("text", "date") and given:
        summary["top"] = [{"value": str(value)[:80], "count": count} for value, count in counts.most_common(_TOP)]
    return summary


def _of_numbers(numbers: list[int | float]) -> dict:
    low, high = min(numbers), max(numbers)
    told = {"min": low, "max": high, "mean": _rounded(fmean(numbers)), "median": _rounded(median(numbers))}
    if low == high:
        return told
    width = (high - low) / _STEPS
    steps = [0] * _STEPS
    for number in numbers:
        steps[min(int((number - low) / width), _STEPS - 1)] += 1
    return told | {"steps": steps}


def _notes(table: Table) -> list[str]:
    """What somebody should know before they count on the table."""
    notes = []
    rows = table.rows()
    copies = len(rows) - len(set(rows))
    if copies:
        notes.append(f"{copies} rows are exact copies of others." if copies > 1 else "One row is an exact copy of another.")
    for column in table.columns:
        missing = column.values.count(None)
        if column.kind == "empty":
            notes.append(f"{column.name} is empty in every row.")
        elif missing * 2 > len(column.values):
            notes.append(f"{column.name} is missing in {missing} of {len(column.values)} rows.")
        elif len(column.values) > 1 and missing == 0 and len(set(column.values)) == 1:
            notes.append(f"{column.name} is {column.values[0]!r} in every row.")
    return notes


def _rounded(number: float) -> float:
    """Six digits that count are more than anybody reads."""
    return float(f"{number:.6g}")
