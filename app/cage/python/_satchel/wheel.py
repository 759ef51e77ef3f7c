"""Wheels into the site-packages of this cage (R306)."""

import importlib
import io
import re
import sys
import sysconfig
import zipfile
from pathlib import Path, PurePosixPath

SITE_PACKAGES = Path(sysconfig.get_path("purelib"))
_NAME = re.compile(r"^(?P<name>.+?)-(?P<version>.+?)(-(?P<build>\d[^-]*))?-(?P<python>[^-]+)-(?P<abi>[^-]+)-(?P<platform>[^-]+)\.whl$")
#: Where the parts of `{name}.data` belong.
_SCHEMES = {"purelib": SITE_PACKAGES, "platlib": SITE_PACKAGES, "data": Path(sys.prefix)}
_LIBRARY = re.compile(r"\.so(\.\d+)*$")


def unpack(name: str, contents: bytes) -> list[str]:
    """Unpacks a wheel; gives the paths of its shared libraries. Raises `ValueError` with a sentence that names the wheel."""
    _check_tags(name)
    try:
        archive = zipfile.ZipFile(io.BytesIO(contents))
        if not any(entry.endswith(".dist-info/WHEEL") for entry in archive.namelist()):
            raise ValueError(f"{name} is not a wheel: it has no .dist-info/WHEEL")
        files = {place: archive.read(entry) for entry in archive.infolist() if (place := _place(name, entry))}
    except zipfile.BadZipFile as error:
        raise ValueError(f"{name} is damaged: {error}") from None
    for place, data in files.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    importlib.invalidate_caches()
    return [str(place) for place in files if _LIBRARY.search(place.name)]


def _check_tags(name: str) -> None:
    parts = _NAME.match(name)
    if parts is None:
        raise ValueError(f"{name} is not the name of a wheel (name-version-python-abi-platform.whl)")
    platforms = parts["platform"].split(".")
    if not any(each == "any" or each in _platforms() for each in platforms):
        raise ValueError(
            f"{name} is for another platform ({parts['platform']}); a toolset needs a wheel in pure Python (…-none-any.whl) or one "
            f"for {_platforms()[0]}"
        )
    if not any(_fits(python, abi) for python in parts["python"].split(".") for abi in parts["abi"].split(".")):
        raise ValueError(f"{name} is for another Python ({parts['python']}-{parts['abi']}); this one is {_python()}")


def _python() -> str:
    return "cp%d%d" % sys.version_info[:2]


def _platforms() -> list[str]:
    """Those of this runtime, the name that packages are published under first."""
    abi = sysconfig.get_config_var("PYODIDE_ABI_VERSION")
    own = re.sub(r"[^a-z0-9]", "_", sysconfig.get_platform().lower())
    names = [f"{kind}_{abi}_wasm32" for kind in ("pyemscripten", "pyodide")] if abi else []
    return [*names, own]


def _fits(python: str, abi: str) -> bool:
    major, minor = sys.version_info[:2]
    if abi == "none":
        older = re.fullmatch(r"(?:py|cp)3(\d*)", python)
        return older is not None and (not older[1] or int(older[1]) <= minor)
    if abi == "abi3":
        older = re.fullmatch(r"cp3(\d+)", python)
        return older is not None and int(older[1]) <= minor
    return python == _python() and abi == _python()


def _place(wheel: str, entry: zipfile.ZipInfo) -> Path | None:
    """Where a file of the archive belongs; nowhere for folders and for scripts, which nothing here could start."""
    path = PurePosixPath(entry.filename)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"{wheel} has a file outside its folder: {entry.filename}")
    if entry.is_dir():
        return None
    if path.parts[0].endswith(".data") and len(path.parts) > 2:
        root = _SCHEMES.get(path.parts[1])
        return root and root.joinpath(*path.parts[2:])
    return SITE_PACKAGES.joinpath(path)
