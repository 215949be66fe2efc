"""Lets `import hta...` find the classes of this package, whether or not HTA is installed."""
from __future__ import annotations

import importlib.abc
import importlib.util
import sys
import types
from typing import Any

# What programs import, by HTA's modules: each name and where it is here.
_NAMES: dict[str, dict[str, str]] = {
    "hta": {},
    "hta.trace_analysis": {"TraceAnalysis": "analysis", "TimeSeriesTypes": "analysis"},
    "hta.trace_diff": {"TraceDiff": "diff", "LabeledTrace": "diff", "DeviceType": "diff"},
    "hta.memory_analysis": {"MemoryAnalysis": "memory"},
    "hta.common": {},
    "hta.common.trace": {"Trace": "trace", "PHASE_COUNTER": "trace"},
    "hta.analyzers": {},
    "hta.analyzers.cupti_counter_analysis": {"CUDA_SASS_INSTRUCTION_COUNTER_FLOPS": "cupti"},
    "hta.analyzers.critical_path_analysis": {"CPGraph": "critical_path:CriticalPath"},
    "hta.analyzers.straggler": {"find_stragglers_with_late_start_comm_kernels": "stragglers"},
    "hta.utils": {},
    "hta.utils.utils": {"shorten_name": "names:short_name", "get_kernel_type": "names:kernel_type"},
}


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of HTA that have a counterpart here, before any other finder does."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "hta" and not name.startswith("hta."):
            return None
        if name not in _NAMES:
            raise ModuleNotFoundError(
                f"stepscope.hta has no counterpart of {name}: see docs/cookbook-events.md for what to write instead, or "
                "call stepscope.hta.uninstall() to import HTA itself", name=name)
        return importlib.util.spec_from_loader(name, self, is_package=any(n.startswith(name + ".") for n in _NAMES))

    def create_module(self, spec: Any) -> types.ModuleType:
        return types.ModuleType(spec.name, f"Stands for HTA's {spec.name}: see stepscope.hta.")

    def exec_module(self, module: types.ModuleType) -> None:
        for name, home in _NAMES[module.__name__].items():
            file, _, other = home.partition(":")
            found = importlib.import_module(f"stepscope.hta.{file}")
            setattr(module, name, getattr(found, other or name))


_FINDER = _Finder()
_HIDDEN: dict[str, types.ModuleType] = {}


def install(strict: bool = False) -> None:
    """Makes `from hta.trace_analysis import TraceAnalysis` and HTA's other imports find stepscope's classes.

    Wins over an installed HTA, also where it was imported before; uninstall() undoes it. With strict=True these classes
    give HTA's own numbers, unless they are told otherwise.

        import stepscope.hta
        stepscope.hta.install()
        from hta.trace_analysis import TraceAnalysis
    """
    _be_strict(strict)
    if _FINDER in sys.meta_path:
        return
    _HIDDEN.update(_forgotten())
    sys.meta_path.insert(0, _FINDER)


def uninstall() -> None:
    """Undoes install(): `import hta` finds HTA again, where it is installed."""
    if _FINDER not in sys.meta_path:
        return
    _be_strict(False)
    sys.meta_path.remove(_FINDER)
    _forgotten()
    sys.modules.update(_HIDDEN)
    _HIDDEN.clear()


def _be_strict(strict: bool) -> None:
    from .trace import STRICT

    STRICT[0] = strict


def _forgotten() -> dict[str, types.ModuleType]:
    """Removes HTA's modules from those imported, and returns them."""
    names = [name for name in sys.modules if name == "hta" or name.startswith("hta.")]
    return {name: sys.modules.pop(name) for name in names}
