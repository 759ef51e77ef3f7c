"""The tables of the workspace as one SQLite database in memory, which can only be read."""

import re
import sqlite3
import time
from pathlib import Path

from desk.files import DATABASES, TABLES, shown, with_ending
from desk.tables import Table, read_table

#: What a SELECT does, in the words of SQLite's authorizer. Everything else would change something.
_READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
#: Functions that reach beyond the data.
_FORBIDDEN = {"load_extension", "readfile", "writefile", "edit"}
#: A question that takes longer is one that forgot how two tables belong together.
_MOST_SECONDS = 30


def open_for(workspace: Path, sql: str) -> tuple[sqlite3.Connection, list[str]]:
    """A database with the tables that a question names, and the names of all tables that could be asked."""
    connection = sqlite3.connect(":memory:", uri=True)
    names: list[str] = []
    words = {word.casefold() for word in re.findall(r"\w+", sql)}
    for name, path in named(with_ending(workspace, TABLES)).items():
        names.append(name)
        if name.casefold() in words:
            fill(connection, name, read_table(workspace, shown(workspace, path)))
    for name, path in named(with_ending(workspace, DATABASES)).items():
        if name.casefold() in words:
            connection.execute(f"ATTACH ? AS {quoted(name)}", (_read_only(path),))
        names.extend(f"{name}.{table}" for table in _tables_in(path))
    connection.set_authorizer(_only_reading)
    deadline = time.monotonic() + _MOST_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
    return connection, names


def fill(connection: sqlite3.Connection, name: str, table: Table) -> None:
    """Puts a table into a database."""
    kinds = {"number": "NUMERIC", "date": "TEXT", "text": "TEXT", "empty": "TEXT"}
    columns = ", ".join(f"{quoted(column.name)} {kinds[column.kind]}" for column in table.columns)
    connection.execute(f"CREATE TABLE {quoted(name)} ({columns})")
    marks = ", ".join("?" * len(table.columns))
    connection.executemany(f"INSERT INTO {quoted(name)} VALUES ({marks})", table.rows())
    connection.commit()


def named(paths: list[Path]) -> dict[str, Path]:
    """A name for each file that SQL takes without quotation marks: orders.csv is orders, "2024 sales.csv" is t_2024_sales."""
    found: dict[str, Path] = {}
    taken: set[str] = set()
    for path in paths:
        name = re.sub(r"\W+", "_", path.stem).strip("_") or "table"
        name = f"t_{name}" if name[0].isdigit() else name
        if name.casefold() in taken:
            name = f"{name}_{path.suffix[1:].lower()}"
        unique, copy = name, 2
        while unique.casefold() in taken:
            unique, copy = f"{name}_{copy}", copy + 1
        found[unique] = path
        taken.add(unique.casefold())
    return found


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _tables_in(path: Path) -> list[str]:
    """The tables of a database file; none where it is no database."""
    connection = sqlite3.connect(_read_only(path), uri=True)
    try:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name")
        return [name for (name,) in rows if not name.startswith("sqlite_")]
    except sqlite3.DatabaseError:
        return []
    finally:
        connection.close()


def _read_only(path: Path) -> str:
    """A database file as an address that SQLite neither locks nor changes."""
    return f"{path.as_uri()}?mode=ro&immutable=1"


def _only_reading(action: int, first: str | None, second: str | None, *_where: object) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (second or "").casefold() in _FORBIDDEN:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY

