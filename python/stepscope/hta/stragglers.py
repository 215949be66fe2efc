"""Ranks that the others wait for."""
from __future__ import annotations

from typing import Any, Callable, Sequence

from .breakdown import frame_of
from .source import Source


def by_blame(source: Source, steps: str, chosen: Sequence[int] | None, most: int) -> list[int]:
    """Returns the ranks that cost the others most time, at most so many; of the chosen steps, or of all.

    Ranks that nobody waits for are not among them. [] where the traces have no collectives to match.
    """
    if chosen is None:
        rows = frame_of(source.rows("stragglers", "ranks", steps), ["rank", "blame"])
    else:
        rows = frame_of(source.rows("stragglers", "steps", steps), ["step", "rank", "blame"])
        rows = rows[rows["step"].isin(chosen)]
    blame = rows.groupby("rank")["blame"].sum()
    blame = blame[blame > 0].sort_values(ascending=False, kind="stable")
    return [int(rank) for rank in blame.index[:most]]


def by_callable(trace: Any, chosen: Sequence[int], most: int, visualize: bool, find: Callable[..., Any]) -> list[int]:
    """Returns the ranks that a function of the caller's marks, as HTA asks it: with the events of these steps.

    It is called with the frame, the symbol table, the number of candidates and `visualize`, and returns a Series by rank.
    """
    import pandas as pd

    frames = {rank: trace.get_trace(rank) for rank in trace.get_ranks()}
    events = pd.concat(frames, names=["rank", "idx"]).reset_index()
    counts = find(events[events["iteration"].isin(chosen)], trace.symbol_table, most, visualize)
    return [int(rank) for rank in counts.sort_values(ascending=False)[:most].index]


def find_stragglers_with_late_start_comm_kernels(df: Any, symbol_table: Any, n_stragglers: int = 2,
                                                 visualize: bool = False) -> Any:
    """Counts, by rank, in how many steps it was among the last to start the NCCL kernel that varies most.

    This is HTA's own way: names that begin with "ncclKernel", durations of at least 1% of a step, raw clocks. Raises
    ValueError where there is no such kernel, or only one rank.
    """
    import pandas as pd

    first, step_time = df["ts"].min(), _step_time(df)
    names = [number for number, text in enumerate(symbol_table.sym_table) if text.startswith("ncclKernel")]
    long = df[df["name"].isin(names) & (df["stream"] > 0) & (df["iteration"] > 0) & (df["dur"] >= step_time / 100)]
    last = long.groupby(["rank", "stream", "iteration", "name"], as_index=False)[["ts", "dur"]].last()
    spread = last.groupby(["stream", "iteration", "name"])["dur"].std().groupby(["stream", "name"]).mean().dropna()
    if spread.empty:
        raise ValueError("no long kernel named ncclKernel* runs on several ranks: call get_potential_stragglers() "
                         "without strict=True")
    stream, name = spread.idxmax()
    last = last[(last["stream"] == stream) & (last["name"] == name)].assign(late=(last["ts"] - first) / step_time)
    marks = [group.set_index("rank")["late"].pipe(_among_latest, max(n_stragglers, 1))
             for _, group in last.groupby("iteration")]
    return pd.concat(marks).groupby(level=0).sum()


def _step_time(df: Any) -> float:
    return ((df["ts"] + df["dur"]).max() - df["ts"].min()) / df["iteration"].nunique()


def _among_latest(late: Any, most: int) -> Any:
    """1 for each of the latest ranks, else 0."""
    return (late >= late.nlargest(min(most, len(late))).iloc[-1]).astype(int)
