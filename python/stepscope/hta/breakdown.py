"""Where the time of devices goes: HTA's tables of busy time, overlap, kernels, annotations and idle streams."""
from __future__ import annotations

from typing import Any, Sequence

from .names import COMMUNICATION, COMPUTATION, MEMORY
from .frame import microseconds
from .source import Source

TYPES = {"compute": COMPUTATION, "communication": COMMUNICATION, "memory": MEMORY}
STATISTICS = ["sum (us)", "max (us)", "min (us)", "stddev", "mean (us)"]
IDLE_CATEGORIES = ["host_wait", "kernel_wait", "other"]


def frame_of(columns: dict[str, Any], names: Sequence[str]) -> Any:
    """Returns a DataFrame of a table's columns; empty where the table is."""
    import pandas as pd

    return pd.DataFrame(columns if columns else {name: [] for name in names})


def temporal(source: Source, steps: str) -> Any:
    """Idle, compute and other time of each rank, of the span of its device work."""
    names = ["rank", "span", "idle", "compute", "non_compute"]
    rows = frame_of(source.rows("temporal_breakdown", "ranks", steps), names)[names]
    rows = rows.groupby("rank").sum().reindex(source.ranks).reset_index()
    return temporal_table(rows)


def temporal_table(rows: Any) -> Any:
    """HTA's table, from rank, span, idle, compute and non_compute in ns."""
    import pandas as pd

    table = {"rank": rows["rank"]}
    parts = {"idle_time": rows["idle"], "compute_time": rows["compute"], "non_compute_time": rows["non_compute"]}
    for name, part in {**parts, "kernel_time": rows["span"]}.items():
        table[f"{name}(us)"] = microseconds(part)
    for name, part in parts.items():
        table[f"{name}_pctg"] = (100 * part / rows["span"]).round(2)
    return pd.DataFrame(table)


def overlap(source: Source, steps: str) -> Any:
    """How much of each rank's communication ran during compute, in %; NaN of a rank without communication."""
    names = ["rank", "communication", "overlapped"]
    rows = frame_of(source.rows("comm_overlap", "ranks", steps), names)[names]
    rows = rows.groupby("rank").sum().reindex(source.ranks).reset_index()
    rows["comp_comm_overlap_pctg"] = (100 * rows["overlapped"] / rows["communication"]).astype(float).round(2)
    return rows[["rank", "comp_comm_overlap_pctg"]]


def kernel_types(source: Source, steps: str, types: Sequence[str]) -> Any:
    """Time of each type of kernels and of their overlaps, of all ranks together."""
    names = ["rank", "kinds", "time"]
    rows = frame_of(source.rows("kernel_breakdown", "kinds", steps), names)[names]
    rows = rows[rows["rank"] == "all"]
    kinds = [type_of_kinds(kinds, types) for kinds in rows["kinds"]]
    rows = rows.assign(kernel_type=kinds).query("kernel_type != ''")
    return types_table(rows["kernel_type"], rows["time"])


def type_of_kinds(kinds: str, types: Sequence[str]) -> str:
    """"COMPUTATION overlapping COMMUNICATION" for "compute + communication"; "" where none of `types` is in it."""
    found = {TYPES.get(kind) for kind in kinds.split(" + ")}
    return " overlapping ".join(name for name in types if name in found)


def types_table(kernel_type: Any, time: Any) -> Any:
    """HTA's table of types, from the time in ns of each."""
    import pandas as pd

    table = pd.DataFrame({"kernel_type": kernel_type, "sum": time}).groupby("kernel_type")["sum"].sum().reset_index()
    table = table.sort_values("sum", ascending=False, ignore_index=True, kind="stable")
    table["percentage"] = (100 * table["sum"] / table["sum"].sum()).round(1)
    table["sum"] = microseconds(table["sum"])
    return table


def kernels(source: Source, steps: str, types: Sequence[str], most: int, quantile: float) -> Any:
    """Time of each kernel by rank and type; kernels beyond the limits are summed in rows named "others"."""
    names = ["rank", "kind", "name", "count", "sum", "mean", "min", "max", "stddev"]
    rows = frame_of(source.rows("kernel_breakdown", "kernels", steps), names)[names]
    rows["kernel_type"] = rows["kind"].map(TYPES)
    rows = rows[rows["kernel_type"].isin(types)]
    parts = [limited(part, most, quantile).assign(kernel_type=kind, rank=rank)
             for (rank, kind), part in rows.groupby(["rank", "kernel_type"])]
    return statistics_table(parts, ["kernel_type", "name", "rank"], ["kernel_type", "rank"])


def annotations(source: Source, steps: str, side: str, most: int, quantile: float,
                keep: Sequence[str] | None) -> Any:
    """Time of each user annotation by rank, or None where the traces have none on this side."""
    names = ["rank", "side", "annotation", "count", "sum", "mean", "min", "max", "stddev"]
    rows = frame_of(source.rows("user_annotations", "annotations", steps), names)
    rows = rows.reindex(columns=names).rename(columns={"annotation": "name"})
    rows = rows[(rows["side"] == side) & (rows["count"] > 0)]
    if rows.empty:
        return None
    kept = [name for name in rows["name"].unique() if any(part in name for part in keep or ())]
    parts = [limited(part, most, quantile, kept).assign(rank=rank) for rank, part in rows.groupby("rank")]
    return statistics_table(parts, ["rank", "name"], ["rank"])


