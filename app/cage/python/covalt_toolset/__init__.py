"""The name under which toolsets made for Covalt Desktop know `satchel`."""

from satchel import *  # noqa: F403
from satchel import __all__ as __all__
