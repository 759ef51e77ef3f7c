"""What Satchel gives to tools: `@tool`, `get_context()` and `display()`."""

from _satchel.context import Context, get_context
from _satchel.decorator import tool
from _satchel.screen import Html, Image, Json, Markdown, Svg, Table, display

__all__ = ["Context", "Html", "Image", "Json", "Markdown", "Svg", "Table", "display", "get_context", "tool"]
