"""Processes for Python where there are none: `subprocess`, `os.system` and `os.popen` over a shell written in JavaScript.

The shell sees the files that Python sees. Waiting for it needs JavaScript Promise Integration (JSPI); where the browser has none,
starting a command raises `ProcessesUnavailable`, which says so.
"""

import sys

from _satchel.processes.install import install
from _satchel.processes.programs import lay_out

__all__ = ["finish", "install", "start"]


def start() -> None:
    """Called when a cage begins: the files are not kept with Python's memory."""
    lay_out()


def finish() -> None:
    """Called when a tool's function has ended: what it started and did not wait for runs now."""
    popen = sys.modules.get("_satchel.processes.popen")
    if popen is not None:
        popen.finish_all()
