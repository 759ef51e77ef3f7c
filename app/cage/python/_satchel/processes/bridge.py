"""The way to the shell and back: one run, waited for."""

import errno
import json
from typing import NamedTuple

import _satchel_js
import pyodide_js
from pyodide.ffi import JsException, can_run_sync, run_sync, to_js

_run = None


class ProcessesUnavailable(OSError):
    """No command can be started here."""


class Outcome(NamedTuple):
    """What a run came to."""

    stdout: bytes
    stderr: bytes
    code: int
    timed_out: bool


def require_waiting():
    """Raises where Python cannot wait for the shell."""
    if can_run_sync():
        return
    if pyodide_js._module.jspiSupported:
        raise ProcessesUnavailable(
            errno.ENOTSUP,
            "A command cannot be started from here. Start it from the tool's own function or from a coroutine that it awaits, "
            "not from a callback of JavaScript.",
        )
    raise ProcessesUnavailable(
        errno.ENOTSUP,
        "This browser cannot run commands from Python: it has no JavaScript Promise Integration (JSPI). "
        "Chrome, Edge and other browsers built on Chromium 137 or newer have it.",
    )


def run_script(script, *, cwd, environment, stdin=b"", timeout=None, joined=False):
    """Runs a script of the shell to its end and gives its `Outcome`; `timeout` is in seconds."""
    require_waiting()
    milliseconds = None if timeout is None else max(0.0, timeout) * 1000
    try:
        run = _opened()
        answer = run_sync(run(script, cwd, json.dumps(environment), to_js(stdin), milliseconds, joined))
    except JsException as failure:
        raise OSError(errno.EIO, f"The shell has failed: {failure}") from None
    return Outcome(answer.stdout.to_bytes(), answer.stderr.to_bytes(), answer.code, answer.timedOut)


def _opened():
    """The shell, which is read when it is first needed."""
    global _run
    if _run is None:
        _run = run_sync(_satchel_js.loadPart("shell.js")).openShell(pyodide_js)
    return _run
