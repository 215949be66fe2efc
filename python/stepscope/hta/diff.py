"""HTA's TraceDiff: which operators and kernels changed between two traces, by counts and times."""
from __future__ import annotations

import random
from enum import Enum
from typing import Any, Sequence, Union

from . import figures, window
from .names import short_name
from .trace import Trace

Choice = Union[int, Sequence[int], None]


class DeviceType(Enum):
    """Whose events to compare."""

    CPU = 1
    GPU = 2
    ALL = 3


class LabeledTrace:
    """A trace with a name, which its columns in a comparison begin with.

    Give a Trace, or the directory of the traces. Every event counts, in the last step too.
    """

    def __init__(self, label: str | None = None, t: Trace | None = None, trace_dir: str | None = None) -> None:
        if t is None and trace_dir is None:
            raise ValueError("a LabeledTrace is of a trace: pass t, or trace_dir")
        self.label = label or f"t{random.randint(0, 10)}"
        self.t = t if t is not None else Trace(trace_dir=trace_dir)
        self.t.parse_traces()

    def ranks(self) -> list[int]:
        """Returns the ranks, ascending."""
        return self.t.get_ranks()

    def iterations(self) -> list[int]:
        """Returns the numbers of the profiler steps that any rank names, ascending."""
        return window.step_numbers(self.t.traces.values(), self.t.symbol_table)

    def extract_ops(self, rank: Choice = None, iteration: Choice = None,
                    device_type: DeviceType = DeviceType.ALL) -> Any:
        """Returns the events of ranks and steps (None: the first), of the host, the device or both.

        Raises ValueError for a rank or step that the trace does not have.
        """
        import pandas as pd

        ranks = _chosen(rank, self.ranks(), "rank", self.label)
        steps = _chosen(iteration, self.iterations(), "iteration", self.label)
        frames = {r: self.t.get_trace(r) for r in ranks}
        events = frames[ranks[0]] if len(ranks) == 1 else pd.concat(frames, names=["rank", "idx"]).reset_index()
        events = events[events["iteration"].isin(steps)]
        if device_type == DeviceType.ALL:
            return events
        return events[(events["stream"] == -1) == (device_type == DeviceType.CPU)]

    def get_ops_summary(self, ops: Any) -> Any:
        """Returns counts and total durations (microseconds) of events by category and name."""
        table = ops.groupby(["cat", "name"])["dur"].agg(counts="count", total_duration="sum").reset_index()
        table = table.rename(columns={"cat": "cat_id", "name": "name_id"})
        texts = self.t.symbol_table.sym_table
        table["cat"] = [texts[number] for number in table["cat_id"]]
        table["name"] = [texts[number] for number in table["name_id"]]
        table["short_name"] = [short_name(name) for name in table["name"]]
        return table[["cat", "name", "short_name", "counts", "total_duration", "cat_id", "name_id"]]


def _chosen(asked: Choice, there: list[int], what: str, label: str) -> list[int]:
    if not there:
        raise ValueError(f"the trace {label} has no {what}")
    chosen = there[:1] if asked is None else [asked] if isinstance(asked, int) else list(asked)
    for one in chosen:
        if one not in there:
            raise ValueError(f"the trace {label} has no {what} {one}: pass some of {there}")
    return chosen


Traces = Union[LabeledTrace, Trace, str]


class TraceDiff:
    """Compares two traces.

        df = TraceDiff.compare_traces("before/", "after/", use_short_name=True)
        TraceDiff.visualize_duration_diff(df)
    """

    @classmethod
    def compare_traces(cls, control: Traces, test: Traces, control_rank: Choice = None, test_rank: Choice = None,
                       control_iteration: Choice = None, test_iteration: Choice = None,
                       device_type: DeviceType = DeviceType.ALL, use_short_name: bool = False) -> Any:
        """Returns a frame by name (or short_name) with the counts and total durations of both traces.

        Its columns are <label>_counts and <label>_total_duration of each, diff_counts and diff_duration (test - control)
        and counts_change_categories: "+", "-" or "=". Durations are microseconds, those of operators with what they
        call. Ranks and iterations are the first of each trace unless given.
        """
        before, after = _labeled(control, "Control"), _labeled(test, "Test")
        if before.label == after.label:
            before.label, after.label = f"{before.label}_control", f"{after.label}_test"
        by = "short_name" if use_short_name else "name"
        sides = ((before, control_rank, control_iteration), (after, test_rank, test_iteration))
        return _joined({trace.label: _summed(trace, rank, step, device_type, by) for trace, rank, step in sides})

    @classmethod
    def ops_diff(cls, control: Traces, test: Traces, control_rank: Choice = None, test_rank: Choice = None,
                 control_iteration: Choice = None, test_iteration: Choice = None,
                 device_type: DeviceType = DeviceType.ALL) -> dict[str, list[str]]:
        """Returns the names that were added, deleted, increased, decreased and unchanged, by their counts."""
        before, after = _labeled(control, "Control"), _labeled(test, "Test")
        df = cls.compare_traces(before, after, control_rank, test_rank, control_iteration, test_iteration, device_type)
        a, b = df[f"{before.label}_counts"], df[f"{after.label}_counts"]
        kinds = {"added": (a == 0) & (b > 0), "deleted": (a > 0) & (b == 0), "increased": (a > 0) & (b > a),
                 "decreased": (b > 0) & (b < a), "unchanged": (b > 0) & (a == b)}
        return {kind: df.index[rows].tolist() for kind, rows in kinds.items()}

    @classmethod
    def visualize_counts_diff(cls, df: Any, show_image: bool = True, export_image_path: str | None = None) -> None:
        """Draws the counts of both traces and their difference. The image is written by Plotly's write_image()."""
        figures.difference(df, "_counts", "diff_counts", "Ops Count Comparison", show_image, export_image_path)

    @classmethod
    def visualize_duration_diff(cls, df: Any, show_image: bool = True, export_image_path: str | None = None) -> None:
        """Draws the total durations of both traces and their difference."""
        figures.difference(df, "_total_duration", "diff_duration", "Ops Duration Comparison", show_image,
                           export_image_path)


def _labeled(trace: Traces, label: str) -> LabeledTrace:
    if isinstance(trace, LabeledTrace):
        return trace
    if isinstance(trace, Trace):
        return LabeledTrace(label=label, t=trace)
    return LabeledTrace(label=label, trace_dir=trace)


def _summed(trace: LabeledTrace, rank: Choice, step: Choice, device_type: DeviceType, by: str) -> Any:
    summary = trace.get_ops_summary(trace.extract_ops(rank, step, device_type))
    return summary.groupby(by)[["counts", "total_duration"]].sum()


def _joined(sides: dict[str, Any]) -> Any:
    """Both tables side by side, 0 where one has no such name."""
    import numpy as np
    import pandas as pd

    table = pd.concat([side.add_prefix(f"{label}_") for label, side in sides.items()], axis=1, join="outer")
    table = table.sort_index().fillna(0)
    a, b = sides
    table["diff_counts"] = table[f"{b}_counts"] - table[f"{a}_counts"]
    table["diff_duration"] = table[f"{b}_total_duration"] - table[f"{a}_total_duration"]
    table["counts_change_categories"] = np.array(["-", "=", "+"])[np.sign(table["diff_counts"]).astype(int) + 1]
    return table
