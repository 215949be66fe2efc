"""Where the time of devices goes: HTA's tables of busy time, overlap, kernels and annotations.

Tables of reports are short, so they are worked on as Python's lists: pandas takes longer for each step than all of them do.
"""
from __future__ import annotations

from collections import defaultdict
from itertools import accumulate
from typing import Any, Iterable, Mapping, Sequence

from .names import COMMUNICATION, COMPUTATION, MEMORY
from .source import Source

TYPES = {"compute": COMPUTATION, "communication": COMMUNICATION, "memory": MEMORY}
STATISTICS = ["sum (us)", "max (us)", "min (us)", "stddev", "mean (us)"]
NAN = float("nan")
Row = Mapping[str, Any]


def rows_of(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Returns a table's rows as dicts; none of a table that is not there."""
    return [dict(zip(columns, values)) for values in zip(*columns.values())]


def frame_of(columns: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Returns a DataFrame of a table's columns; empty where the table is not there."""
    import pandas as pd

    return pd.DataFrame(columns if columns else {name: [] for name in names})


def us(values: Iterable[Any]) -> list[Any]:
    """Returns ns as microseconds: whole numbers where none has a fraction."""
    values = list(values)
    if all(isinstance(value, int) and value % 1000 == 0 for value in values):
        return [value // 1000 for value in values]
    return [value / 1000 for value in values]


def percent(part: float, whole: float) -> float:
    """Returns the share in %, with two decimals; NaN of nothing."""
    return round(100 * part / whole, 2) if whole else NAN


def summed(rows: Iterable[Row], by: str, names: Sequence[str]) -> dict[Any, list[Any]]:
    """Returns the sums of these columns by the value of another."""
    sums: dict[Any, list[Any]] = {}
    for row in rows:
        sum_of = sums.setdefault(row[by], [0] * len(names))
        for place, name in enumerate(names):
            sum_of[place] += row[name] or 0
    return sums


def temporal(source: Source, steps: str) -> Any:
    """Idle, compute and other time of each rank, of the span of its device activities; NaN of a rank without any."""
    import pandas as pd

    rows = rows_of(source.rows("temporal_breakdown", "ranks", steps))
    sums = summed(rows, "rank", ["idle", "compute", "non_compute", "span"])
    times = [sums.get(rank, [NAN] * 4) for rank in source.ranks]
    names = ["idle_time", "compute_time", "non_compute_time", "kernel_time"]
    table: dict[str, Any] = {"rank": source.ranks}
    table.update({f"{name}(us)": us(column) for name, column in zip(names, zip(*times))})
    for place, name in enumerate(names[:3]):
        table[f"{name}_pctg"] = [percent(time[place], time[3]) for time in times]
    return pd.DataFrame(table)


def overlap(source: Source, steps: str) -> Any:
    """How much of each rank's communication ran during compute, in %; NaN of a rank without communication."""
    import pandas as pd

    rows = rows_of(source.rows("comm_overlap", "ranks", steps))
    sums = summed(rows, "rank", ["overlapped", "communication"])
    shares = [percent(*sums.get(rank, (0, 0))) for rank in source.ranks]
    return pd.DataFrame({"rank": source.ranks, "comp_comm_overlap_pctg": shares})


def kernel_types(source: Source, steps: str, types: Sequence[str]) -> Any:
    """Time of each type of kernels and of their overlaps, of all ranks together."""
    import pandas as pd

    times: dict[str, int] = defaultdict(int)
    for row in rows_of(source.rows("kernel_breakdown", "kinds", steps)):
        if row["rank"] == "all":
            times[type_of_kinds(row["kinds"], types)] += row["time"]
    times.pop("", None)
    ordered = sorted(times.items(), key=lambda item: (-item[1], item[0]))
    whole = sum(times.values())
    return pd.DataFrame({"kernel_type": [name for name, _ in ordered], "sum": us(time for _, time in ordered),
                         "percentage": [round(100 * time / whole, 1) for _, time in ordered]})


def type_of_kinds(kinds: str, types: Sequence[str]) -> str:
    """Returns "COMPUTATION overlapping COMMUNICATION" for "compute + communication"; "" where none of `types` is in it."""
    found = {TYPES.get(kind) for kind in kinds.split(" + ")}
    return " overlapping ".join(name for name in types if name in found)


def kernels(source: Source, steps: str, types: Sequence[str], most: int, quantile: float) -> Any:
    """Time of each kernel by rank and type; kernels beyond the limits are summed in rows named "others"."""
    parts: dict[Any, list[Row]] = defaultdict(list)
    for row in rows_of(source.rows("kernel_breakdown", "kernels", steps)):
        kind = TYPES.get(row["kind"])
        if kind in types:
            parts[kind, row["rank"]].append(row)
    rows = [{**row, "kernel_type": kind, "rank": rank} for (kind, rank), part in parts.items()
            for row in limited(part, most, quantile)]
    return statistics_table(rows, ["kernel_type", "name", "rank"], ["kernel_type", "rank"])


def annotations(source: Source, steps: str, side: str, most: int, quantile: float, keep: Sequence[str] | None) -> Any:
    """Time of each user annotation by rank, or None where the traces have none on this side."""
    parts: dict[int, list[Row]] = defaultdict(list)
    for row in rows_of(source.rows("user_annotations", "annotations", steps)):
        if row["side"] == side and row["count"]:
            parts[row["rank"]].append({**row, "name": row["annotation"]})
    if not parts:
        return None
    rows = [row for part in parts.values() for row in limited(part, most, quantile, keep or ())]
    return statistics_table(rows, ["rank", "name"], ["rank"])


def limited(rows: Sequence[Row], most: int, quantile: float, keep: Sequence[str] = ()) -> list[Row]:
    """Returns the rows of one rank, largest sum first; those beyond `most`, or beyond the quantile of running sums, as one.

    The limits are HTA's; names that contain a text of `keep` are never beyond. Mean, min, max and deviation are those of
    the single durations, in "others" too.
    """
    rows = sorted(rows, key=lambda row: -row["sum"])
    if len(rows) <= most:
        return rows
    running = list(accumulate(row["sum"] for row in rows))
    limit = quantile_of(running, quantile)
    kept, beyond = [], []
    for place, row in enumerate(rows):
        out = (running[place] > limit or place >= most) and not any(part in row["name"] for part in keep)
        (beyond if out else kept).append(row)
    return [*kept, pooled(beyond)] if beyond else kept


def quantile_of(values: Sequence[float], quantile: float) -> float:
    """Returns the quantile of ascending values, between neighbors by their distance."""
    place = quantile * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


def pooled(rows: Sequence[Row]) -> Row:
    """Returns one row for several, as if their durations had one name."""
    count, total = sum(row["count"] for row in rows), sum(row["sum"] for row in rows)
    mean = total / count
    squares = sum((row["count"] - 1) * (row["stddev"] or 0) ** 2 + row["count"] * (row["sum"] / row["count"] - mean) ** 2
                  for row in rows)
    return {**rows[0], "name": "others", "count": count, "sum": total, "min": min(row["min"] for row in rows),
            "max": max(row["max"] for row in rows), "stddev": (squares / (count - 1)) ** 0.5 if count > 1 else 0}


def statistics_table(rows: list[Row], order: Sequence[str], last: Sequence[str]) -> Any:
    """Returns HTA's table of names, from rows with count, sum, min, max and stddev in ns."""
    import pandas as pd

    rows = sorted(rows, key=lambda row: tuple(row[name] for name in order))
    table: dict[str, Any] = {"name": [row["name"] for row in rows]}
    table.update({f"{name} (us)": us(row[name] for row in rows) for name in ("sum", "max", "min")})
    table["stddev"] = [(row["stddev"] or 0) / 1000 for row in rows]
    table["mean (us)"] = [row["sum"] / row["count"] / 1000 for row in rows]
    return pd.DataFrame({**table, **{name: [row[name] for row in rows] for name in last}})
