"""HTA's own numbers from events, which `strict=True` gives: its definitions, its mistakes included."""
from __future__ import annotations

from typing import Any, Sequence

from . import counters, hta_launches, stragglers
from .breakdown import STATISTICS
from .hta_intervals import overlap_of, shared_time, total, union
from .idle import CATEGORIES
from .names import COMMUNICATION, COMPUTATION, MEMORY, copy_name, kernel_type
from .reports import ReportNumbers
from .trace import Trace
from .window import device_category, step_numbers


class HtaNumbers(ReportNumbers):
    """What a strict TraceAnalysis answers from.

    As in HTA a device row is any event on a stream, and its name alone says what it is. Sequences under operators and
    hardware counters are those of the reports.
    """

    def __init__(self, trace: Trace, with_last: bool) -> None:
        super().__init__(trace, with_last)
        self._symbols = trace.symbol_table

    def profiler_steps(self) -> list[int]:
        return step_numbers(self._trace.traces.values(), self._symbols)

    def _work(self, frame: Any) -> Any:
        """The rows on streams, with the text of their names and their types."""
        work = frame[frame["stream"] != -1]
        names = self._symbols.texts(work["name"])
        return work.assign(text=names, type=[kernel_type(name) for name in names])

    def overlap(self) -> Any:
        import pandas as pd

        rows = []
        for rank, frame in self._trace.traces.items():
            work = self._work(frame)
            communication, computation = (union(work[work["type"] == kind]) for kind in (COMMUNICATION, COMPUTATION))
            time = total(communication)
            rows.append((rank, 100 * overlap_of(communication, computation) / time if time else float("nan")))
        return pd.DataFrame(rows, columns=["rank", "comp_comm_overlap_pctg"]).round(2)

    def temporal(self) -> Any:
        import pandas as pd

        rows = []
        for rank, frame in self._trace.traces.items():
            work = self._work(frame)
            if work.empty:
                raise ValueError(f"the trace of rank {rank} has no device activity, which HTA needs of every rank")
            busy = union(work)
            span = busy[1][-1] - busy[0][0]
            compute = total(union(work[work["type"] == COMPUTATION]))
            idle = span - total(busy)
            rows.append((rank, idle, compute, span - compute - idle, span))
        names = ["rank", "idle_time(us)", "compute_time(us)", "non_compute_time(us)", "kernel_time(us)"]
        table = pd.DataFrame(rows, columns=names)
        for part in ("idle_time", "compute_time", "non_compute_time"):
            table[f"{part}_pctg"] = (100 * table[f"{part}(us)"] / table["kernel_time(us)"]).round(2)
        return table

    def kernel_types(self, types: Sequence[str]) -> Any:
        import pandas as pd

        times: dict[str, Any] = {}
        for frame in self._trace.traces.values():
            work = self._work(frame)
            for name, time in shared_time({kind: union(work[work["type"] == kind]) for kind in types}).items():
                times[name] = times.get(name, 0) + time
        table = pd.DataFrame({"kernel_type": list(times), "sum": list(times.values())})
        table = table.sort_values("kernel_type").sort_values("sum", ascending=False, ignore_index=True, kind="stable")
        return table.assign(percentage=(100 * table["sum"] / table["sum"].sum()).round(1))

    def kernels(self, types: Sequence[str], most: int, quantile: float) -> Any:
        parts = []
        for rank, frame in self._trace.traces.items():
            work = self._work(frame)
            parts += [_summed(work[work["type"] == kind], most, quantile, ()).assign(kernel_type=kind, rank=rank)
                      for kind in types]
        return _statistics(parts, ["kernel_type", "name", "rank"], ["kernel_type", "rank"])

    def annotations(self, side: str, most: int, quantile: float, keep: Sequence[str] | None) -> Any:
        category = self._symbols.sym_index.get("gpu_user_annotation" if side == "device" else "user_annotation")
        if category is None:
            return None
        kept = self._symbols.find_matched_symbols(list(keep or ()))
        parts = []
        for rank, frame in self._trace.traces.items():
            rows = frame[frame["cat"] == category]
            rows = rows.assign(text=self._symbols.texts(rows["name"]))
            parts.append(_summed(rows, most, quantile, kept).assign(rank=rank))
        return _statistics(parts, ["rank", "name"], ["rank"])

    def _gaps(self, rank: int, streams: Sequence[int] | None, delay: float) -> dict[int, Any]:
        """By stream, each activity's gap to the row before it, and its cause by number."""
        import numpy as np

        frame = self._trace.get_trace(rank)
        work = frame[(frame["stream"] != -1) & frame["cat"].isin(device_category(self._symbols))]
        work = work.assign(launched=frame["ts"].reindex(work["index_correlation"]).to_numpy())
        gaps = {}
        for stream in streams or work["stream"].unique():
            part = work[work["stream"] == stream].sort_values("ts", kind="stable")
            before = (part["ts"] + part["dur"]).shift(1)
            gap = part["ts"] - before
            cause = np.where(part["launched"] > before, 0, np.where(gap < delay, 1, 2))
            gaps[stream] = gap.groupby(cause)
        return gaps

    def idle(self, ranks: Sequence[int], streams: Sequence[int] | None, delay: float) -> Any:
        import pandas as pd

        tables = []
        for rank in ranks:
            rows = []
            for stream, gaps in self._gaps(rank, streams, delay).items():
                times = gaps.sum()
                rows += [(rank, stream, CATEGORIES[cause], time, time / times.sum() if times.sum() else float("nan"))
                         for cause, time in times.items()]
            names = ["rank", "stream", "idle_category", "idle_time", "idle_time_ratio"]
            tables.append(pd.DataFrame(rows, columns=names).round(2))
        return pd.concat(tables)

    def idle_intervals(self, ranks: Sequence[int], streams: Sequence[int] | None, delay: float) -> Any:
        import pandas as pd

        parts = []
        for rank in ranks:
            for stream, gaps in self._gaps(rank, streams, delay).items():
                part = gaps.describe().unstack() if gaps.ngroups == 0 else gaps.describe()
                part = part.rename(index=dict(enumerate(CATEGORIES))).rename_axis("idle_category").round(2)
                part.insert(0, "rank", rank)
                part.insert(1, "stream", stream)
                parts.append(part)
        return pd.concat(parts)

    def launches(self, ranks: Sequence[int], with_copies: bool) -> dict[int, Any]:
        return {rank: hta_launches.launch_stats(self._trace.get_trace(rank), self._symbols, with_copies)
                for rank in ranks}

    def operators(self, ranks: Sequence[int], sort_by: Sequence[str]) -> dict[int, Any]:
        return hta_launches.aten_operators(self._trace, ranks, sort_by)

    def queue_points(self, rank: int) -> Any:
        return hta_launches.queue_points(self._trace.get_trace(rank), self._symbols)

    def queue_summary(self, ranks: Sequence[int]) -> Any:
        points = {rank: self.queue_points(rank) for rank in ranks}
        return counters.queue_summary_of({rank: p for rank, p in points.items() if p is not None})

    def blocked(self, points: dict[int, Any], limit: int) -> Any:
        table = super().blocked(points, limit)
        return table.drop_duplicates("rank", keep="last", ignore_index=True)

    def bandwidth_points(self, rank: int) -> Any:
        import pandas as pd

        work = self._work(self._trace.get_trace(rank))
        work = work[work["type"] == MEMORY]
        if work.empty:
            return None
        work = work.assign(name=work["text"].map(copy_name), end=work["ts"] + work["dur"].where(work["dur"] != 0, 1))
        ends = work.assign(ts=work["end"], memory_bw_gbps=-work["memory_bw_gbps"])
        points = pd.concat([work, ends], ignore_index=True)[["ts", "pid", "name", "memory_bw_gbps"]]
        points = points.sort_values("ts").sort_values("name", kind="stable")
        # Not the cumsum() of groups, whose compensated sums leave less residue than HTA's.
        points["memory_bw_gbps"] = points.groupby("name")["memory_bw_gbps"].transform(lambda rates: rates.cumsum())
        return points

    def bandwidth_summary(self, ranks: Sequence[int]) -> Any:
        import pandas as pd

        points = {rank: self.bandwidth_points(rank) for rank in ranks}
        parts = [p[p["memory_bw_gbps"] > 0].assign(rank=rank)[["rank", "name", "memory_bw_gbps"]]
                 .groupby(["rank", "name"]).describe() for rank, p in points.items() if p is not None]
        return pd.concat(parts) if parts else None

    def stragglers(self, chosen: Sequence[int] | None, most: int) -> list[int]:
        steps = self.profiler_steps() if chosen is None else chosen
        find = stragglers.find_stragglers_with_late_start_comm_kernels
        return stragglers.by_callable(self._trace, steps, most, False, find)


def _summed(rows: Any, most: int, quantile: float, kept: Sequence[str]) -> Any:
    """Statistics by name. Beyond the limits all names, others too, get those of their sums, as HTA has it."""
    figures = ["sum", "max", "min", "mean", "std"]
    table = rows.groupby("text")["dur"].agg(figures).rename_axis("name").reset_index()
    table = table.sort_values("sum", ascending=False, ignore_index=True).fillna({"std": 0})
    if len(table) <= most:
        return table
    running = table["sum"].cumsum()
    beyond = ((running > running.quantile(quantile)) | (table.index >= most)) & ~table["name"].isin(kept)
    table = table.assign(name=table["name"].mask(beyond, "others"))
    return table.groupby("name")["sum"].agg(figures).reset_index().fillna({"std": 0})


def _statistics(parts: list[Any], order: list[str], last: list[str]) -> Any:
    import pandas as pd

    table = pd.concat(parts, ignore_index=True).sort_values(order, ignore_index=True)
    table = table.rename(columns=dict(zip(["sum", "max", "min", "std", "mean"], STATISTICS)))
    return table[["name", *STATISTICS, *last]]
