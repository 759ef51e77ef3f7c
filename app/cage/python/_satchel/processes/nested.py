"""`python` in the shell: a script within the script, in the same interpreter.

It gets what a process of its own would have: arguments, environment, folder, input, output, `__main__` and its own import of
everything that is not the standard library's or a package's. Afterwards the interpreter is as it was.
"""

import atexit
import builtins
import contextlib
import importlib
import io
import json
import linecache
import os
import runpy
import site
import sys
import sysconfig
import traceback
import types
import warnings

from pyodide.ffi import to_js

INTERRUPTED = 130
OUTPUT_LIMIT = 64 * 1024 * 1024
# Modules of the standard library that remember what was done to them, so each script has its own.
FRESH = ("logging",)
USAGE = "usage: python [option] ... [-c cmd | -m mod | file | -] [arg] ...\n"
FLAGS_WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")


def run_python(arguments, stdin, environment, cwd, calm):
    """Runs Python with the arguments of its command line; gives exit code, stdout and stderr.

    `calm` is called when the script has ended: from then on no time limit interrupts.
    """
    out, err = Capture(), Capture()
    code = INTERRUPTED
    # A limit may pass just before the script has ended of itself.
    with contextlib.suppress(KeyboardInterrupt), _interpreter_restored(calm):
        os.environ.clear()
        os.environ.update(json.loads(environment))
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin.to_bytes())), encoding="utf-8")
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(out), encoding="utf-8")
        sys.stderr = io.TextIOWrapper(io.BufferedWriter(err), encoding="utf-8", errors="backslashreplace", write_through=True)
        sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
        try:
            os.chdir(cwd)
            code = _run(json.loads(arguments))
        finally:
            calm()
            for stream in (sys.__stdout__, sys.__stderr__):
                with contextlib.suppress(ValueError):
                    stream.flush()
    return to_js([code, out.content(), err.content()])


class Capture(io.RawIOBase):
    """Keeps what is written."""

    def __init__(self):
        self._pieces = []
        self._size = 0

    def writable(self):
        return True

    def write(self, data):
        piece = bytes(data)
        self._size += len(piece)
        if self._size > OUTPUT_LIMIT:
            raise OSError("the script has written more than fits: send its output to a file")
        self._pieces.append(piece)
        return len(piece)

    def content(self):
        """All of it."""
        return b"".join(self._pieces)


def _run(arguments):
    code = _ended(lambda: _execute(arguments))
    while _at_exit:
        function, given, named = _at_exit.pop()
        _ended(lambda: function(*given, **named))
    return code


def _ended(act):
    """Does it as the main program of a process, and gives the exit code."""
    try:
        act()
    except SystemExit as end:
        if end.code is None:
            return 0
        if isinstance(end.code, int):
            return end.code & 0xFF
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as failure:
        _show(failure)
        return INTERRUPTED if isinstance(failure, KeyboardInterrupt) else 1
    return 0


def _execute(arguments):
    arguments = list(arguments)
    while arguments and arguments[0].startswith("-") and arguments[0] != "-":
        flag = arguments.pop(0)
        if flag in ("-V", "--version", "-VV"):
            print(f"Python {sys.version.split()[0]}")
            return
        if flag in ("-h", "-?", "--help"):
            sys.stdout.write(USAGE)
            return
        if flag in FLAGS_WITH_VALUE:
            del arguments[:1]
        elif "c" in flag and not flag.startswith("--"):
            _execute_command(flag.partition("c")[2], arguments)
            return
        elif "m" in flag and not flag.startswith("--"):
            _execute_module(flag.partition("m")[2], arguments)
            return
        elif flag.strip("-") not in ("B", "d", "E", "i", "I", "O", "OO", "P", "q", "s", "S", "u", "v", "x") and flag[1] not in "WX":
            sys.stderr.write(f"unknown option {flag}\n{USAGE}Try `python -h' for more information.\n")
            raise SystemExit(2)
    if not arguments or arguments[0] == "-":
        sys.argv = arguments or [""]
        sys.path.insert(0, "")
        _execute_source(sys.stdin.buffer.read(), "<stdin>")
        return
    _execute_file(arguments)


def _execute_command(attached, arguments):
    if not attached:
        if not arguments:
            sys.stderr.write(f"Argument expected for the -c option\n{USAGE}Try `python -h' for more information.\n")
            raise SystemExit(2)
        attached = arguments.pop(0)
    sys.argv = ["-c", *arguments]
    sys.path.insert(0, "")
    _execute_source(attached.encode(errors="surrogateescape"), "<string>")


def _execute_module(attached, arguments):
    if not attached:
        if not arguments:
            sys.stderr.write(f"Argument expected for the -m option\n{USAGE}Try `python -h' for more information.\n")
            raise SystemExit(2)
        attached = arguments.pop(0)
    sys.argv = ["-m", *arguments]
    sys.path.insert(0, os.getcwd())
    runpy._run_module_as_main(attached, alter_argv=True)


