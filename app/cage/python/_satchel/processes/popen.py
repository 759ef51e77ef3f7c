"""`subprocess.Popen` without processes.

Nothing runs at the same time as Python. So a process runs when its parent first waits for it or reads from it, whole, and processes
run in the order in which they were started. One that nobody waits for runs when the next one does, or when the tool's call ends.
A time limit ends it.
"""

import io
import itertools
import os
import shlex
import signal
import subprocess
import sys
import types

from _satchel.processes.bridge import require_waiting, run_script
from _satchel.processes.pipes import InputPipe, OutputPipe, beneath
from _satchel.processes.programs import check_folder, command_line

PIPE, STDOUT, DEVNULL = -1, -2, -3
# They are about how Python was built and started, and would only puzzle a command.
RUNTIME_VARIABLES = ("_", "LD_LIBRARY_PATH", "PYTHONINSPECT")
_numbers = itertools.count(100)
_waiting = []


def finish_all():
    """Runs what was started and never waited for."""
    while _waiting:
        _waiting[0]._finish()


class Popen:
    """A program that was started. See `subprocess.Popen`, whose attributes and methods it has."""

    def __init__(
        self,
        args,
        bufsize=-1,
        executable=None,
        stdin=None,
        stdout=None,
        stderr=None,
        preexec_fn=None,
        close_fds=True,
        shell=False,
        cwd=None,
        env=None,
        universal_newlines=None,
        startupinfo=None,
        creationflags=0,
        restore_signals=True,
        start_new_session=False,
        pass_fds=(),
        *,
        user=None,
        group=None,
        extra_groups=None,
        encoding=None,
        errors=None,
        text=None,
        umask=-1,
        pipesize=-1,
        process_group=None,
    ):
        self.stdin = self.stdout = self.stderr = None
        self.pid = self.returncode = None
        if bufsize is None:
            bufsize = -1
        if not isinstance(bufsize, int):
            raise TypeError("bufsize must be an integer")
        if text is not None and universal_newlines is not None and bool(universal_newlines) != bool(text):
            raise subprocess.SubprocessError(
                "Cannot disambiguate when both text and universal_newlines are supplied but different. Pass one or the other."
            )
        if startupinfo is not None:
            raise ValueError("startupinfo is only supported on Windows platforms")
        if creationflags != 0:
            raise ValueError("creationflags is only supported on Windows platforms")
        require_waiting()

        self.args = args
        self.encoding, self.errors = encoding, errors
        self.text_mode = bool(encoding or errors or text or universal_newlines)
        self.universal_newlines = self.text_mode
        self._cwd = os.path.abspath(os.fsdecode(cwd)) if cwd is not None else os.getcwd()
        self._environment = _environment(env) | {"PWD": self._cwd}
        if cwd is not None:
            check_folder(os.fsdecode(cwd))
        self._script = _script(args, shell, executable, self._cwd, self._environment)
        self._joined = stderr == STDOUT
        if preexec_fn is not None:
            preexec_fn()

        self._input = InputPipe() if stdin == PIPE else None
        self._source = _source(stdin)
        self._sinks = {
            "stdout": self._sink(stdout, lambda: sys.stdout),
            "stderr": self._sink(None if self._joined else stderr, lambda: sys.stderr),
        }
        if self._input is not None:
            self.stdin = self._layers(io.BufferedWriter, self._input, bufsize, write_through=True)
        for name, sink in self._sinks.items():
            if isinstance(sink, OutputPipe):
                setattr(self, name, self._layers(io.BufferedReader, sink, bufsize))
        self._communicated = None
        self.pid = next(_numbers)
        _waiting.append(self)

    def __repr__(self):
        return f"<{self.__class__.__name__}: returncode: {self.returncode} args: {self.args!r}>"

    __class_getitem__ = classmethod(types.GenericAlias)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        for stream in (self.stdout, self.stderr):
            if stream:
                stream.close()
        try:
            if self.stdin:
                self.stdin.close()
        finally:
            if kind is not KeyboardInterrupt:
                self.wait()

    def poll(self):
        """The exit code; the process has ended by then."""
        self._finish()
        return self.returncode

    def wait(self, timeout=None):
        """Waits for the end, at most `timeout` seconds, and gives the exit code."""
        self._finish(timeout)
        return self.returncode

    def communicate(self, input=None, timeout=None):
        """Sends `input`, waits for the end and gives all of stdout and stderr."""
        if self._communicated is not None and input:
            raise ValueError("Cannot send input after starting communication")
        if self.stdin and not self.stdin.closed:
            if input:
                self.stdin.write(input)
            self.stdin.close()
        if self._communicated is None:
            self._finish(timeout)
            self._communicated = tuple(_all_of(stream) for stream in (self.stdout, self.stderr))
        return self._communicated

    def send_signal(self, number):
        """Ends the process before it ran; one that ran has ended."""
        if self.returncode is None:
            self._end(-int(number), b"", b"")

    def terminate(self):
        """Ends the process before it ran."""
        self.send_signal(signal.SIGTERM)

    def kill(self):
        """Ends the process before it ran."""
        self.send_signal(getattr(signal, "SIGKILL", 9))

    def _layers(self, buffered, raw, bufsize, **more):
        if bufsize == 0 and not self.text_mode:
            return raw
        stream = buffered(raw, io.DEFAULT_BUFFER_SIZE if bufsize < 2 else bufsize)
        if not self.text_mode:
            return stream
        return io.TextIOWrapper(stream, encoding=self.encoding or "utf-8", errors=self.errors, **more)

    def _sink(self, wanted, own):
        if wanted is None:
            return own()
        if wanted == PIPE:
            return OutputPipe(self._finish)
        if wanted == DEVNULL:
            return DEVNULL
        return wanted

    def _finish(self, timeout=None):
        """Lets the process run to its end, after those that were started before it."""
        if self.returncode is not None:
            return
        while _waiting and _waiting[0] is not self:
            _waiting[0]._finish()
        # While it runs it is nobody's turn: a script in it may start processes of its own.
        _waiting.remove(self)
        if self._input is not None and self.stdin and not self.stdin.closed:
            self.stdin.flush()
        stdin = bytes(self._input.taken) if self._input is not None else self._source()
        _flush(self._sinks.values())
        try:
            outcome = run_script(
                self._script,
                cwd=self._cwd,
                environment=self._environment,
                stdin=stdin,
                timeout=timeout,
                joined=self._joined,
            )
        except BaseException:
            self._end(-9, b"", b"")
            raise
        if outcome.timed_out:
            self._end(-9, b"", b"")
            raise subprocess.TimeoutExpired(
                self.args, timeout, output=outcome.stdout or None, stderr=outcome.stderr or None
            )
        self._end(outcome.code, outcome.stdout, outcome.stderr)

    def _end(self, code, stdout, stderr):
        self.returncode = code
        if self in _waiting:
            _waiting.remove(self)
        for sink, content in zip(self._sinks.values(), (stdout, stderr)):
            if isinstance(sink, OutputPipe):
                sink.fill(content)
            elif sink is not DEVNULL and content:
                _write(sink, content)


