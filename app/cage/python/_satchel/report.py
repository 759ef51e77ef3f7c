"""Exceptions as a tool's author wants to read them: the toolset's frames and those of its packages, with the names of the bundle."""

import sys
import traceback

from .failure import Failure

_ROOTS = ("/toolset/", "/lib/python%d.%d/site-packages/" % sys.version_info[:2])
_PYODIDE_NOTES = ("The module '", "\nSee https://pyodide.org")
_MISSING = (
    "The module {name!r} is neither in the toolset nor in Python. Ship its wheel in wheels/, or name the package under "
    "python_packages in toolset.yaml."
)
#: A traceback is read by people and by models; the middle of an endless one is not.
_MOST_CHARACTERS = 20_000


def report(error: BaseException, doing: str = "") -> Failure:
    """What a call that raised is told as."""
    try:
        told = traceback.TracebackException.from_exception(error, compact=True)
        _clean(told, error, set())
        text = "".join(told.format())
        summary = "".join(told.format_exception_only()).strip()
    except BaseException:
        # An exception whose own text cannot be made.
        text, summary = "", type(error).__name__
    first = _one_line(error, summary)
    return Failure("exception", f"{doing}: {first}" if doing else first, _shortened(text))


def _one_line(error: BaseException, summary: str) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{type(error).__name__}: {error.msg} ({_name(error.filename)}, line {error.lineno})"
    lines = summary.splitlines() or [type(error).__name__]
    return lines[0]


def _clean(told: traceback.TracebackException, error: BaseException | None, seen: set[int]) -> None:
    """Leaves out the frames of Python and of the cage, and names files as in the bundle."""
    if id(told) in seen:
        return
    seen.add(id(told))
    told.stack[:] = [_renamed(frame) for frame in told.stack if _is_theirs(frame.filename)]
    if getattr(told, "filename", None):
        told.filename = _name(told.filename)
    if isinstance(error, ModuleNotFoundError) and error.name:
        notes = [note for note in told.__notes__ or [] if not note.startswith(_PYODIDE_NOTES)]
        told.__notes__ = [*notes, _MISSING.format(name=error.name)]
    for inner, cause in ((told.__cause__, "__cause__"), (told.__context__, "__context__")):
        if inner is not None:
            _clean(inner, getattr(error, cause, None), seen)
    for inner, part in zip(told.exceptions or [], getattr(error, "exceptions", [])):
        _clean(inner, part, seen)


def _is_theirs(filename: str) -> bool:
    return filename.startswith(_ROOTS) or filename.startswith("/workspace/") or filename in ("<string>", "<stdin>")


def _renamed(frame: traceback.FrameSummary) -> traceback.FrameSummary:
    # The source line is looked up under the old name, so it is taken first.
    line = frame.line
    renamed = traceback.FrameSummary(
        _name(frame.filename),
        frame.lineno,
        frame.name,
        lookup_line=False,
        line=line,
        end_lineno=frame.end_lineno,
        colno=frame.colno,
        end_colno=frame.end_colno,
    )
    renamed._lines = getattr(frame, "_lines", line)
    return renamed


def _name(filename: str) -> str:
    for root in _ROOTS:
        if filename.startswith(root):
            return filename.removeprefix(root)
    return filename


def _shortened(text: str) -> str:
    if len(text) <= _MOST_CHARACTERS:
        return text
    half = _MOST_CHARACTERS // 2
    return f"{text[:half]}\n  … {len(text) - 2 * half} characters left out …\n{text[-half:]}"
