"""Stands in for ml_goodput_measurement, the library that this package can replace.

    import stepscope.goodput
    stepscope.goodput.install()
    from ml_goodput_measurement import goodput, monitoring    # Stepscope's

docs/coming-from-ml-goodput.md tells what differs.
"""
import importlib
import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any, Optional, Sequence

_ORIGINAL = "ml_goodput_measurement"
_MODULES = ("checkpoint_badput_calculator", "exclusion_utils", "gcp_metrics", "goodput", "goodput_cache",
            "goodput_elastic", "goodput_utils", "monitoring", "monitoring_elastic")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(__name__ + "." + name)
    raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))


def install() -> None:
    """Lets `import ml_goodput_measurement` find this package's modules, whether or not that library is installed.

    Raises RuntimeError if the program has imported that library already: then some of it would be the library's
    and some Stepscope's.
    """
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    if _ORIGINAL in sys.modules:
        raise RuntimeError("{} is imported already; call stepscope.goodput.install() before".format(_ORIGINAL))
    sys.meta_path.insert(0, _Finder())


def _name_here(name: str) -> Optional[str]:
    """Returns the module that stands in for one of the original's names; None for names of other packages. Raises
    ModuleNotFoundError for what the original lacks, since files of this package are not its modules."""
    top, _, rest = name.partition(".")
    if top != _ORIGINAL:
        return None
    module = rest[len("src."):] if rest.startswith("src.") else rest
    if rest in ("", "src"):
        return __name__
    if module not in _MODULES:
        raise ModuleNotFoundError("No module named {!r}".format(name), name=name)
    return __name__ + "." + module


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives modules of this package under the original's names too."""

    def find_spec(self, name: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None
                  ) -> Optional[importlib.machinery.ModuleSpec]:
        here = _name_here(name)
        return None if here is None else importlib.machinery.ModuleSpec(name, self, origin=here)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module(spec.origin)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # It has run under its own name, and keeps it: importing sets only the spec of the other one.
        module.__spec__ = module.__spec__.loader_state
