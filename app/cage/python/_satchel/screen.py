"""`display()`: shows something beside the result, as whatever it can be shown (R305).

A thing is told as several media types at once, and the page chooses. What a thing says of itself is taken in the ways that notebooks
know: `_repr_html_`, `_repr_png_`, `_repr_mimebundle_` and the others.
"""

import base64
import builtins
import io
import sys
from json import dumps

import _satchel_js

from .table import html_table, is_table

#: What one thing may have, all its media types together.
MOST_BYTES = 10 * 1024 * 1024

_REPRS = {
    "_repr_html_": "text/html",
    "_repr_markdown_": "text/markdown",
    "_repr_svg_": "image/svg+xml",
    "_repr_png_": "image/png",
    "_repr_jpeg_": "image/jpeg",
    "_repr_latex_": "text/latex",
    "_repr_json_": "application/json",
}
_PICTURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}


class _Shown:
    """Something that is shown as one media type."""

    media_type = "text/plain"

    def __init__(self, data: str):
        self.data = str(data)

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {self.media_type: self.data, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Html(_Shown):
    """A piece of HTML, shown in a frame of its own."""

    media_type = "text/html"


class Markdown(_Shown):
    """A text in Markdown."""

    media_type = "text/markdown"

    def __repr__(self) -> str:
        return self.data


class Svg(_Shown):
    """A drawing in SVG."""

    media_type = "image/svg+xml"


class Json(_Shown):
    """Any JSON, shown as a tree."""

    media_type = "application/json"

    def __init__(self, data: object):
        super().__init__(dumps(data))

    def __repr__(self) -> str:
        return self.data


class Table(_Shown):
    """Rows as a table: a list of dicts, or a list of lists with `columns`."""

    media_type = "text/html"

    def __init__(self, rows, columns=None):
        super().__init__(html_table(rows, columns))


class Image(_Shown):
    """A picture: its bytes, or the path of a file."""

    def __init__(self, data, media_type: str | None = None):
        if not isinstance(data, (bytes, bytearray, memoryview)):
            with open(data, "rb") as file:
                data = file.read()
        self.bytes = bytes(data)
        known = next((media for start, media in _PICTURES.items() if self.bytes.startswith(start)), None)
        if media_type is None and known is None:
            raise ValueError("the picture is neither PNG, JPEG, GIF nor WebP; give its media_type")
        self.media_type = media_type or known

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {self.media_type: self.bytes, "text/plain": f"<Image of {len(self.bytes)} bytes>"}


def display(*things: object) -> None:
    """Shows each of the things, in their order, while the tool runs."""
    for thing in things:
        bundle = {media_type: _as_text(data) for media_type, data in bundle_of(thing).items()}
        size = sum(len(data) for data in bundle.values())
        if size > MOST_BYTES:
            raise ValueError(
                f"{type(thing).__name__} cannot be displayed: it has {size:,} bytes, and {MOST_BYTES:,} are shown at most; "
                "write it to a file of the workspace"
            )
        sys.stdout.flush()
        _satchel_js.display(dumps(bundle))


def bundle_of(thing: object) -> dict:
    """A thing by media type."""
    own = _asked(thing, "_repr_mimebundle_")
    if isinstance(own, tuple):
        own = own[0]
    if isinstance(own, dict) and own:
        return {"text/plain": repr(thing), **own}
    bundle = {media_type: data for name, media_type in _REPRS.items() if (data := _asked(thing, name)) is not None}
    if isinstance(bundle.get("application/json"), (dict, list)):
        bundle["application/json"] = dumps(bundle["application/json"])
    if not bundle and is_table(thing):
        bundle["text/html"] = html_table(thing)
    if not bundle and hasattr(thing, "save") and hasattr(thing, "mode") and hasattr(thing, "size"):
        bundle["image/png"] = _saved(thing, format="PNG")
    if not bundle and hasattr(thing, "savefig"):
        bundle["image/png"] = figure_png(thing)
    if isinstance(thing, str):
        return {"text/plain": thing}
    return {**bundle, "text/plain": repr(thing)}


def figure_png(figure) -> bytes:
    """A figure of matplotlib as a picture."""
    return _saved(figure, "savefig", format="png", bbox_inches="tight")


def install() -> None:
    """Makes `display` known everywhere, as in a notebook, and `input` say that nobody is there."""
    builtins.display = display
    builtins.input = _no_keyboard


def _no_keyboard(prompt: object = "", /) -> str:
    raise EOFError("a tool has no keyboard: input() cannot be answered, so take the value as an argument of the tool")


def _asked(thing: object, name: str):
    """What a thing answers to one of the questions of notebooks; a class is not asked for its instances."""
    method = None if isinstance(thing, type) else getattr(thing, name, None)
    if not callable(method):
        return None
    try:
        answer = method()
    except NotImplementedError:
        return None
    # A few give the data together with how to draw it.
    return answer[0] if isinstance(answer, tuple) and name != "_repr_mimebundle_" else answer


def _saved(thing, method: str = "save", **options) -> bytes:
    file = io.BytesIO()
    getattr(thing, method)(file, **options)
    return file.getvalue()


def _as_text(data: object) -> str:
    if isinstance(data, (bytes, bytearray, memoryview)):
        return base64.b64encode(data).decode()
    return data if isinstance(data, str) else dumps(data)
