"""Puts processes into the standard library: `os.system` and `os.popen` at once, `subprocess` when it is imported."""

import importlib.abc
import importlib.machinery
import os
import sys

from _satchel.processes.programs import FOLDERS, PYTHON


def install():
    """Called once, when the cage's modules are loaded."""
    os.environ["PATH"] = ":".join(FOLDERS)
    sys.executable = PYTHON
    os.system = _system
    os.popen = _popen
    if "subprocess" in sys.modules:
        _complete(sys.modules["subprocess"])
    else:
        sys.meta_path.insert(0, _Completing())


class _Completing(importlib.abc.MetaPathFinder):
    """Loads `subprocess` as it is, then completes it."""

    def find_spec(self, name, path, target=None):
        if name != "subprocess":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if os.path.dirname(spec.origin or "") != os.path.dirname(os.__file__):
            # The toolset has a module of that name.
            return spec
        spec.loader = _CompletingLoader(spec.loader)
        return spec


class _CompletingLoader(importlib.abc.Loader):
    """A loader of its own: the one of the standard library is shared by all its modules."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        _complete(module)


def _complete(module):
    from _satchel.processes.popen import Popen

    Popen.__module__ = "subprocess"
    module.Popen = Popen
    module._can_fork_exec = True


def _system(command):
    """Runs a command in the shell and gives its status as `wait` does: the exit code times 256."""
    import subprocess

    return subprocess.call(os.fsdecode(command), shell=True) << 8


def _popen(cmd, mode="r", buffering=-1):
    """Opens a pipe to or from a command."""
    import subprocess

    if not isinstance(cmd, str):
        raise TypeError(f"invalid cmd type ({type(cmd)}, expected string)")
    if mode not in ("r", "w"):
        raise ValueError(f"invalid mode {mode!r}")
    if buffering == 0 or buffering is None:
        raise ValueError("popen() does not support unbuffered streams")
    if mode == "r":
        process = subprocess.Popen(cmd, shell=True, text=True, stdout=subprocess.PIPE, bufsize=buffering)
        return _Pipe(process.stdout, process)
    process = subprocess.Popen(cmd, shell=True, text=True, stdin=subprocess.PIPE, bufsize=buffering)
    return _Pipe(process.stdin, process)


class _Pipe:
    """What `os.popen` gives: the stream, whose `close` waits and gives the status, nothing for success."""

    def __init__(self, stream, process):
        self._stream = stream
        self._process = process

    def close(self):
        self._stream.close()
        code = self._process.wait()
        return code << 8 if code > 0 else code or None

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    def __getattr__(self, name):
        return getattr(self._stream, name)

    def __iter__(self):
        return iter(self._stream)
