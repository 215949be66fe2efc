"""Why streams were idle: HTA's two tables."""
from __future__ import annotations

from collections import defaultdict
from typing import Any, Sequence

from .breakdown import NAN, rows_of, summed
from .source import Source

DEFAULT_DELAY = 30  # us
CATEGORIES = ["host_wait", "kernel_wait", "other"]
_DESCRIBED = {"count": "count", "mean": "mean", "stddev": "std", "min": "min", "p25": "25%", "p50": "50%", "p75": "75%",
              "max": "max"}


def breakdown(source: Source, steps: str, ranks: Sequence[int], streams: Sequence[int] | None, delay: float) -> Any:
    """Idle time of each stream by cause, in microseconds and as a share of the stream's idle time.

    As in HTA a cause without gaps has no row, except "other", which a stream's first activity counts in.
    """
    import pandas as pd

    seen = {(row["rank"], row["stream"], row["category"]) for row in _gaps(source, steps, delay)}
    of_ranks = _sums(source, steps, delay)
    tables = []
    for rank in ranks:
        sums = of_ranks.get(rank, {})
        rows = [row for stream in streams or sorted(sums) if stream in sums
                for row in _of_stream(rank, stream, sums[stream], seen)]
        names = ["rank", "stream", "idle_category", "idle_time", "idle_time_ratio"]
        tables.append(pd.DataFrame(rows, columns=names))
    return pd.concat(tables)


def _gaps(source: Source, steps: str, delay: float) -> list[dict[str, Any]]:
    return rows_of(source.rows("idle_time", "intervals", steps, params(delay)))


def _sums(source: Source, steps: str, delay: float) -> dict[int, dict[int, list[int]]]:
    """By rank and stream the time of each category."""
    parts: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows_of(source.rows("idle_time", "streams", steps, params(delay))):
        parts[row["rank"]].append(row)
    return {rank: summed(rows, "stream", CATEGORIES) for rank, rows in parts.items()}


def _of_stream(rank: int, stream: int, times: Sequence[int], seen: set[Any]) -> list[tuple[Any, ...]]:
    whole = sum(times)
    return [(rank, stream, category, round(time / 1000, 2), round(time / whole, 2) if whole else NAN)
            for category, time in zip(CATEGORIES, times) if category == "other" or (rank, stream, category) in seen]


def params(delay: float) -> dict[str, Any]:
    """The analysis's parameters, but for its own default, which is HTA's too; HTA's delay is in microseconds."""
    return {} if delay == DEFAULT_DELAY else {"idle_time.consecutive_kernel_delay": int(delay * 1000)}


def intervals(source: Source, steps: str, ranks: Sequence[int], streams: Sequence[int] | None, delay: float) -> Any:
    """Statistics of the gaps of each stream by cause, in microseconds; the causes are the index."""
    import pandas as pd

    gaps = {(row["rank"], row["stream"], row["category"]): row for row in _gaps(source, steps, delay)}
    of_ranks = _sums(source, steps, delay)
    rows, causes = [], []
    for rank in ranks:
        for stream in streams or sorted(of_ranks.get(rank, ())):
            for category in CATEGORIES:
                if category == "other" or (rank, stream, category) in gaps:
                    causes.append(category)
                    rows.append({"rank": rank, "stream": stream, **_described(gaps.get((rank, stream, category)))})
    names = ["rank", "stream", *_DESCRIBED.values()]
    return pd.DataFrame(rows, columns=names, index=pd.Index(causes, name="idle_category"))


def _described(gaps: dict[str, Any] | None) -> dict[str, float]:
    """Statistics with HTA's names; of no gaps just their count."""
    if gaps is None:
        return {name: 0.0 if name == "count" else NAN for name in _DESCRIBED.values()}
    times = {theirs: NAN if gaps[ours] is None else round(gaps[ours] / 1000, 2) for ours, theirs in _DESCRIBED.items()}
    return {**times, "count": float(gaps["count"])}
