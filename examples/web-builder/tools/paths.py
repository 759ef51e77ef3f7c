"""Paths that a person or a model gives, as files of the workspace."""

from difflib import get_close_matches
from pathlib import Path


def inside(workspace: Path, path: str) -> Path:
    """A path of the workspace. One that leads out of it is refused."""
    root = workspace.resolve()
    target = (root / path).resolve()
    if not path.strip() or not target.is_relative_to(root) or target == root:
        raise ValueError(f"{path!r} is no file of the workspace; give a path such as index.html or css/page.css")
    return target


def existing(workspace: Path, path: str) -> Path:
    """The file at a path, or an error that says what is there instead."""
    target = inside(workspace, path)
    if target.is_file():
        return target
    if target.is_dir():
        raise IsADirectoryError(f"{path!r} is a folder; name a file in it")
    names = sorted(shown(workspace, file) for file in workspace.resolve().rglob("*") if file.is_file())
    if not names:
        raise FileNotFoundError(f"there is no file {path!r}, and the workspace is empty; write one first")
    close = get_close_matches(path, names, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names[:10])}"
    raise FileNotFoundError(f"there is no file {path!r}; {hint}")


def shown(workspace: Path, target: Path) -> str:
    """A path as the workspace names it."""
    return target.relative_to(workspace.resolve()).as_posix()
