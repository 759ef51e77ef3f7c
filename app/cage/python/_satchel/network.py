"""The blocking ways to the network, all led to the app: `http.client` (and with it `urllib.request`), and Pyodide's own helpers.

`pyfetch`, `requests` and `urllib3` need nothing: they use the `fetch` that the cage has replaced. What is waited for is the user as
well as the host, so a time limit of the caller's is not kept; the call as a whole has one.
"""

import email.parser
import http.client
import io
import urllib.request

import _satchel_js
import js
import pyodide.http
from pyodide.ffi import JsException, can_run_sync, run_sync, to_js

#: The browser has undone them already.
_DONE_BY_THE_BROWSER = {"content-encoding", "content-length", "transfer-encoding", "connection"}
#: The browser says them itself.
_SAID_BY_THE_BROWSER = {"host", "connection", "content-length", "accept-encoding", "transfer-encoding", "user-agent"}


class Answer:
    """What a host answered."""

    def __init__(self, status: int, reason: str, headers: list[tuple[str, str]], url: str, body: bytes):
        self.status, self.reason, self.headers, self.url, self.body = status, reason, headers, url, body


def ask(method: str, url: str, headers: list[tuple[str, str]], body: bytes | None) -> Answer:
    """Asks a host and waits for its answer. Raises `OSError` with the app's sentence where it is refused."""
    if not can_run_sync():
        raise OSError(_satchel_js.withoutWaiting)
    options = {"method": method, "headers": [list(pair) for pair in headers]}
    if body:
        options["body"] = body
    try:
        response = run_sync(js.fetch(url, to_js(options, dict_converter=js.Object.fromEntries)))
        contents = run_sync(response.arrayBuffer()).to_bytes()
    except JsException as error:
        raise OSError(error.message) from None
    pairs = [(name, value) for name, value in response.headers.entries()]
    return Answer(response.status, response.statusText, pairs, response.url or url, contents)


class _Connection:
    """Stands where `http.client` has a socket: takes a request as bytes, asks, and gives the answer as bytes."""

    def __init__(self, scheme: str, host: str, port: int):
        usual = {"http": 80, "https": 443}[scheme]
        host = f"[{host}]" if ":" in host else host
        self._origin = f"{scheme}://{host}" + ("" if port == usual else f":{port}")
        self._sent = bytearray()
        self._answer: bytes | None = None

    def sendall(self, data) -> None:
        self._sent += bytes(data)
        self._answer = None

    def exchange(self) -> None:
        """Asks, unless that was done."""
        if self._answer is not None:
            return
        head, _, body = bytes(self._sent).partition(b"\r\n\r\n")
        line, _, head = head.partition(b"\r\n")
        method, path, *_ = line.decode("latin-1").split(" ")
        fields = email.parser.BytesHeaderParser().parsebytes(head)
        if (fields.get("transfer-encoding") or "").lower() == "chunked":
            body = _unchunked(body)
        headers = [(name, value) for name, value in fields.items() if name.lower() not in _SAID_BY_THE_BROWSER]
        url = path if "://" in path else self._origin + path
        answer = ask(method, url, headers, body)
        self._sent.clear()
        self._answer = _as_http(answer)

    def makefile(self, mode: str = "rb", *_values, **_options) -> io.BytesIO:
        self.exchange()
        return io.BytesIO(self._answer or b"")

    def setsockopt(self, *_values) -> None:
        """There is nothing to set."""

    def settimeout(self, _seconds) -> None:
        """The call has a limit of its own."""

    def gettimeout(self) -> None:
        return None

    def shutdown(self, _how: int) -> None:
        """Nothing is open."""

    def close(self) -> None:
        """Nothing is open."""


def _unchunked(data: bytes) -> bytes:
    body, at = bytearray(), 0
    while at < len(data):
        end = data.index(b"\r\n", at)
        size = int(data[at:end].split(b";")[0], 16)
        body += data[end + 2 : end + 2 + size]
        at = end + 2 + size + 2
        if size == 0:
            break
    return bytes(body)


def _as_http(answer: Answer) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} {answer.reason}".rstrip()]
    lines += [f"{name}: {value}" for name, value in answer.headers if name.lower() not in _DONE_BY_THE_BROWSER]
    lines += [f"content-length: {len(answer.body)}", "connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1", "replace") + answer.body


def _open_url(url: str) -> io.StringIO:
    """Fetches an address and waits for it."""
    return io.StringIO(ask("GET", url, [], None).body.decode("utf-8", "replace"))


class _BlockingRequest:
    """The parts of an `XMLHttpRequest` that `pyodide.http.pyxhr` uses: collects what it says, and asks when it is sent."""

    @classmethod
    def new(cls):
        return cls()

    def open(self, method: str, url: str, *_values) -> None:
        self._method, self._url = method, url
        self._said: list[tuple[str, str]] = []

    def setRequestHeader(self, name: str, value: str) -> None:
        self._said.append((name, value))

    def send(self, body=None) -> None:
        if hasattr(body, "to_py"):
            body = bytes(body.to_py())
        answer = ask(self._method, self._url, self._said, body.encode() if isinstance(body, str) else body)
        self.status, self.statusText, self.responseURL = answer.status, answer.reason, answer.url
        self.response, self.responseText = answer.body, answer.body.decode("utf-8", "replace")
        self._heard = answer.headers

    def getAllResponseHeaders(self) -> str:
        return "\r\n".join(f"{name}: {value}" for name, value in self._heard)


def install() -> None:
    """Replaces the ways that need a socket."""
    plain_request = http.client.HTTPConnection.request

    def connect(self) -> None:
        scheme = "https" if isinstance(self, http.client.HTTPSConnection) else "http"
        self.sock = _Connection(scheme, self.host, self.port)

    def request(self, *values, **options) -> None:
        plain_request(self, *values, **options)
        if isinstance(self.sock, _Connection):
            # Asked for here, so that `urllib.request` takes a refusal for what it is.
            self.sock.exchange()

    http.client.HTTPConnection.connect = connect
    http.client.HTTPSConnection.connect = connect
    http.client.HTTPConnection.request = request
    # Proxies are the browser's matter.
    urllib.request.getproxies = dict
    pyodide.http.open_url = _open_url
    pyodide.http.pyxhr.XMLHttpRequest = _BlockingRequest
