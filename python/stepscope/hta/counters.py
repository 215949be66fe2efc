"""Queue lengths and copy bandwidth: as points over time, as statistics, and as counters in a copy of the trace."""
from __future__ import annotations

from typing import Any, Sequence

from .breakdown import frame_of
from .names import copy_name
from .source import Source
from .window import device_category

DESCRIBED = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]
REPORTED = ["count", "mean", "stddev", "min", "p25", "p50", "p75", "max"]
COPIES = {"HtoD": "Memcpy HtoD", "DtoH": "Memcpy DtoH", "DtoD": "Memcpy DtoD", "memset": "Memset"}
NS_PER_US = 1000


def queue_points(frame: Any, symbols: Any) -> Any:
    """Activities launched and not started, after each launch and each start, by stream; None where there is none.

    pid, tid and stream are those of the activity. The index is that of the event: the launch call or the activity.
    """
    import pandas as pd

    work = frame[frame["cat"].isin(device_category(symbols)) & (frame["index_correlation"] > 0)]
    calls = frame["ts"].reindex(work["index_correlation"]).to_numpy()
    launched = work.assign(ts=calls, change=1).set_index("index_correlation")
    points = pd.concat([launched, work.assign(change=-1)])[["ts", "pid", "tid", "stream", "change"]]
    points = points[points["ts"].notna()].rename_axis("index")
    points["change"] = points["change"].astype("int64")
    points = points.sort_values(["stream", "ts", "change"], ascending=[True, True, False], kind="stable")
    points["queue_length"] = points.groupby("stream")["change"].cumsum()
    return points.drop(columns="change") if len(points) else None


def queue_summary_of(points: dict[int, Any]) -> Any:
    """Statistics of queue lengths over launches and starts, by rank and stream; None where there are none."""
    import pandas as pd

    parts = [p.assign(rank=rank)[["rank", "stream", "queue_length"]].groupby(["rank", "stream"]).describe()
             for rank, p in points.items()]
    return pd.concat(parts) if parts else None


def queue_summary(source: Source, steps: str, ranks: Sequence[int]) -> Any:
    """The same from the report; None where no launch is recorded."""
    rows = frame_of(source.rows("queue_length", "statistics", steps), ["rank", "stream", *REPORTED])
    return _described(rows[rows["rank"].isin(ranks)], "stream", "queue_length")


def bandwidth_summary(source: Source, steps: str, ranks: Sequence[int]) -> Any:
    """Statistics of the bandwidth of concurrent copies, in GB/s, after each change to a rate above 0."""
    rows = frame_of(source.rows("memory_bandwidth", "statistics", steps), ["rank", "kind", *REPORTED])
    rows = rows[rows["rank"].isin(ranks)]
    rows = rows.assign(name=rows["kind"].map(lambda kind: COPIES.get(kind, "Memcpy Unknown")))
    rows[REPORTED[1:]] = rows[REPORTED[1:]].astype(float) / 1e9
    return _described(rows, "name", "memory_bw_gbps")


def _described(rows: Any, by: str, what: str) -> Any:
    """As pandas' describe() of groups: rows by rank and `by`, columns (what, "mean")."""
    import pandas as pd

    if rows.empty:
        return None
    table = rows.set_index(["rank", by])[REPORTED].astype(float).sort_index()
    table.columns = pd.MultiIndex.from_product([[what], DESCRIBED])
    return table


def blocked(points: dict[int, Any], durations: dict[int, float], limit: int) -> Any:
    """How long each stream had at least `limit` activities waiting, in microseconds and as a share of the trace."""
    import pandas as pd

    rows = []
    for rank, series in points.items():
        for stream, part in series.groupby("stream", sort=False):
            lasts = part["ts"].shift(-1) - part["ts"]
            full = part["queue_length"] >= limit
            if full.any():
                time = lasts[full].sum()
                rows.append((rank, stream, time, time / durations[rank]))
    names = ["rank", "stream", "duration_at_max_queue_length", "relative_duration_at_max_queue_length"]
    return pd.DataFrame(rows, columns=names)


def bandwidth_points(frame: Any, symbols: Any) -> Any:
    """GB/s of all concurrent copies of a direction, after each start and end; None where there are no copies.

    A copy's rate is the profiler's, or bytes / duration where it gives none. Rates are summed in whole bytes/s, so that
    they come back to 0. A copy of no length lasts 1 microsecond.
    """
    import pandas as pd

    names = pd.Series(symbols.texts(frame["name"]), index=frame.index)
    copies = frame["cat"].isin(device_category(symbols)) & names.str.match(r"(hip)?Mem(cpy|set)|Copy|Fill|__amd_rocclr_")
    work = frame[copies].assign(name=names[copies].map(copy_name))
    if work.empty:
        return None
    lasts = work["dur"].where(work["dur"] > 0, 1)
    rate = work["memory_bw_gbps"].where(work["memory_bw_gbps"] > 0, work["bytes"].clip(lower=0) / lasts / NS_PER_US)
    change = (rate * 1e9).round().astype("int64")
    points = pd.concat([work.assign(change=change), work.assign(change=-change, ts=work["ts"] + lasts)])
    points = points.sort_values(["name", "ts", "change"], ignore_index=True, kind="stable")
    points["memory_bw_gbps"] = points.groupby("name")["change"].cumsum() / 1e9
    return points[["ts", "pid", "name", "memory_bw_gbps"]]


def counter_file(trace: Any, rank: int, queue: Any, bandwidth: Any, suffix: str) -> tuple[str, dict[str, Any]]:
    """Returns where a trace with counters goes, and the trace; None stands for a series that is not wanted."""
    content = trace.get_raw_trace_for_one_rank(rank)
    for series, name, column in ((queue, "Queue Length", "queue_length"), (bandwidth, "Memcpy BW", "memory_bw_gbps")):
        if series is not None:
            series = series.rename(columns={"stream": "id"})
            content["traceEvents"] += trace.convert_time_series_to_events(series, name, column)
    return with_suffix(trace.trace_files[rank], suffix), content


def with_suffix(path: str, suffix: str) -> str:
    """Returns "rank0_with_counters.json.gz" for "rank0.json.gz"."""
    for ending in (".json.gz", ".json", ".gz"):
        if path.endswith(ending):
            return path[:-len(ending)] + suffix + ".json.gz"
    return path + suffix + ".json.gz"
