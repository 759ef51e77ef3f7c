"""The tool `query`: one SELECT over the tables of the workspace."""

import csv
import json
import re
import sqlite3
from pathlib import Path

from desk.database import open_for
from desk.files import shown, to_write

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


def query(workspace: Path, sql: str, limit: int = 500, save_as: str | None = None) -> dict:
    """Asks the tables of the workspace a question in SQL.

    Args:
        workspace: The folder of the chat's files.
        sql: One SELECT.
        limit: How many rows to give back at most.
        save_as: A CSV or JSON file that gets all rows.

    Returns:
        The columns, the rows, how many there are in all, and the file they were saved to.
    """
    if not re.match(r"(select|with|values)\b", _COMMENT.sub("", sql).strip(), re.IGNORECASE):
        raise ValueError("only a question can be asked: begin with SELECT or WITH")
    target = to_write(workspace, save_as, (".csv", ".json")) if save_as else None
    connection, tables = open_for(workspace, sql)
    try:
        cursor = connection.execute(sql)
        names = [described[0] for described in cursor.description]
        rows = [[_plain(value) for value in row] for row in cursor]
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise ValueError(_explained(error, connection, tables)) from None
    finally:
        connection.close()
    if target:
        _save(target, names, rows)
    return {
        "sql": sql.strip(),
        "columns": names,
        "rows": rows[:limit],
        "row_count": len(rows),
        "saved": shown(workspace, target) if target else None,
    }


def _save(target: Path, names: list[str], rows: list[list]) -> None:
    with target.open("w", encoding="utf-8", newline="") as file:
        if target.suffix.lower() == ".csv":
            csv.writer(file).writerows([names, *rows])
        else:
            json.dump([dict(zip(names, row)) for row in rows], file, ensure_ascii=False, indent=1)


def _plain(value: object) -> object:
    """A value as JSON has it."""
    return f"{len(value)} bytes" if isinstance(value, bytes) else value


def _explained(error: Exception, connection: sqlite3.Connection, tables: list[str]) -> str:
    """What SQLite says, and what would help."""
    words = str(error)
    if "no such table" in words:
        known = ", ".join(tables[:20]) or "none: drop a CSV or JSON file into the chat first"
        return f"{words}; the tables are {known}"
    if "no such column" in words:
        return f"{words}; {_columns(connection)}"
    if words == "interrupted":
        return "the question took too long; do the tables belong together by a column (JOIN … ON)?"
    if words == "not authorized":
        return "only reading is allowed: no change, no ATTACH and no PRAGMA"
    if "one statement at a time" in words:
        return "ask one question at a time: there is more than one statement"
    return words


def _columns(connection: sqlite3.Connection) -> str:
    connection.set_authorizer(None)
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    told = []
    for table in tables:
        names = [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        told.append(f"{table} has {', '.join(names)}")
    return "; ".join(told) or "the tables that were named have none of that name"
