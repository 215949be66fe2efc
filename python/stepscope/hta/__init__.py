"""HTA's classes over stepscope: programs written for Holistic Trace Analysis run with one changed import.

    from stepscope.hta import TraceAnalysis

    analyzer = TraceAnalysis(trace_dir="traces/")
    analyzer.get_temporal_breakdown()
    analyzer.get_gpu_kernel_breakdown()

Or with none, after `stepscope.hta.install()`: `from hta.trace_analysis import TraceAnalysis` then finds these classes. The
tables have HTA's columns, units (microseconds, %) and order, as pandas DataFrames. Where HTA's numbers are wrong, these
differ (docs/coming-from-hta.md lists where); strict=True gives HTA's own.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import lazy_names

if TYPE_CHECKING:
    from .analysis import TimeSeriesTypes, TraceAnalysis
    from .critical_path import CriticalPath
    from .diff import DeviceType, LabeledTrace, TraceDiff
    from .installing import install, uninstall
    from .memory import MemoryAnalysis
    from .trace import Trace

_HOMES = {
    "TraceAnalysis": "analysis", "TimeSeriesTypes": "analysis", "CriticalPath": "critical_path",
    "TraceDiff": "diff", "LabeledTrace": "diff", "DeviceType": "diff", "MemoryAnalysis": "memory", "Trace": "trace",
    "install": "installing", "uninstall": "installing",
}

__all__ = list(_HOMES)

__getattr__, __dir__ = lazy_names(globals(), _HOMES)
