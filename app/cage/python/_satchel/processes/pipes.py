"""The ends of a process that its parent holds: what is written is kept until the process runs, and reading makes it run."""

import io


class InputPipe(io.RawIOBase):
    """Takes what the process will read."""

    def __init__(self):
        self.taken = bytearray()

    def writable(self):
        return True

    def write(self, data):
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        self.taken += data
        return len(data)


class OutputPipe(io.RawIOBase):
    """Gives what the process has written, after making it run."""

    def __init__(self, finish):
        self._finish = finish
        self._content = None
        self._at = 0

    def fill(self, content):
        """Called when the process has ended."""
        self._content = content

    def readable(self):
        return True

    def readinto(self, buffer):
        if self._content is None:
            self._finish()
        piece = self._content[self._at : self._at + len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def rest(self):
        """What was not read yet, for another process; its parent may have closed this end."""
        if self._content is None:
            self._finish()
        piece = self._content[self._at :]
        self._at = len(self._content)
        return piece


def beneath(stream):
    """The pipe under the layers of `io`, if there is one."""
    while stream is not None and not isinstance(stream, OutputPipe):
        try:
            stream = getattr(stream, "buffer", None) or getattr(stream, "raw", None)
        except ValueError:
            return None
    return stream
