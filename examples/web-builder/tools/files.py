"""The tools `write_file`, `read_file` and `replace_text`."""

from difflib import unified_diff
from pathlib import Path

from tools.paths import existing, inside, shown


def write_file(workspace: Path, path: str, content: str) -> dict:
    """Writes a text file, or replaces what is in it.

    Args:
        workspace: The folder of the chat's files.
        path: Where it goes.
        content: What is in it from now on.

    Returns:
        Where it is, how many lines it has, and whether it is new.
    """
    target = inside(workspace, path)
    if target.is_dir():
        raise IsADirectoryError(f"{path!r} is a folder; choose another name")
    is_new = not target.exists()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(content, encoding="utf-8", newline="")
    return {"path": shown(workspace, target), "lines": len(content.splitlines()), "new": is_new}


def read_file(workspace: Path, path: str, first_line: int = 1, lines: int = 400) -> dict:
    """Gives the lines of a text file.

    Args:
        workspace: The folder of the chat's files.
        path: The file.
        first_line: Where to begin.
        lines: How many lines to give at most.

    Returns:
        The text, and how many lines the file has in all.
    """
    target = existing(workspace, path)
    every = _text(target, path).splitlines(keepends=True)
    if first_line > max(len(every), 1):
        raise ValueError(f"{path!r} has {len(every)} lines, so it cannot be read from line {first_line} on")
    wanted = every[first_line - 1 : first_line - 1 + lines]
    return {"path": shown(workspace, target), "text": "".join(wanted), "first_line": first_line, "all_lines": len(every)}


def replace_text(workspace: Path, path: str, old: str, new: str) -> dict:
    """Replaces one place in a file.

    Args:
        workspace: The folder of the chat's files.
        path: The file.
        old: The text as it is now; it has to be there once.
        new: The text that takes its place.

    Returns:
        What is different now.
    """
    target = existing(workspace, path)
    before = _text(target, path)
    places = before.count(old)
    if places == 0:
        raise ValueError(f"{path!r} has no such text; read the file and copy the text as it is, spaces included")
    if places > 1:
        raise ValueError(f"{path!r} has that text {places} times; give more of what is around the place that is meant")
    after = before.replace(old, new)
    target.write_text(after, encoding="utf-8", newline="")
    name = shown(workspace, target)
    difference = unified_diff(before.splitlines(), after.splitlines(), f"a/{name}", f"b/{name}", lineterm="")
    return {"path": name, "difference": "\n".join(difference)}


def _text(target: Path, path: str) -> str:
    try:
        # As it is: a line that ends in \r\n keeps it.
        return target.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path!r} is no text file ({target.stat().st_size} bytes)") from None
