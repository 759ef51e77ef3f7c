"""Why a call gave no result, in the words of the protocol."""

from dataclasses import dataclass
from json import dumps
from typing import Literal

Kind = Literal["not_found", "bad_arguments", "exception", "bad_result"]


@dataclass
class Failure(Exception):
    kind: Kind
    message: str
    traceback: str = ""

    def outcome(self) -> str:
        """As the app is told."""
        words = {"type": "error", "failure": self.kind, "message": self.message, "traceback": self.traceback}
        return dumps(words)
