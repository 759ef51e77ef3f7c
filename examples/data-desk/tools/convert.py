"""The tool `convert`: a table in another format."""

import csv
import io
import json
import sqlite3
from pathlib import Path

from desk.database import fill, named
from desk.files import existing, shown, to_write
from desk.tables import Table, read_table

_ENDINGS = {"csv": ".csv", "json": ".json", "ndjson": ".ndjson", "sqlite": ".sqlite"}
#: How much of what was written is shown.
_LINES = 30


def convert(workspace: Path, file: str, to: str, save_as: str | None = None) -> dict:
    """Writes a table in another format.

    Args:
        workspace: The folder of the chat's files.
        file: The table.
        to: One of csv, json, ndjson and sqlite.
        save_as: Where it goes; beside the original when it is left out.

    Returns:
        What was written, and how it begins.
    """
    if to not in _ENDINGS:
        raise ValueError(f"{to!r} is no format that can be written; choose one of {', '.join(_ENDINGS)}")
    table = read_table(workspace, file)
    source = existing(workspace, file)
    target = to_write(workspace, save_as or shown(workspace, source.with_suffix(_ENDINGS[to])), (_ENDINGS[to],))
    if target == source:
        raise ValueError(f"{table.path} is {to} already; choose another format, or another name by save_as")
    begins, language = _write_database(table, source, target) if to == "sqlite" else _write_text(table, to, target)
    return {
        "written": shown(workspace, target),
        "rows": table.row_count,
        "bytes": target.stat().st_size,
        "begins": begins,
        "language": language,
    }


def _write_text(table: Table, to: str, target: Path) -> tuple[str, str]:
    records = (dict(zip(table.names, row)) for row in table.rows())
    if to == "csv":
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows([table.names, *table.rows()])
        written = text.getvalue()
    elif to == "ndjson":
        written = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    else:
        written = json.dumps(list(records), ensure_ascii=False, indent=1) + "\n"
    target.write_text(written, encoding="utf-8", newline="")
    lines = written.splitlines()
    rest = f"\n… {len(lines) - _LINES} lines more" if len(lines) > _LINES else ""
    return "\n".join(lines[:_LINES]) + rest, "text" if to == "csv" else "json"


def _write_database(table: Table, source: Path, target: Path) -> tuple[str, str]:
    """A database is made in memory and written as a whole, so that a failure leaves no half of one."""
    connection = sqlite3.connect(":memory:")
    [name] = named([source])
    fill(connection, name, table)
    (schema,) = connection.execute("SELECT sql FROM sqlite_master").fetchone()
    target.write_bytes(connection.serialize())
    connection.close()
    return f"{schema};\n-- {table.row_count} rows", "sql"
