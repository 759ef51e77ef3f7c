"""What the cage's program calls. Every function takes and gives texts, so that nothing has to be freed on the other side.

Everything that is needed is imported here, once, while the path has nothing of a toolset on it: a toolset may have modules of any
name. Functions are imported by name, because a toolset may put others in their place.
"""

import gc
import importlib
import inspect
import os
import random
import sys
from json import dumps, loads
from time import perf_counter

from pyodide.ffi import to_js

from . import context, figures, network, processes, screen
from .arguments import bind
from .entrypoint import find
from .failure import Failure
from .report import report
from .result import encode
from .schema import describe_function
from .wheel import unpack

import covalt_toolset  # noqa: F401  (so that a toolset's own module of that name does not take its place)
import satchel  # noqa: F401

screen.install()
figures.install()
network.install()
processes.install()


def prepare_snapshot() -> None:
    """The modules are loaded, and the memory is about to be kept: nothing is left in it that belongs to this run."""
    del os.environ["PYTHONHASHSEED"]
    random.seed(0)
    gc.collect()


def start() -> None:
    """A cage begins. The modules may have been loaded long before, when the app was built: what must differ is made anew."""
    # The working folder is the workspace: a file there must not take the place of a module.
    sys.path[:] = [place for place in sys.path if place]
    random.seed()
    processes.start()


def equip() -> None:
    """The toolset's files are there: they come first on the path."""
    sys.path.insert(0, "/toolset")
    importlib.invalidate_caches()


def unpack_wheel(name: str, contents):
    """Unpacks a wheel: whether that was possible, and then the paths of its shared libraries as JSON, or why not."""
    try:
        return to_js([True, dumps(unpack(name, contents.to_bytes()))])
    except ValueError as error:
        return to_js([False, str(error)])


def call(text: str):
    """Calls a function; gives its outcome as JSON, and its time in milliseconds. May give a promise of them."""
    message = loads(text)
    context.begin(message["context"])
    try:
        function = find(message["entrypoint"])
        positional, named = bind(function, message["arguments"])
    except Failure as failure:
        return _ended(failure.outcome(), 0.0)
    started = perf_counter()
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
    millis = (perf_counter() - started) * 1000
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
        millis = (perf_counter() - started) * 1000
    try:
        processes.finish()
    except OSError as error:
        print(error, file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            # The tool has put something else in its place.
            pass
    return to_js([outcome, millis])


def describe(entrypoint: str):
    """Whether it can be said what a function takes, and then the inside of a JSON object that says it, or why not."""
    try:
        description, schema = describe_function(find(entrypoint))
    except Failure as failure:
        return to_js([False, failure.message])
    return to_js([True, f'"description":{dumps(description)},"input_schema":{dumps(schema)}'])
