"""Tables: read from CSV, TSV, JSON and NDJSON, with every column's kind found out.

A table is columns of Python values: `int`, `float`, `str`, or `None` where nothing was given. Dates stay texts in ISO form, which
sort and compare as they should, in Python and in SQLite alike.
"""

import csv
import io
import json
import math
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from desk.files import TABLES, existing, shown

Kind = Literal["number", "date", "text", "empty"]
Value = int | float | str | None

#: What people write where there is nothing.
_NOTHING = frozenset({"", "na", "n/a", "nan", "null", "none", "-"})
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
#: 1.234,5 as half of Europe writes it; only believed where columns are separated by semicolons.
_COMMA_NUMBER = re.compile(r"[-+]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?")
_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[-+]\d{2}:?\d{2})?)?")


@dataclass(frozen=True)
class Column:
    """One column: its name, what its values are, and the values."""

    name: str
    kind: Kind
    values: list[Value]

    def numbers(self) -> list[int | float]:
        """The values that are numbers."""
        return [value for value in self.values if isinstance(value, (int, float))]


@dataclass(frozen=True)
class Table:
    """A table: its columns, and what was noticed while it was read."""

    path: str
    format: str
    columns: list[Column]
    notes: list[str] = field(default_factory=list)

    @property
    def row_count(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def column(self, name: str) -> Column:
        """The column of this name, in any case, or an error that says which there are."""
        for column in self.columns:
            if column.name == name:
                return column
        for column in self.columns:
            if column.name.casefold() == name.strip().casefold():
                return column
        close = get_close_matches(name, self.names, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(self.names)}"
        raise ValueError(f"{self.path} has no column {name!r}; {hint}")

    def rows(self) -> list[tuple[Value, ...]]:
        """The values row by row."""
        return list(zip(*(column.values for column in self.columns)))


def read_table(workspace: Path, path: str) -> Table:
    """Reads a table of the workspace."""
    target = existing(workspace, path)
    name, ending = shown(workspace, target), target.suffix.lower()
    if ending not in TABLES:
        raise ValueError(f"{name} is no table that can be read; its name has to end in {', '.join(TABLES)}")
    text, notes = _decoded(target.read_bytes())
    if ending in (".csv", ".tsv"):
        return _from_csv(name, text, notes, "\t" if ending == ".tsv" else None)
    return _from_json(name, text, notes, one_per_line=ending != ".json")


def _decoded(data: bytes) -> tuple[str, list[str]]:
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        # Every byte is a letter in this one, so it is the last resort and is said.
        return data.decode("cp1252", errors="replace"), ["The file is not UTF-8; it was read as Windows-1252."]


# ---- CSV ----


def _from_csv(name: str, text: str, notes: list[str], delimiter: str | None) -> Table:
    delimiter = delimiter or _delimiter_of(text)
    # A cell may be as long as it likes.
    csv.field_size_limit(2**31 - 1)
    lines = [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(line)]
    if not lines:
        raise ValueError(f"{name} is empty; it needs a line of column names, and rows below it")
    header, rows = _names(lines[0]), lines[1:]
    width = len(header)
    uneven = sum(len(row) != width for row in rows)
    if uneven:
        notes.append(f"{uneven} of {len(rows)} rows have more or fewer cells than the {width} columns of the first line.")
    cells = [[row[at] if at < len(row) else "" for row in rows] for at in range(width)]
    columns = [_typed(column, values, comma=delimiter == ";") for column, values in zip(header, cells)]
    separated = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}[delimiter]
    return Table(name, f"CSV, separated by {separated}", columns, notes)


def _delimiter_of(text: str) -> str:
    """The sign that stands equally often in the first lines; a comma where none does."""
    lines = [line for line in text[:65536].splitlines() if line.strip()][:20]
    counts = {sign: [len(row) for row in csv.reader(lines, delimiter=sign)] for sign in ",;\t|"}
    regular = [sign for sign, widths in counts.items() if widths and widths[0] > 1 and len(set(widths)) == 1]
    likely = regular or [sign for sign, widths in counts.items() if widths and widths[0] > 1]
    return max(likely, key=lambda sign: counts[sign][0], default=",")


