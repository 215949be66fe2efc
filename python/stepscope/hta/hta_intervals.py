"""Unions and overlaps of intervals, as HTA has them."""
from __future__ import annotations

from typing import Any


def union(rows: Any) -> Any:
    """Returns the starts and ends of what the rows cover; those that touch are one."""
    import numpy as np

    rows = rows.sort_values("ts", kind="stable")
    start, end = rows["ts"].to_numpy(), (rows["ts"] + rows["dur"]).to_numpy()
    if not len(start):
        return start, end
    reached = np.maximum.accumulate(end)
    (first,) = np.nonzero(np.concatenate(([True], start[1:] > reached[:-1])))
    return start[first], np.maximum.reduceat(end, first)


def total(intervals: Any) -> Any:
    """Returns the time they cover."""
    start, end = intervals
    return end.sum() - start.sum()


def overlap_of(a: Any, b: Any) -> Any:
    """Returns the time that both cover."""
    return sum(time for name, time in shared_time({"a": a, "b": b}).items() if " " in name)


def shared_time(kinds: dict[str, Any]) -> dict[str, Any]:
    """Returns the time in which just these kinds run: {"a": 10, "a overlapping b": 5}."""
    import numpy as np

    parts = [(np.concatenate(both), np.repeat([1 << bit, -(1 << bit)], len(both[0])))
             for bit, both in enumerate(kinds.values()) if len(both[0])]
    if not parts:
        return {}
    moments, changes = (np.concatenate(arrays) for arrays in zip(*parts))
    order = np.argsort(moments, kind="stable")
    state = np.cumsum(changes[order])[:-1]
    lasts = np.diff(moments[order])
    return {_name(list(kinds), running): lasts[state == running].sum() for running in np.unique(state[state > 0])}


def _name(kinds: list[str], state: int) -> str:
    return " overlapping ".join(kind for bit, kind in enumerate(kinds) if state & (1 << bit))