def limited(rows: Any, most: int, quantile: float, kept: Sequence[str] = ()) -> Any:
    """The rows of one rank, largest sum first; those beyond `most`, or beyond the quantile of running sums, as one.

    The limits are HTA's. Mean, min, max and deviation are those of the single durations, in "others" too.
    """
    import pandas as pd

    rows = rows.sort_values("sum", ascending=False, ignore_index=True, kind="stable")
    if len(rows) <= most:
        return rows
    running = rows["sum"].cumsum()
    beyond = ((running > running.quantile(quantile)) | (rows.index >= most)) & ~rows["name"].isin(kept)
    if not beyond.any():
        return rows
    return pd.concat([rows[~beyond], pd.DataFrame([_pooled(rows[beyond])])], ignore_index=True)


def _pooled(rows: Any) -> dict[str, Any]:
    """One row for several, as if their durations had one name."""
    count, total = rows["count"].sum(), rows["sum"].sum()
    mean = total / count
    squares = ((rows["count"] - 1) * rows["stddev"].fillna(0).astype(float) ** 2
               + rows["count"] * (rows["sum"] / rows["count"] - mean) ** 2).sum()
    deviation = (squares / (count - 1)) ** 0.5 if count > 1 else 0.0
    return {"name": "others", "count": count, "sum": total, "mean": mean, "min": rows["min"].min(),
            "max": rows["max"].max(), "stddev": deviation}


def statistics_table(parts: list[Any], order: list[str], last: list[str]) -> Any:
    """HTA's table of names, from parts with count, sum, min, max and stddev in ns."""
    import pandas as pd

    names = ["name", "count", "sum", "max", "min", "stddev", *last]
    rows = pd.concat([part[names] for part in parts], ignore_index=True) if parts else pd.DataFrame(columns=names)
    rows = rows.sort_values(order, ignore_index=True)
    table = {"name": rows["name"], **{f"{name} (us)": microseconds(rows[name]) for name in ("sum", "max", "min")}}
    table["stddev"] = rows["stddev"].astype(float).fillna(0) / 1000
    table["mean (us)"] = rows["sum"] / rows["count"] / 1000
    return pd.DataFrame({**table, **{name: rows[name] for name in last}})


def idle(source: Source, steps: str, ranks: Sequence[int], streams: Sequence[int] | None, delay: float) -> Any:
    """Idle time of each stream by cause, in microseconds and as a share of the stream's idle time."""
    import pandas as pd

    params = idle_params(delay)
    rows = frame_of(source.rows("idle_time", "streams", steps, params), ["rank", "stream", *IDLE_CATEGORIES])
    seen = {key[:2]: set() for key in zip(rows["rank"], rows["stream"])}
    intervals = frame_of(source.rows("idle_time", "intervals", steps, params), ["rank", "stream", "category"])
    for rank, stream, category in zip(intervals["rank"], intervals["stream"], intervals["category"]):
        seen.setdefault((rank, stream), set()).add(category)
    parts = [_idle_of_rank(rows[rows["rank"] == rank], rank, streams, seen) for rank in ranks]
    return pd.concat(parts)


def idle_params(delay: float) -> dict[str, Any]:
    """The analysis's parameters; HTA's delay is in microseconds."""
    return {"idle_time.consecutive_kernel_delay": int(delay * 1000)}


def _idle_of_rank(rows: Any, rank: int, streams: Sequence[int] | None, seen: dict[Any, set[str]]) -> Any:
    import pandas as pd

    order = streams or sorted(rows["stream"].unique())
    sums = rows.groupby("stream")[IDLE_CATEGORIES].sum()
    table = []
    for stream in order:
        if stream not in sums.index:
            continue
        total = sums.loc[stream].sum()
        for category in IDLE_CATEGORIES:
            time = sums.loc[stream, category]
            if category == "other" or time or category in seen[rank, stream]:
                table.append((rank, stream, category, time / 1000, time / total if total else float("nan")))
    names = ["rank", "stream", "idle_category", "idle_time", "idle_time_ratio"]
    return pd.DataFrame(table, columns=names).round(2)


def idle_intervals(source: Source, steps: str, ranks: Sequence[int], streams: Sequence[int] | None,
                   delay: float) -> Any:
    """Statistics of the gaps of each stream by cause, in microseconds; the causes are the index."""
    numbers = ["count", "mean", "stddev", "min", "p25", "p50", "p75", "max"]
    rows = frame_of(source.rows("idle_time", "intervals", steps, idle_params(delay)),
                    ["rank", "stream", "category", *numbers])
    rows = _with_first_activities(rows)
    rows = rows[rows["rank"].isin(ranks)]
    rows = rows[rows["stream"].isin(streams)] if streams else rows
    rows = rows.assign(place=rows["category"].map(IDLE_CATEGORIES.index)).sort_values(["rank", "stream", "place"])
    rows = rows.set_index("category").rename_axis("idle_category")
    rows[numbers[1:]] = (rows[numbers[1:]].astype(float) / 1000).round(2)
    rows["count"] = rows["count"].astype(float)
    described = {"stddev": "std", "p25": "25%", "p50": "50%", "p75": "75%"}
    return rows[["rank", "stream", *numbers]].rename(columns=described)


def _with_first_activities(rows: Any) -> Any:
    """Adds the row "other" of streams that lack it: HTA counts a stream's first activity there, with no gap before."""
    import pandas as pd

    streams = rows[["rank", "stream"]].drop_duplicates()
    there = rows.loc[rows["category"] == "other", ["rank", "stream"]]
    missing = streams.merge(there, how="left", indicator=True).query("_merge == 'left_only'")[["rank", "stream"]]
    if missing.empty:
        return rows
    return pd.concat([rows, missing.assign(category="other", count=0)], ignore_index=True)
