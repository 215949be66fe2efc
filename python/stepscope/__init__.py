"""Shows where training time goes and what to change, from the profiler traces of every rank.

    import stepscope

    run = stepscope.open("traces/")          # PyTorch, TensorFlow, JAX; a directory, files or globs
    run.summary()                            # the first screen
    run.comm_overlap().df()                  # any analysis, as a DataFrame
    stepscope.compare("before/", "after/")   # what changed

    @stepscope.analysis                      # one of your own, which then is one of the run's
    def long_kernels(ctx, limit=1_000_000): ...

Times are whole nanoseconds, ratios go from 0 to 1, and None stands for what is not known.

Importing the package loads nothing but this file: the extension module comes with the first use, so that a training job
that only records its goodput (`stepscope.goodput`) never has it in memory.
"""
from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ._lazy import lazy_names

if TYPE_CHECKING:  # "as": type checkers take what is imported so for names of the package
    from . import events as events, goodput as goodput, hta as hta, integrations as integrations
    from . import profiler as profiler
    from .comparing import compare as compare, whatif as whatif
    from .errors import Error as Error, InputError as InputError, MissingLibrary as MissingLibrary
    from .errors import QuestionError as QuestionError, UseError as UseError
    from .context import Context as Context
    from .events import Events as Events
    from .own import Param as Param, Result as Result, Unavailable as Unavailable, analysis as analysis
    from .own import column as column, curve as curve, finding as finding, param as param, table as table
    from .report import Column as Column, Finding as Finding, Note as Note, Report as Report, Reports as Reports
    from .report import Series as Series, Table as Table
    from .run import Progress as Progress, Run as Run, open as open
    from .scale import map_ranks as map_ranks, ray_map as ray_map

_HOMES = {
    "open": "run", "Run": "run", "Progress": "run",
    "compare": "comparing", "whatif": "comparing", "map_ranks": "scale", "ray_map": "scale",
    "Error": "errors", "QuestionError": "errors", "InputError": "errors", "UseError": "errors",
    "MissingLibrary": "errors", "Events": "events",
    "Report": "report", "Reports": "report", "Table": "report", "Column": "report", "Finding": "report",
    "Note": "report",
    "analysis": "own", "table": "own", "column": "own", "finding": "own", "curve": "own", "param": "own", "Param": "own",
    "Result": "own", "Unavailable": "own", "Context": "context", "Series": "report", "__version__": "_core",
}

__all__ = [*_HOMES, "analyses", "explain"]

__getattr__, __dir__ = lazy_names(globals(), _HOMES, ["events", "goodput", "hta", "integrations", "profiler"])


def analyses() -> list[str]:
    """Returns the names of all analyses, in the order that reports are shown in."""
    return [info["name"] for info in import_module("._core", __name__).analyses()]


def explain(name: str) -> str:
    """Returns what an analysis is about, as Markdown: question, definition, limitations, interpretation.

    Raises QuestionError, with the nearest known name, where there is no such analysis.
    """
    return import_module("._core", __name__).explain(name)["doc"]
