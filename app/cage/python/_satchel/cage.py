"""What the cage's program calls. Every function takes and gives texts, so that nothing has to be freed on the other side.

Everything that is needed is imported here, once, while the path has nothing of a toolset on it: a toolset may have modules of any
name.
"""

import importlib
import inspect
import json
import sys
import time

from pyodide.ffi import to_js

from . import context, figures, network, screen
from .arguments import bind
from .entrypoint import find
from .failure import Failure
from .report import report
from .result import encode
from .schema import describe_function
from .wheel import unpack

import covalt_toolset  # noqa: F401  (so that a toolset's own module of that name does not take its place)
import satchel  # noqa: F401

# The working folder is the workspace: a file there must not take the place of a module.
sys.path[:] = [place for place in sys.path if place]
screen.install()
figures.install()
network.install()


def equip() -> None:
    """The toolset's files are there: they come first on the path."""
    sys.path.insert(0, "/toolset")
    importlib.invalidate_caches()


def unpack_wheel(name: str, contents) -> str:
    """Unpacks a wheel; gives the paths of its shared libraries as JSON."""
    return json.dumps(unpack(name, contents.to_bytes()))


def call(text: str):
    """Calls a function; gives its outcome as JSON, and its time in milliseconds. May give a promise of them."""
    message = json.loads(text)
    context.begin(message["context"])
    try:
        function = find(message["entrypoint"])
        positional, named = bind(function, message["arguments"])
    except Failure as failure:
        return _ended(failure.outcome(), 0.0)
    started = time.perf_counter()
    try:
        value = function(*positional, **named)
    except BaseException as error:
        return _ended(_raised(error), started)
    if inspect.isawaitable(value):
        return _awaited(value, started)
    return _finished(value, started)


async def _awaited(value, started: float):
    try:
        value = await value
    except BaseException as error:
        return _ended(_raised(error), started)
    return _finished(value, started)


def _finished(value: object, started: float):
    millis = (time.perf_counter() - started) * 1000
    try:
        outcome = '{"type":"result","value":%s}' % encode(value)
    except Failure as failure:
        outcome = failure.outcome()
    except BaseException as error:
        # A dict of the tool's own kind may raise when it is read.
        outcome = _raised(error)
    return _ended(outcome, None, millis)


def _raised(error: BaseException) -> str:
    return report(error).outcome()


def _ended(outcome: str, started: float | None, millis: float = 0.0):
    if started:
        millis = (time.perf_counter() - started) * 1000
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            # The tool has put something else in its place.
            pass
    return to_js([outcome, millis])


def describe(entrypoint: str) -> str:
    """What a function takes, as the inside of a JSON object. Raises, with a sentence, where that cannot be said."""
    try:
        description, schema = describe_function(find(entrypoint))
    except Failure as failure:
        raise ValueError(failure.message) from None
    return f'"description":{json.dumps(description)},"input_schema":{json.dumps(schema)}'