def _execute_file(arguments):
    path = arguments[0]
    sys.argv = arguments
    whole = os.path.abspath(path)
    if os.path.isdir(whole) and os.path.exists(os.path.join(whole, "__main__.py")) or whole.endswith((".pyz", ".zip")):
        sys.path.insert(0, whole)
        runpy._run_module_as_main("__main__", alter_argv=False)
        return
    try:
        with open(whole, "rb") as file:
            source = file.read()
    except IsADirectoryError:
        sys.stderr.write(f"{sys.executable}: can't find '__main__' module in {whole!r}\n")
        raise SystemExit(1) from None
    except OSError as failure:
        sys.stderr.write(f"{sys.executable}: can't open file {whole!r}: [Errno {failure.errno}] {failure.strerror}\n")
        raise SystemExit(2) from None
    sys.path.insert(0, os.path.dirname(os.path.realpath(whole)))
    _execute_source(source, path, file=path)


def _execute_source(source, name, file=None):
    if file is None:
        lines = source.decode(errors="replace").splitlines(keepends=True)
        linecache.cache[name] = (len(source), None, lines, name)
    main = sys.modules["__main__"]
    if file is not None:
        main.__file__ = file
    exec(compile(source, name, "exec", dont_inherit=True), main.__dict__)


def _show(failure):
    """Prints a traceback that begins where the script begins."""
    if sys.excepthook is not _own_excepthook:
        with contextlib.suppress(Exception):
            sys.excepthook(type(failure), failure, failure.__traceback__)
            return
    linecache.checkcache()
    inner = failure.__traceback__
    while inner is not None and inner.tb_frame.f_code.co_filename in (__file__, "<frozen runpy>"):
        inner = inner.tb_next
    traceback.print_exception(type(failure), failure, inner)


_own_excepthook = sys.excepthook
_at_exit = []


def _is_lasting(module):
    """Whether a script shares the module with whoever runs it: the standard library, packages, and what has no file."""
    name = getattr(module, "__name__", "")
    if name.split(".")[0] in FRESH:
        return False
    place = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", None) or ()), None)
    return not isinstance(place, str) or place.startswith(_lasting_folders())


def _lasting_folders():
    paths = sysconfig.get_paths()
    folders = {paths["stdlib"], paths["platstdlib"], *site.getsitepackages(), os.path.dirname(os.__file__)}
    # The cage's own modules are beside this one.
    folders.add(__file__.partition("_satchel/")[0])
    return tuple(folders)


@contextlib.contextmanager
def _interpreter_restored(calm):
    """Makes room for a script, and puts everything back after it."""
    kept = {name: getattr(sys, name) for name in _KEPT}
    environment, cwd, modules = dict(os.environ), os.getcwd(), dict(sys.modules)
    limit, register, unregister = sys.getrecursionlimit(), atexit.register, atexit.unregister
    pending, names = list(_at_exit), dict(vars(builtins))
    for name, module in modules.items():
        if not _is_lasting(module):
            del sys.modules[name]
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.modules["__main__"].__builtins__ = builtins
    sys.path = [folder for folder in sys.path if folder and not folder.startswith(("/toolset", "/workspace"))]
    sys.meta_path, sys.path_hooks = list(sys.meta_path), list(sys.path_hooks)
    sys.dont_write_bytecode = True
    sys.displayhook, sys.excepthook = sys.__displayhook__, _own_excepthook
    _at_exit.clear()
    atexit.register = lambda function, *given, **named: _at_exit.append((function, given, named)) or function
    atexit.unregister = lambda function: _at_exit.__setitem__(slice(None), [one for one in _at_exit if one[0] != function])
    importlib.invalidate_caches()
    try:
        with warnings.catch_warnings():
            yield
    finally:
        calm()
        for name in list(sys.modules):
            if name not in modules and _is_lasting(sys.modules[name]):
                modules[name] = sys.modules[name]
        sys.modules.clear()
        sys.modules.update(modules)
        for name, value in kept.items():
            setattr(sys, name, value)
        vars(builtins).update(names)
        sys.setrecursionlimit(limit)
        atexit.register, atexit.unregister = register, unregister
        _at_exit[:] = pending
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(cwd)
        linecache.cache.pop("<string>", None)
        linecache.cache.pop("<stdin>", None)
        importlib.invalidate_caches()


_KEPT = (
    "argv",
    "path",
    "meta_path",
    "path_hooks",
    "dont_write_bytecode",
    "displayhook",
    "excepthook",
    "stdin",
    "stdout",
    "stderr",
    "__stdin__",
    "__stdout__",
    "__stderr__",
)
