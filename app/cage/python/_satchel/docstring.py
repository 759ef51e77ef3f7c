"""What a docstring says of a function and of its parameters, in the manner of Google, NumPy or Sphinx."""

import inspect
import re

_SECTIONS = "args|arguments|parameters|params|keyword args|keyword arguments|other parameters"
_GOOGLE_SECTION = re.compile(rf"^({_SECTIONS}):\s*$", re.IGNORECASE)
_OTHER_SECTION = re.compile(r"^(returns?|yields?|raises?|examples?|notes?|see also|warns?|attributes|references|todo)s?:\s*$", re.IGNORECASE)
_GOOGLE_ENTRY = re.compile(r"^(?P<stars>\*{0,2})(?P<name>\w+)\s*(\([^)]*\))?\s*:\s*(?P<text>.*)$")
_NUMPY_ENTRY = re.compile(r"^\*{0,2}(?P<names>\w+(\s*,\s*\*{0,2}\w+)*)\s*(:.*)?$")
_SPHINX_ENTRY = re.compile(r"^:(param|parameter|arg|argument|key|keyword)\s+(?:[^:]*\s)?\*{0,2}(?P<name>\w+)\s*:\s*(?P<text>.*)$")
_SPHINX_FIELD = re.compile(r"^:\w+[^:]*:")


def read(docstring: str | None) -> tuple[str, dict[str, str]]:
    """The description, and what is said of each parameter."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    description: list[str] = []
    parameters: dict[str, list[str]] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        underlined = at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1].strip()) is not None
        if _GOOGLE_SECTION.match(line):
            at = _google(lines, at + 1, parameters)
        elif underlined and re.fullmatch(_SECTIONS, line.strip(), re.IGNORECASE):
            at = _numpy(lines, at + 2, parameters)
        elif underlined or _OTHER_SECTION.match(line):
            at = _skipped(lines, at + (2 if underlined else 1), underlined)
        elif _SPHINX_FIELD.match(line):
            at = _sphinx(lines, at, parameters)
        else:
            description.append(line)
            at += 1
    texts = {name: _joined(said) for name, said in parameters.items()}
    return _paragraphs(description), {name: text for name, text in texts.items() if text}


def _google(lines: list[str], at: int, parameters: dict[str, list[str]]) -> int:
    """Entries are indented, what they go on with more so."""
    indent = None
    said: list[str] | None = None
    while at < len(lines):
        line = lines[at]
        depth = len(line) - len(line.lstrip())
        if line.strip() and depth == 0:
            break
        if line.strip():
            indent = depth if indent is None else indent
            entry = _GOOGLE_ENTRY.match(line.strip()) if depth <= indent else None
            if entry:
                said = parameters.setdefault(entry["name"], [])
                said.append(entry["text"])
            elif said is not None:
                said.append(line.strip())
        at += 1
    return at


def _numpy(lines: list[str], at: int, parameters: dict[str, list[str]]) -> int:
    """Names stand at the margin, what is said of them is indented."""
    said: list[list[str]] = []
    while at < len(lines):
        line = lines[at]
        if at + 1 < len(lines) and line.strip() and re.fullmatch(r"-{3,}", lines[at + 1].strip()):
            break
        if line.strip() and not line[0].isspace():
            entry = _NUMPY_ENTRY.match(line.strip())
            names = re.split(r"\s*,\s*", entry["names"]) if entry else []
            said = [parameters.setdefault(name.lstrip("*"), []) for name in names]
        else:
            for each in said:
                each.append(line.strip())
        at += 1
    return at


def _sphinx(lines: list[str], at: int, parameters: dict[str, list[str]]) -> int:
    entry = _SPHINX_ENTRY.match(lines[at])
    said = parameters.setdefault(entry["name"], []) if entry else []
    said.append(entry["text"] if entry else "")
    at += 1
    while at < len(lines) and lines[at].strip() and lines[at][0].isspace():
        said.append(lines[at].strip())
        at += 1
    return at


def _skipped(lines: list[str], at: int, underlined: bool) -> int:
    while at < len(lines):
        line = lines[at]
        if underlined and at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1].strip()):
            break
        if not underlined and line.strip() and not line[0].isspace():
            break
        at += 1
    return at


def _joined(said: list[str]) -> str:
    return " ".join(part for part in said if part).strip()


def _paragraphs(lines: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
