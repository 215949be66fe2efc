"""The numbers of HTA's methods from stepscope's reports, and from events where a method lists events."""
from __future__ import annotations

from typing import Any, Sequence

from . import breakdown, counters, cupti, idle, launches, stragglers
from .frame import step_number
from .trace import Trace
from .window import chosen_steps


class ReportNumbers:
    """What TraceAnalysis answers from, unless it is strict. `with_last` counts the last profiler step too."""

    def __init__(self, trace: Trace, with_last: bool) -> None:
        self._trace = trace
        self._source = trace.source
        self._with_last = with_last
        self._steps: str | None = None

    @property
    def steps(self) -> str:
        """The steps that count, as stepscope's `steps` has them."""
        if self._steps is None:
            self._steps = chosen_steps(self._named_steps(), self._with_last)
        return self._steps

    def _named_steps(self) -> list[int]:
        rows = breakdown.rows_of(self._source.rows("user_annotations", "annotations", "all"))
        return sorted({step_number(row["annotation"]) for row in rows if row["side"] == "host"} - {-1})

    def profiler_steps(self) -> list[int]:
        """The steps that count, by number."""
        numbers = self._named_steps()
        return numbers if self._with_last or len(numbers) < 2 else numbers[:-1]

    def overlap(self) -> Any:
        return breakdown.overlap(self._source, self.steps)

    def temporal(self) -> Any:
        return breakdown.temporal(self._source, self.steps)

    def kernel_types(self, types: Sequence[str]) -> Any:
        return breakdown.kernel_types(self._source, self.steps, types)

    def kernels(self, types: Sequence[str], most: int, quantile: float) -> Any:
        return breakdown.kernels(self._source, self.steps, types, most, quantile)

    def annotations(self, side: str, most: int, quantile: float, keep: Sequence[str] | None) -> Any:
        return breakdown.annotations(self._source, self.steps, side, most, quantile, keep)

    def idle(self, ranks: Sequence[int], streams: Sequence[int] | None, delay: float) -> Any:
        return idle.breakdown(self._source, self.steps, ranks, streams, delay)

    def idle_intervals(self, ranks: Sequence[int], streams: Sequence[int] | None, delay: float) -> Any:
        return idle.intervals(self._source, self.steps, ranks, streams, delay)

    def launches(self, ranks: Sequence[int], with_copies: bool) -> dict[int, Any]:
        return launches.launch_stats(self._source, self.steps, ranks, with_copies)

    def operators(self, ranks: Sequence[int], sort_by: Sequence[str]) -> dict[int, Any]:
        return launches.aten_operators(self._source, self.steps, ranks, sort_by)

    def sequences(self, rank: int, operator: str, least: int) -> Any:
        return launches.frequent_sequences(self._source, self.steps, rank, operator, least)

    def queue_points(self, rank: int) -> Any:
        return counters.queue_points(self._trace.get_trace(rank), self._trace.symbol_table)

    def queue_summary(self, ranks: Sequence[int]) -> Any:
        return counters.queue_summary(self._source, self.steps, ranks)

    def blocked(self, points: dict[int, Any], limit: int) -> Any:
        durations = {rank: self._trace.get_trace_duration(rank) for rank in points}
        return counters.blocked(points, durations, limit)

    def bandwidth_points(self, rank: int) -> Any:
        return counters.bandwidth_points(self._trace.get_trace(rank), self._trace.symbol_table)

    def bandwidth_summary(self, ranks: Sequence[int]) -> Any:
        return counters.bandwidth_summary(self._source, self.steps, ranks)

    def counters(self, rank: int) -> Any:
        table = cupti.counters(self._source, "all", rank)
        return table if table is None else cupti.with_events(table, self._trace.get_trace(rank), self._trace.symbol_table)

    def stragglers(self, chosen: Sequence[int] | None, most: int) -> list[int]:
        return stragglers.by_blame(self._source, self.steps, chosen, most)
