"""Files of the workspace, found by the paths that a person or a model gives."""

from difflib import get_close_matches
from pathlib import Path

#: The endings of files that hold a table.
TABLES = (".csv", ".tsv", ".json", ".ndjson", ".jsonl")
#: The endings of SQLite databases.
DATABASES = (".sqlite", ".sqlite3", ".db")
#: More than this does not fit comfortably into the memory of a browser tab, once it is Python objects.
MOST_BYTES = 64 * 1024 * 1024


def existing(workspace: Path, path: str) -> Path:
    """The file at a path, or an error that says what is there instead."""
    target = inside(workspace, path)
    if target.is_dir():
        raise IsADirectoryError(f"{path!r} is a folder; name a file in it, such as {_first_in(target, workspace)}")
    if not target.is_file():
        raise FileNotFoundError(f"there is no file {path!r} in the workspace; {_offer(workspace, path)}")
    if target.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path!r} has more than {MOST_BYTES >> 20} MB, which is the most that is read at once")
    return target


def to_write(workspace: Path, path: str, endings: tuple[str, ...]) -> Path:
    """A path that can be written to, its folder made, or an error that says why not."""
    target = inside(workspace, path)
    if target.suffix.lower() not in endings:
        raise ValueError(f"{path!r} has to end in {' or '.join(endings)}")
    if target.is_dir():
        raise IsADirectoryError(f"{path!r} is a folder already; choose another name")
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def inside(workspace: Path, path: str) -> Path:
    """A path of the workspace. One that leads out of it is refused."""
    root = workspace.resolve()
    target = (root / path).resolve()
    if not path.strip() or not target.is_relative_to(root) or target == root:
        raise ValueError(f"{path!r} is no file of the workspace; give a path such as orders.csv or data/orders.csv")
    return target


def shown(workspace: Path, target: Path) -> str:
    """A path as the workspace names it."""
    return target.relative_to(workspace.resolve()).as_posix()


def with_ending(workspace: Path, endings: tuple[str, ...]) -> list[Path]:
    """All files of the workspace with one of these endings, sorted by path. What begins with a dot is not looked at."""
    root = workspace.resolve()
    found = (path for path in root.rglob("*") if path.suffix.lower() in endings and path.is_file())
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(root).parts))


def _offer(workspace: Path, wanted: str) -> str:
    names = [shown(workspace, path) for path in with_ending(workspace, TABLES + DATABASES)]
    if not names:
        return "drop a CSV or JSON file into the chat first"
    close = get_close_matches(wanted, names, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    listed = ", ".join(names[:10])
    return f"there are {listed} and {len(names) - 10} more" if len(names) > 10 else f"there is {listed}"


def _first_in(folder: Path, workspace: Path) -> str:
    names = sorted(shown(workspace, path) for path in folder.rglob("*") if path.is_file())
    return repr(names[0]) if names else "one that you upload"
