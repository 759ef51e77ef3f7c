"""From `module.path:function` to the function (C33).

A module is looked for in the toolset alone, so that one called `random` is the toolset's and not Python's. Functions are kept: the
toolset does not change while a cage lives.
"""

import importlib
import importlib.util
import sys
from pathlib import Path

from .failure import Failure
from .report import report

TOOLSET = Path("/toolset")
_found: dict[str, object] = {}


def find(entrypoint: str):
    """The function of an entrypoint. Raises `Failure`."""
    if entrypoint not in _found:
        _found[entrypoint] = _find(entrypoint)
    return _found[entrypoint]


def _find(entrypoint: str):
    name, colon, function = entrypoint.partition(":")
    if not (colon and name and function):
        raise Failure("not_found", f"{entrypoint!r} is no entrypoint: it has to be module.path:function")
    root = next((root for root in (TOOLSET, TOOLSET / "tools") if _holds(root, name)), None)
    if root is None:
        where = name.replace(".", "/") + ".py"
        raise Failure("not_found", f"there is no module {name!r} in the toolset: neither {where} nor tools/{where} is there")
    try:
        found = _import(root, name)
    except BaseException as error:
        raise report(error, f"could not import {name}") from None
    for part in function.split("."):
        found = getattr(found, part, None)
        if found is None:
            raise Failure("not_found", f"the module {name!r} has no function {function!r}")
    if not callable(found):
        raise Failure("not_found", f"{function!r} in the module {name!r} is no function but {type(found).__name__}")
    return found


def _holds(root: Path, name: str) -> bool:
    path = root.joinpath(*name.split("."))
    return path.with_name(path.name + ".py").is_file() or path.is_dir()


def _import(root: Path, name: str):
    if root != TOOLSET:
        # Written for a place where tools/ is on the path: modules beside it are found by their plain names as well.
        if str(root) not in sys.path:
            sys.path.insert(1, str(root))
        return importlib.import_module(f"tools.{name}")
    top, _, rest = name.partition(".")
    known = sys.modules.get(top)
    if known is None or str(getattr(known, "__file__", None) or TOOLSET).startswith(str(TOOLSET)):
        return importlib.import_module(name)
    # Python has a module of that name already. It keeps it, and the toolset's is known by another.
    alias = f"toolset_{top}"
    if alias not in sys.modules:
        _load_as(alias, root / top)
    return importlib.import_module(f"{alias}.{rest}" if rest else alias)


def _load_as(alias: str, path: Path) -> None:
    if path.is_dir():
        source, inside = path / "__init__.py", [str(path)]
    else:
        source, inside = path.with_name(path.name + ".py"), None
    if not source.is_file():
        spec = importlib.util.spec_from_loader(alias, None, is_package=True)
        spec.submodule_search_locations = inside
        sys.modules[alias] = importlib.util.module_from_spec(spec)
        return
    spec = importlib.util.spec_from_file_location(alias, source, submodule_search_locations=inside)
    module = importlib.util.module_from_spec(spec)
    sys.modules[alias] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[alias]
        raise
