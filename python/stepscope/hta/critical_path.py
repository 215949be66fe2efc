"""The critical path of an annotation: what bounds it, its segments, and a trace that shows them."""
from __future__ import annotations

import os
from typing import Any, NamedTuple, Sequence, Union

from .breakdown import frame_of
from .frame import microseconds
from .names import short_name
from .source import Source

Instance = Union[int, "tuple[int, int]", None]

# HTA's name of each bound; HTA has none for the last four.
BOUNDS = {
    "gpu_compute": "gpu_compute_bound", "gpu_communication": "gpu_communication_bound",
    "kernel_gap": "gpu_kernel_kernel_overhead", "launch_overhead": "gpu_kernel_launch_overhead", "cpu": "cpu_bound",
    "data_loading": "data_loading", "gpu_memory": "gpu_memory_bound", "one_time": "one_time", "sync": "sync",
    "no_record": "no_record",
}
_EDGE_TYPES = {"kernel_gap": "critical_path_kernel_kernel_delay", "launch_overhead": "critical_path_kernel_launch_delay",
               "sync": "critical_path_sync_dependency", "no_record": "critical_path_dependency"}
_ALL_SEGMENTS = 100_000_000
# What the critical path counts as ranges, of the trace's categories.
_RANGES = ("user_annotation", "cpu_op", "Operator")
FLOW = "critical_path"


class CriticalPath:
    """The chain of host and device activity that sets the time of a range of one rank.

    Its segments tile the range, from its start until all that was launched in it has ended. HTA's CPGraph, its nodes and
    edges, has no counterpart.
    """

    def __init__(self, rank: int, start: float, bounds: Any, segments: Any, frame: Any, symbols: Any) -> None:
        self.rank = rank
        self._start = start
        self._bounds = bounds
        self._segments = segments
        self._frame = frame
        self._symbols = symbols
        self._breakdown: Any = None

    def summary(self) -> Any:
        """Returns the share of each bound in the range's time, in %, as a Series."""
        time = self._bounds.assign(bound_by=self._bounds["bound"].map(BOUNDS)).groupby("bound_by")["time"].sum()
        return (100 * time / time.sum()).rename("duration")

    def get_critical_path_breakdown(self) -> Any:
        """Returns a frame with one row per segment, in order of time.

        event_idx and index are the event that explains it (-1: none), duration and ts are microseconds, bound_by says
        what bounds it.
        """
        if self._breakdown is None:
            self._breakdown = self._made()
        return self._breakdown

    def _made(self) -> Any:
        import pandas as pd

        parts = self._segments
        ts = self._start + parts["start"] / 1000
        rows = self._events(ts + parts["duration"] / 2000, parts)
        known = self._frame.reindex(rows)
        return pd.DataFrame({
            "event_idx": rows, "ts": ts, "duration": microseconds(parts["duration"]),
            "type": [_EDGE_TYPES.get(bound, "critical_path_operator") for bound in parts["bound"]],
            "s_name": [short_name(name or "") for name in parts["name"]],
            **{column: known[column].fillna(-1).to_numpy() for column in ("cat", "pid", "tid", "stream")},
            "index": rows, "bound_by": parts["bound"].map(BOUNDS)})

    def _events(self, moments: Any, parts: Any) -> list[int]:
        """The event of each segment: of its name and around its middle, or the next where it waits for one; -1: none."""
        import numpy as np

        waits = parts["bound"].isin(["kernel_gap", "launch_overhead"]) & parts["stream"].notna()
        by_name = dict(iter(self._frame.sort_values("ts").groupby("name")))
        found = []
        for moment, name, wait in zip(moments, parts["name"], waits):
            events = by_name.get(self._symbols.sym_index.get(name, -1))
            place = -1 if events is None else int(np.searchsorted(events["ts"].to_numpy(), moment, side="right"))
            place -= 0 if wait else 1
            found.append(int(events["index"].iloc[place]) if events is not None and 0 <= place < len(events) else -1)
        return found

    @property
    def critical_path_events_set(self) -> set[int]:
        """The events on the path, by index."""
        return set(self.get_critical_path_breakdown()["event_idx"]) - {-1}

    def critical_path(self) -> bool:
        """Returns whether there is a path."""
        return len(self._segments) > 0

    def show_critical_path(self) -> None:
        """Prints the segments."""
        print(self.get_critical_path_breakdown()[["ts", "duration", "bound_by", "s_name"]].to_string(index=False))


class Region(NamedTuple):
    """A part of a trace: the name of ranges, the first and last of them by start, and when the part starts (us)."""

    name: str
    first: int
    last: int
    start: float


def region(frame: Any, symbols: Any, annotation: str, instance: Instance) -> Region | None:
    """Returns the range of this instance, or the part from the first to the last of two; None where there is none.

    The annotation is part of a name, and ranges of several names count together: one in the order of the trace, several
    by start. As in HTA, a last instance beyond the end is the end.
    """
    if not annotation:
        return Region("", 0, 0, float(frame["ts"].min()))
    ids = symbols.find_matches([annotation])
    ranges = frame[frame["name"].isin(ids) & (frame["stream"] == -1) & ~_on_device(frame, symbols)]
    if isinstance(instance, tuple):
        ranges = ranges[ranges["cat"].isin([symbols.sym_index[cat] for cat in _RANGES if cat in symbols.sym_index])]
        ranges = ranges.sort_values("ts", kind="stable")
    first, last = instance if isinstance(instance, tuple) else (instance or 0, instance or 0)
    chosen = ranges.iloc[first:last + 1] if 0 <= first <= last else ranges.iloc[:0]
    return None if chosen.empty else _region_of(chosen, ranges, annotation, symbols)


