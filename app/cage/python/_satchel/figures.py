"""`plt.show()` of matplotlib: shows every open figure and closes it.

matplotlib is not part of the runtime, so nothing of it is imported here: its backend is chosen by an environment variable, and when
a toolset imports `matplotlib.pyplot`, its `show` is replaced.
"""

import importlib.abc
import importlib.machinery
import sys

from .screen import Image, display, figure_png

_PYPLOT = "matplotlib.pyplot"


def install() -> None:
    sys.meta_path.insert(0, _Finder())


def show(*_values, **_options) -> None:
    """Shows all figures, in the order in which they were made, and closes them as a window would be."""
    pyplot = sys.modules[_PYPLOT]
    for number in pyplot.get_fignums():
        display(Image(figure_png(pyplot.figure(number)), "image/png"))
    pyplot.close("all")


class _Finder(importlib.abc.MetaPathFinder):
    """Lets the others find `matplotlib.pyplot`, and changes it when it has been loaded."""

    def find_spec(self, name, path, target=None):
        if name != _PYPLOT:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module) -> None:
        self._loader.exec_module(module)
        module.show = show

    def __getattr__(self, name):
        # Resources and source are still the first loader's.
        return getattr(self._loader, name)
