"""What a function returned, as JSON (R073): a dict, and in it nothing that JSON does not have."""

import math
from json import dumps

from .failure import Failure

#: The app's own parser goes no deeper than 128, and the result stands inside a message.
_DEEPEST = 100


def encode(value: object) -> str:
    """The JSON text of a result. Raises `Failure`."""
    if not isinstance(value, dict):
        raise Failure("bad_result", f"the tool returned {_kind(value)}; it has to return a dict")
    try:
        text = dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        trouble = _first_trouble(value, "result", set(), 0) or f"the result is not JSON: {error}"
        raise Failure("bad_result", trouble) from None
    # Looking at every value is for results that give a reason to.
    if "\\ud" in text or text.count("{") + text.count("[") >= _DEEPEST:
        trouble = _first_trouble(value, "result", set(), 0)
        if trouble:
            raise Failure("bad_result", trouble)
    return text


def _kind(value: object) -> str:
    if value is None:
        return "None (nothing)"
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return f"a value of type {name}"


def _first_trouble(value: object, path: str, above: set[int], depth: int) -> str:
    """Why a value is not JSON, with the place in the result; empty where it is."""
    if value is None or isinstance(value, (bool, int)):
        return ""
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            return f"{path} is a text with half a surrogate pair, which is no character"
        return ""
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{path} is {value}, and JSON has no such number"
    if not isinstance(value, (dict, list, tuple)):
        return f"{path} is {_kind(value)}, which is not JSON; {_advice(value)}"
    if id(value) in above:
        return f"{path} holds itself, so it has no end"
    if depth >= _DEEPEST:
        return f"{path[:200]}… is nested more than {_DEEPEST} deep"
    inside = above | {id(value)}
    if isinstance(value, dict):
        for key, item in value.items():
            if not (key is None or isinstance(key, (str, int, float))):
                return f"a key of {path} is {_kind(key)}; the keys of JSON are texts"
            trouble = _first_trouble(item, f"{path}[{key!r}]", inside, depth + 1)
            if trouble:
                return trouble
    else:
        for index, item in enumerate(value):
            trouble = _first_trouble(item, f"{path}[{index}]", inside, depth + 1)
            if trouble:
                return trouble
    return ""


def _advice(value: object) -> str:
    if hasattr(value, "isoformat"):
        return "return value.isoformat()"
    if hasattr(value, "__fspath__"):
        return "return str(path)"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "write it to a file of the workspace, or return it as base64"
    if isinstance(value, (set, frozenset)) or hasattr(value, "__iter__"):
        return "return list(value)"
    return "return its parts as text, numbers, lists and dicts"
