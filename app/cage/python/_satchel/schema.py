"""What a function takes, as a JSON schema, from its type hints, defaults and docstring (C34)."""

import collections.abc
import dataclasses
import datetime
import decimal
import enum
import inspect
import pathlib
import types
import typing
import uuid
from json import dumps

from .arguments import is_decorated, signature_of, takes_workspace
from .docstring import read
from .failure import Failure

_PLAIN = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    dict: {"type": "object"},
    list: {"type": "array"},
    tuple: {"type": "array"},
    set: {"type": "array", "uniqueItems": True},
    frozenset: {"type": "array", "uniqueItems": True},
    bytes: {"type": "string"},
    pathlib.Path: {"type": "string"},
    pathlib.PurePath: {"type": "string"},
    decimal.Decimal: {"type": "number"},
    datetime.datetime: {"type": "string", "format": "date-time"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.time: {"type": "string", "format": "time"},
    uuid.UUID: {"type": "string", "format": "uuid"},
    object: {},
    typing.Any: {},
}
_LISTS = (list, set, frozenset, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection, collections.abc.Set)
_MAPS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)


def describe_function(function) -> tuple[str, dict]:
    """What its docstring says of it, and the schema of its arguments. Raises `Failure`."""
    details = getattr(function, "__satchel_details__", {})
    description, said = read(inspect.getdoc(function))
    signature = signature_of(function)
    if signature is None:
        raise Failure("not_found", f"{getattr(function, '__name__', function)!r} does not say what it takes")
    hints = _hints(function)
    properties: dict[str, dict] = {}
    required: list[str] = []
    anything = False
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            anything = True
        elif parameter.kind is not parameter.VAR_POSITIONAL and not _is_the_workspace(function, name):
            schema = schema_of(hints.get(name, typing.Any))
            if name in said:
                schema = {**schema, "description": said[name]}
            if parameter.default is parameter.empty:
                required.append(name)
            elif _is_json(parameter.default):
                schema = {**schema, "default": parameter.default}
            properties[name] = schema
    schema = {"type": "object", "properties": properties, "required": required}
    if not anything:
        schema["additionalProperties"] = False
    return str(details.get("description") or description), schema


def _is_the_workspace(function, name: str) -> bool:
    return name == "workspace" and takes_workspace(function) and not is_decorated(function)


def schema_of(hint, above: tuple = ()) -> dict:
    """The schema of a type. A type that is not known says nothing, so that it allows anything."""
    if isinstance(hint, typing.TypeAliasType):
        hint = hint.__value__
    try:
        if hint in _PLAIN:
            return dict(_PLAIN[hint])
    except TypeError:
        # A hint that cannot be hashed is none of the plain ones.
        pass
    origin, given = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _annotated(given, above)
    if origin in (typing.Required, typing.NotRequired, typing.ReadOnly):
        return schema_of(given[0], above)
    if origin is typing.Literal:
        return _choices(list(given))
    if origin in (typing.Union, types.UnionType):
        return _union([schema_of(each, above) for each in given])
    if origin is tuple:
        return _tuple(given, above)
    if origin in _LISTS:
        base = _PLAIN.get(origin, {"type": "array"})
        return {**base, "items": schema_of(given[0], above)} if given else dict(base)
    if origin in _MAPS:
        values = schema_of(given[1], above) if len(given) == 2 else {}
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    if isinstance(hint, type) and hint not in above:
        return _class(hint, (*above, hint))
    return {}


def _annotated(given: tuple, above: tuple) -> dict:
    schema = schema_of(given[0], above)
    for note in given[1:]:
        text = note if isinstance(note, str) else getattr(note, "description", None) or getattr(note, "documentation", None)
        if isinstance(text, str):
            schema["description"] = text
        elif isinstance(note, dict):
            schema.update(note)
    return schema


def _union(schemas: list[dict]) -> dict:
    if any(not schema for schema in schemas):
        return {}
    if all(list(schema) == ["type"] and isinstance(schema["type"], str) for schema in schemas):
        kinds = list(dict.fromkeys(schema["type"] for schema in schemas))
        return {"type": kinds[0] if len(kinds) == 1 else kinds}
    return {"anyOf": schemas}


def _tuple(given: tuple, above: tuple) -> dict:
    if len(given) == 2 and given[1] is Ellipsis:
        return {"type": "array", "items": schema_of(given[0], above)}
    items = [schema_of(each, above) for each in given if each != ()]
    return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}


def _choices(values: list) -> dict:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
    found = list(dict.fromkeys(kinds.get(type(value)) for value in values))
    schema: dict = {"enum": values}
    return {"type": found[0], **schema} if len(found) == 1 and found[0] else schema


def _class(hint: type, above: tuple) -> dict:
    if issubclass(hint, enum.Enum):
        return _choices([member.value for member in hint if _is_json(member.value)])
    if typing.is_typeddict(hint):
        hints = _hints(hint)
        return _object(hint, {name: schema_of(each, above) for name, each in hints.items()}, sorted(hint.__required_keys__), hints)
    if dataclasses.is_dataclass(hint):
        hints = _hints(hint)
        fields = {field.name: schema_of(hints.get(field.name, typing.Any), above) for field in dataclasses.fields(hint) if field.init}
        missing = dataclasses.MISSING
        needed = [each.name for each in dataclasses.fields(hint) if each.init and each.default is missing and each.default_factory is missing]
        return _object(hint, fields, needed, fields)
    if hasattr(hint, "model_json_schema"):
        return hint.model_json_schema()
    plain = next((schema for base, schema in _PLAIN.items() if base is not object and isinstance(base, type) and issubclass(hint, base)), {})
    return dict(plain)


def _object(hint: type, properties: dict, required: list, order) -> dict:
    description, said = read(hint.__doc__ if not (hint.__doc__ or "").startswith(f"{hint.__name__}(") else "")
    for name, text in said.items():
        if name in properties:
            properties[name] = {**properties[name], "description": text}
    schema = {"type": "object", "properties": properties, "required": [name for name in order if name in required]}
    return {**schema, "description": description} if description and description != (dict.__doc__ or "").strip() else schema


def _hints(thing) -> dict:
    try:
        return typing.get_type_hints(thing, include_extras=True)
    except Exception:
        # A name in a hint that cannot be found; those that are no text are still good.
        return {name: hint for name, hint in getattr(thing, "__annotations__", {}).items() if not isinstance(hint, str)}


def _is_json(value: object) -> bool:
    try:
        dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
