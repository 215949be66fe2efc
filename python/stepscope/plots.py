"""Chooses the figure of a report or table: those of the page, drawn with Plotly."""
from __future__ import annotations

from typing import Any, Callable

from . import frames
from .errors import QuestionError
from .figures import bars, curves, job, ranks, shares


def _stacked(columns: list[str], kinds: tuple[str, ...] = ()) -> Callable[..., Any]:
    return lambda report, table: bars.stacked(report, table, columns, kinds)


def _stacked_rows(part: str, column: str) -> Callable[..., Any]:
    return lambda report, table: bars.stacked_rows(report, table, part, column)


def _plain(column: str, labels: tuple[str, ...] = ()) -> Callable[..., Any]:
    return lambda report, table: bars.plain(report, table, column, labels)


def _parts(report: Any, table: Any) -> Any:
    return bars.stacked(report, table, bars.parts_of(table))


# By analysis and table; as ui/src/views/registry.ts has it.
_OF_TABLES: dict[tuple[str, str], Callable[..., Any]] = {
    ("overview", "steps"): _parts,
    ("breakdown", "parts"): _plain("time", ("part",)),
    ("breakdown", "ranks"): _parts,
    ("steps", "breakdown"): _parts,
    ("input_pipeline", "steps"): _parts,
    ("temporal_breakdown", "ranks"): _stacked(["compute_ratio", "non_compute_ratio", "idle_ratio"],
                                              ("compute", "communication", "idle")),
    ("comm_overlap", "ranks"): bars.overlap,
    ("idle_time", "main_streams"): _stacked(["host_wait", "kernel_wait", "other"]),
    ("kernel_breakdown", "kinds"): shares.kinds,
    ("kernel_breakdown", "top"): shares.kernels,
    ("kernel_breakdown", "kernels"): ranks.kernel_durations,
    ("kernel_distribution", "kernels"): ranks.spread,
    ("phases", "ranks"): _stacked_rows("phase", "busy"),
    ("critical_path", "bounds"): _stacked_rows("bound", "time"),
    ("critical_path", "what_if"): _plain("saved"),
    ("collectives", "ranks"): _stacked(["transfer", "wait"]),
    ("allreduce_check", "ranks"): _stacked(["transfer", "waiting"]),
    ("stragglers", "ranks"): _plain("blame"),
    ("stragglers", "reasons"): _stacked(["compute", "late_launches", "input", "copies", "transfer"]),
    ("operators", "top"): _plain("self"),
    ("modules", "types"): _stacked(["forward", "backward"]),
    ("python", "top"): _plain("self"),
    ("whatif", "changes"): _plain("saved"),
    ("goodput", "buckets"): _plain("time", ("bucket",)),
    ("goodput", "segments"): job.segments,
}
# Reports whose curves say more than their first table does, and one of which the table says more.
_OF_CURVES = {"launch_stats": curves.histograms, "queue_length": curves.queue}
_TABLE_FIRST = {"goodput"}


def report_figure(report: Any, key: str | None = None, column: str | None = None, name: str | None = None) -> Any:
    """The figure of Report.plot()."""
    frames.imported("plotly", "a figure", "plotly")
    if key is None and column is None and report.series and report.name not in _TABLE_FIRST:
        return _OF_CURVES.get(report.name, curves.curves)(report)
    table = report.table(next(iter(report.tables), key) if key is None else key)
    if not len(table):
        raise QuestionError(f"the table {table.key!r} of {report.name} has no rows to draw", "",
                            "name another: " + ", ".join(report.tables))
    return _table_figure(report, table, column, name)


def _table_figure(report: Any, table: Any, column: str | None, name: str | None) -> Any:
    if name is not None:
        return ranks.kernel_durations(report, table, name)
    pair = bars.measured_pair(table, column)
    if pair is not None:
        return bars.before_after(report, table, pair)
    own = _OF_TABLES.get((report.name, table.key))
    if own is not None and column is None and not bars.pairs(table):
        return own(report, table)
    if ranks.is_rank_by_step(table):
        return ranks.heat(report, table, column)
    return bars.plain(report, table, column or table.bars or None)
