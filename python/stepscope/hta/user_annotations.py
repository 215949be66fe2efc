"""Which annotation each kernel ran in."""
from __future__ import annotations

from typing import Any

from .trace import Trace, decode
from .window import device_category


def kernels(trace: Trace, rank: int, expand_names: bool, shorten_names: bool) -> Any:
    """The device activities of a rank with the innermost device annotation around each; None without annotations."""
    frame = trace.get_trace(rank)
    number = trace.symbol_table.sym_index.get("gpu_user_annotation")
    if number is None:
        return None
    work = frame[frame["cat"].isin(device_category(trace.symbol_table))].reset_index(drop=True)
    work["end"] = work["ts"] + work["dur"]
    work["user_annotation"] = _annotations(work, frame[frame["cat"] == number])
    if expand_names:
        decode(work, trace.symbol_table, shorten_names)
    return work


def _annotations(work: Any, ranges: Any) -> Any:
    """The name of the shortest range that overlaps each activity on its process and thread, -1 for none."""
    import numpy as np

    names = np.full(len(work), -1)
    places = work.groupby(["pid", "tid"]).indices
    start, end = work["ts"].to_numpy(), work["end"].to_numpy()
    for one in ranges.sort_values("dur", ascending=False, kind="stable").itertuples():
        rows = places.get((one.pid, one.tid), np.array([], dtype=int))
        inside = (start[rows] < one.ts + one.dur) & (end[rows] > one.ts)
        names[rows[inside]] = one.name
    return names