def _region_of(chosen: Any, ranges: Any, annotation: str, symbols: Any) -> Region:
    """Ranges of one name are counted among those of that name, others among all that match."""
    name = int(chosen["name"].iloc[0])
    of_one = bool(chosen["name"].eq(name).all())
    same = (ranges[ranges["name"] == name] if of_one else ranges).sort_values("ts", kind="stable")
    first = int(same.index.get_loc(chosen.index[0]))
    return Region(symbols.sym_table[name] if of_one else f"*{annotation}*", first, first + len(chosen) - 1,
                  float(chosen["ts"].min()))


def _on_device(frame: Any, symbols: Any) -> Any:
    return frame["cat"] == symbols.sym_index.get("gpu_user_annotation", -1)


def analyze(source: Source, rank: int, region: Region, frame: Any, symbols: Any,
            loaders: Sequence[str] | None = None) -> CriticalPath | None:
    """Returns the critical path of a region; of "" it is the whole trace. Events named as `loaders` are data loading."""
    params: dict[str, Any] = {"critical_path.rank": source.recorded(rank), "critical_path.segments": _ALL_SEGMENTS}
    if region.name:
        params.update({"critical_path.annotation": region.name, "critical_path.instance": region.first,
                       "critical_path.last_instance": region.last})
    bounds = frame_of(source.rows("critical_path", "bounds", "all", params), ["bound", "time"])
    segments = frame_of(source.rows("critical_path", "segments", "all", params), ["start", "duration", "bound", "name", "stream"])
    if bounds.empty:
        return None
    if loaders:
        segments, bounds = _with_loaders(segments, bounds, loaders)
    return CriticalPath(rank, region.start, bounds, segments, frame, symbols)


def _with_loaders(segments: Any, bounds: Any, loaders: Sequence[str]) -> tuple[Any, Any]:
    """Host time in events with these texts in their name becomes data loading."""
    loading = segments["name"].fillna("").map(lambda name: any(text in name for text in loaders))
    segments = segments.assign(bound=segments["bound"].mask(loading & (segments["bound"] == "cpu"), "data_loading"))
    return segments, segments.groupby("bound")["duration"].sum().rename("time").reset_index()


def overlay(trace: Any, path: CriticalPath, output_dir: str, only_critical: bool) -> str:
    """Writes the rank's trace with args.critical = 1 on the path, and an arrow from each segment to the next event.

    Returns its path. With only_critical other operators and activities are left out; annotations stay.
    """
    os.makedirs(os.path.expanduser(output_dir), exist_ok=True)
    file = "overlaid_critical_path_" + os.path.basename(trace.trace_files[path.rank])
    target = os.path.join(os.path.expanduser(output_dir), file)
    content = trace.get_raw_trace_for_one_rank(path.rank)
    marked = _mark(content["traceEvents"], path, trace)
    if only_critical:
        content["traceEvents"] = [e for e in content["traceEvents"] if _stays(e)]
    content["traceEvents"] += _arrows(marked)
    trace.write_raw_trace(target, content)
    return target


def _stays(event: dict[str, Any]) -> bool:
    return event.get("ph") != "X" or "annotation" in event.get("cat", "") or "critical" in (event.get("args") or {})


def _mark(events: list[dict[str, Any]], path: CriticalPath, trace: Any) -> list[dict[str, Any]]:
    """Marks the events of the file that are on the path, and returns them in order of the path."""
    frame = path._frame
    by_place = {_place(e["ts"] - float(trace.min_ts), e.get("name")): e for e in events if e.get("ph") == "X"}
    marked = []
    for index in path.get_critical_path_breakdown()["event_idx"]:
        row = frame.loc[index] if index >= 0 else None
        event = None if row is None else by_place.get(_place(row["ts"], path._symbols.sym_table[int(row["name"])]))
        if event is not None and (not marked or marked[-1] is not event):
            event.setdefault("args", {})["critical"] = 1
            marked.append(event)
    return marked


def _place(ts: float, name: Any) -> tuple[int, Any]:
    return round(float(ts)), name


def _arrows(marked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Flow events between events of the path that are on different threads or streams."""
    arrows = []
    for number, (a, b) in enumerate(zip(marked, marked[1:])):
        if (a["pid"], a["tid"]) != (b["pid"], b["tid"]):
            for phase, event in (("s", a), ("f", b)):
                arrows.append({"ph": phase, "id": number, "pid": event["pid"], "tid": event["tid"], "ts": event["ts"],
                               "cat": FLOW, "name": FLOW, "args": {"type": FLOW, "critical": 1},
                               **({"bp": "e"} if phase == "f" else {})})
    return arrows
