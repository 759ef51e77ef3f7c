"""What a function may ask about the call it serves."""

from dataclasses import dataclass, field
from pathlib import Path

WORKSPACE = Path("/workspace")


@dataclass(frozen=True)
class Context:
    """The call that is running."""

    workspace: Path
    chat_id: str
    toolset_id: str
    tool_call_id: str
    extra: dict = field(default_factory=dict)


# Calls come one after the other, so there is one at most.
_current: Context | None = None


def begin(given: dict) -> Context:
    global _current
    _current = Context(WORKSPACE, given["chat_id"], given["toolset_id"], given["tool_call_id"])
    return _current


def get_context() -> Context:
    """The call that is running: .workspace, .chat_id, .toolset_id, .tool_call_id, .extra."""
    if _current is None:
        raise RuntimeError("get_context() has an answer only while a tool runs, not while its module is imported")
    return _current
