"""Processes for Python where there are none: `subprocess`, `os.system` and `os.popen` over a shell written in JavaScript.

The shell sees the files that Python sees. Waiting for it needs JavaScript Promise Integration (JSPI); where the browser has none,
starting a command raises `ProcessesUnavailable`, which says so.
"""

from _satchel.processes.install import install

__all__ = ["install"]