def _environment(env):
    if env is None:
        return {name: value for name, value in os.environ.items() if name not in RUNTIME_VARIABLES}
    environment = {}
    for name, value in env.items():
        name, value = os.fsdecode(name), os.fsdecode(value)
        if "=" in name:
            raise ValueError("illegal environment variable name")
        environment[name] = value
    return environment


def _script(args, shell, executable, cwd, environment):
    """The line for the shell."""
    if isinstance(args, (str, bytes, os.PathLike)):
        if shell and isinstance(args, os.PathLike):
            raise TypeError("path-like args is not allowed when shell is true")
        arguments = [os.fsdecode(args)]
    else:
        arguments = [os.fsdecode(argument) for argument in args]
    if not arguments:
        raise IndexError("list index out of range")
    for argument in arguments:
        if "\0" in argument:
            raise ValueError("embedded null byte")
    if not shell:
        program = os.fsdecode(executable) if executable is not None else arguments[0]
        return command_line(arguments, program, cwd, environment)
    if len(arguments) == 1:
        return arguments[0]
    return shlex.join(["bash", "-c", *arguments])


def _source(stdin):
    """Gives what the process reads, when it is asked."""
    pipe = beneath(stdin) if hasattr(stdin, "read") else None
    if pipe is not None:
        return pipe.rest
    if stdin is None or isinstance(stdin, int) and stdin < 0:
        return lambda: b""
    descriptor = stdin if isinstance(stdin, int) else None
    if descriptor is None:
        try:
            descriptor = stdin.fileno()
        except (AttributeError, OSError):
            return lambda: _bytes(stdin.read())
    return lambda: _read_all(descriptor)


def _read_all(descriptor):
    pieces = []
    while piece := os.read(descriptor, 65536):
        pieces.append(piece)
    return b"".join(pieces)


def _bytes(content):
    return content.encode() if isinstance(content, str) else content


def _flush(sinks):
    """What the parent wrote before comes before what the process writes."""
    for sink in sinks:
        if hasattr(sink, "flush") and not isinstance(sink, OutputPipe):
            sink.flush()


def _write(sink, content):
    if isinstance(sink, int):
        descriptor = sink
    else:
        try:
            descriptor = sink.fileno()
        except (AttributeError, OSError):
            descriptor = None
    if descriptor is not None and descriptor > 2:
        while content:
            content = content[os.write(descriptor, content) :]
        return
    if isinstance(sink, int):
        sink = {1: sys.stdout, 2: sys.stderr}.get(sink)
    if hasattr(sink, "buffer"):
        sink.buffer.write(content)
        sink.flush()
    elif isinstance(sink, io.TextIOBase):
        sink.write(content.decode(errors="replace"))
        sink.flush()
    else:
        sink.write(content)


def _all_of(stream):
    if stream is None:
        return None
    if stream.closed:
        return b""
    content = stream.read()
    stream.close()
    return content
