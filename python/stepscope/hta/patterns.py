"""Marks the events of frequent sequences in a copy of a trace."""
from __future__ import annotations

from collections import defaultdict
from typing import Any, Iterable

from .trace import Trace


def overlaid(trace: Trace, rank: int, patterns: Any, operator: str, compress: bool) -> dict[str, Any]:
    """Returns the trace of a rank with args.Patterns = {pattern: count} on the events of these patterns.

    These are the operators, all inside them and what that launched. With `compress` other events lose their arguments.
    """
    content = trace.get_raw_trace_for_one_rank(rank)
    counts = dict(zip(patterns["pattern"], patterns["count"].tolist()))
    marks = _marks(trace, rank, operator, counts)
    for event in content["traceEvents"]:
        if event.get("ph") != "X":
            continue
        found = marks.get((event.get("name"), round(float(event["ts"]))))
        if found is not None:
            event["args"] = {**event.get("args", {}), "Patterns": {pattern: counts[pattern] for pattern in found}}
        elif compress:
            event["args"] = {}
    return content


def _marks(trace: Trace, rank: int, operator: str, counts: dict[str, int]) -> dict[tuple[str, int], set[str]]:
    """The patterns of each event that has any, by its name and start in whole microseconds."""
    columns = ["name", "kind", "start", "launch", "parent"]
    events = trace.source.events(rank, columns)
    names = events["name"].astype(object).to_numpy()
    roots = _roots(names, events, operator)
    starts = events["start"].to_numpy()
    marks: dict[tuple[str, int], set[str]] = defaultdict(set)
    for root, members in roots.items():
        pattern = "|".join([names[root], *(names[m] for m in sorted(members["device"], key=starts.__getitem__))])
        if pattern in counts:
            for member in (*members["host"], *members["device"]):
                marks[names[member], round(int(starts[member]) / 1000)].add(pattern)
    return marks


def _roots(names: Any, events: Any, operator: str) -> dict[int, dict[str, list[int]]]:
    """What is inside each outermost operator of this name, and what that launched, as places among the events."""
    parents = events["parent"].fillna(-1).astype("int64").to_numpy()
    launches = events["launch"].fillna(-1).astype("int64").to_numpy()
    matching = events["kind"].isin(["operator", "annotation"]).to_numpy() & [operator in name for name in names]
    root_of: dict[int, int] = {}
    roots: dict[int, dict[str, list[int]]] = defaultdict(lambda: {"host": [], "device": []})
    for event in range(len(names)):
        side, start = ("device", launches[event]) if launches[event] >= 0 else ("host", event)
        root = _root(int(start), parents, matching, root_of)
        if root >= 0:
            roots[root][side].append(event)
    return roots


def _root(event: int, parents: Iterable[int], matching: Any, known: dict[int, int]) -> int:
    """The outermost matching event around this one, itself included; -1 where there is none."""
    chain = []
    while event >= 0 and event not in known:
        chain.append(event)
        event = int(parents[event])
    root = known.get(event, -1)
    for event in reversed(chain):
        root = event if root < 0 and matching[event] else root
        known[event] = root
    return root