def _names(header: list[str]) -> list[str]:
    """Every column a name of its own: SQL and people need one. SQLite takes no notice of case, so neither does this."""
    names: list[str] = []
    taken: set[str] = set()
    for at, given in enumerate(header, start=1):
        wanted = given.strip() or f"column_{at}"
        name, copy = wanted, 2
        while name.casefold() in taken:
            name, copy = f"{wanted}_{copy}", copy + 1
        names.append(name)
        taken.add(name.casefold())
    return names


def _typed(name: str, cells: list[str], comma: bool) -> Column:
    """A column of texts as what it holds: numbers or dates, if all of its texts are."""
    texts = [None if cell.strip().casefold() in _NOTHING else cell.strip() for cell in cells]
    given = [text for text in texts if text is not None]
    if not given:
        return Column(name, "empty", [None] * len(texts))
    if all(_DATE.fullmatch(text) for text in given):
        return Column(name, "date", [text and text.replace(" ", "T", 1) for text in texts])
    if comma and not all(map(_is_number, given)) and all(_COMMA_NUMBER.fullmatch(text) for text in given):
        texts = [text and text.replace(".", "").replace(",", ".") for text in texts]
        return Column(name, "number", [text and _number(text) for text in texts])
    if all(map(_is_number, given)):
        return Column(name, "number", [None if text is None else _number(text) for text in texts])
    return Column(name, "text", texts)


def _is_number(text: str) -> bool:
    """Whether a text is a number. A number with a zero in front is a code, such as a postcode, and stays as it is."""
    digits = text.lstrip("+-")
    is_code = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    return not is_code and _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def _number(text: str) -> int | float:
    # SQLite keeps whole numbers of up to 64 bits.
    whole = int(text) if text.lstrip("+-").isdigit() else None
    return whole if whole is not None and abs(whole) < 2**63 else float(text)


# ---- JSON ----


def _from_json(name: str, text: str, notes: list[str], one_per_line: bool) -> Table:
    records = _lines(name, text) if one_per_line else _records(name, text, notes)
    if not records:
        raise ValueError(f"{name} has no rows; it needs a list of objects, such as [{{\"a\": 1}}, {{\"a\": 2}}]")
    header: dict[str, None] = {}
    for record in records:
        header.update(dict.fromkeys(record))
    columns = [_of_values(column, [record.get(column) for record in records]) for column in header]
    columns = [Column(unique, column.kind, column.values) for unique, column in zip(_names(list(header)), columns)]
    return Table(name, "JSON, one object a line" if one_per_line else "JSON", columns, notes)


def _lines(name: str, text: str) -> list[dict]:
    records = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            records.append(_record(_parsed(f"line {number} of {name}", line), f"line {number} of {name}"))
    return records


def _records(name: str, text: str, notes: list[str]) -> list[dict]:
    value = _parsed(name, text)
    if isinstance(value, dict):
        lists = {key: inside for key, inside in value.items() if isinstance(inside, list) and inside}
        if len(lists) == 1:
            [(key, value)] = lists.items()
            notes.append(f"The rows are those under {key!r}.")
        else:
            value = [value]
    if not isinstance(value, list):
        raise ValueError(f"{name} holds {type(value).__name__}; a table is a list of objects")
    return [_record(item, f"item {at} of {name}") for at, item in enumerate(value, start=1)]


def _record(value: object, where: str) -> dict:
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return {f"column_{at}": item for at, item in enumerate(value, start=1)}
    if value is None or isinstance(value, (str, int, float)):
        return {"value": value}
    raise ValueError(f"{where} is no row")


def _parsed(name: str, text: str) -> object:
    try:
        return json.loads(text, parse_constant=lambda word: None)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name} is not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None


def _of_values(name: str, values: list) -> Column:
    """A column of JSON values. What is neither a number nor a text becomes its JSON."""
    plain: list[Value] = []
    for value in values:
        if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
            plain.append(value)
        elif isinstance(value, str):
            plain.append(value)
        else:
            plain.append(json.dumps(value, ensure_ascii=False))
    given = [value for value in plain if value is not None]
    if not given:
        return Column(name, "empty", plain)
    if all(isinstance(value, (int, float)) for value in given):
        return Column(name, "number", plain)
    if all(isinstance(value, str) and _DATE.fullmatch(value) for value in given):
        return Column(name, "date", plain)
    return Column(name, "text", [None if value is None else str(value) for value in plain])
