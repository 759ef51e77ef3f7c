"""Which arguments a function is called with, by either contract (C34)."""

import inspect

from .context import WORKSPACE
from .failure import Failure

_signatures: dict[int, inspect.Signature | None] = {}


def is_decorated(function: object) -> bool:
    """Whether the function has `@tool`."""
    return getattr(function, "__satchel_tool__", False)


def signature_of(function) -> inspect.Signature | None:
    """What a function takes; nothing where it does not say."""
    key = id(function)
    if key not in _signatures:
        try:
            _signatures[key] = inspect.signature(function)
        except (TypeError, ValueError):
            _signatures[key] = None
    return _signatures[key]


def takes_workspace(function) -> bool:
    """A function gets the workspace where it names it, or takes anything and has no decorator."""
    signature = signature_of(function)
    if signature is None:
        return not is_decorated(function)
    if "workspace" in signature.parameters:
        return True
    anything = any(each.kind is each.VAR_KEYWORD for each in signature.parameters.values())
    return anything and not is_decorated(function)


def bind(function, given: dict) -> tuple[list, dict]:
    """The positional and the named arguments of the call. Raises `Failure`."""
    values = dict(given)
    if takes_workspace(function):
        if "workspace" in values and not is_decorated(function):
            raise Failure("bad_arguments", "'workspace' is no argument: the tool gets its folder under that name")
        values.setdefault("workspace", WORKSPACE)
    signature = signature_of(function)
    if signature is None:
        return [], values
    positional = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.POSITIONAL_ONLY and parameter.name in values:
            positional.append(values.pop(parameter.name))
    try:
        signature.bind(*positional, **values)
    except TypeError as error:
        name = getattr(function, "__name__", "the tool")
        raise Failure("bad_arguments", f"{name}() cannot be called so: {error}") from None
    return positional, values
