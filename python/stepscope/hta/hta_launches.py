"""HTA's own numbers of launches and queues: of the calls that it knows."""
from __future__ import annotations

import re
from typing import Any, Sequence

from .launches import LAUNCH_COLUMNS, OPERATOR_COLUMNS

_META = "runFunction - job_prep_and_submit_for_execution"
_KERNEL_CALLS = ["cudaLaunchKernel", "cudaLaunchKernelExC", _META]
_COPY_CALLS = ["cudaMemcpyAsync", "cudaMemsetAsync"]
_QUEUE_CALLS = [*_KERNEL_CALLS, *_COPY_CALLS, "cuLaunchKernel", "cuLaunchKernelEx", "hipLaunchKernel",
                "hipExtModuleLaunchKernel", "hipMemcpyAsync", "hipMemsetAsync", "hipMemcpyWithStream"]
_OPERATOR_CALLS = re.compile(r"cuda.*LaunchKernel|cuLaunchKernel|runFunction")


def _named(frame: Any, symbols: Any, names: Sequence[str]) -> Any:
    return frame["name"].isin([symbols.sym_index[name] for name in names if name in symbols.sym_index])


def launch_stats(frame: Any, symbols: Any, with_copies: bool) -> Any:
    """One row per launch by one of HTA's calls."""
    host = frame[(frame["stream"] == -1) & _named(frame, symbols, _KERNEL_CALLS + _COPY_CALLS * with_copies)]
    device = frame[frame["stream"] != -1]
    columns = ["correlation", "dur", "ts"]
    pairs = host[columns].merge(device[columns], on="correlation", suffixes=("_call", "_activity"))
    delay = (pairs["ts_activity"] - pairs["ts_call"] - pairs["dur_call"]).clip(lower=0)
    pairs = pairs.assign(cpu_duration=pairs["dur_call"], gpu_duration=pairs["dur_activity"], launch_delay=delay)
    return pairs[LAUNCH_COLUMNS]


def queue_points(frame: Any, symbols: Any) -> Any:
    """Activities launched by one of HTA's calls and not started, after each call and start, by stream."""
    import pandas as pd

    calls = frame[_named(frame, symbols, _QUEUE_CALLS) & (frame["index_correlation"] > 0)]
    work = frame[frame["stream"] != -1]
    places = work[["stream", "pid", "tid", "correlation"]]
    launched = calls[["index", "ts", "correlation"]].merge(places, on="correlation").assign(change=1)
    started = work[work["correlation"].isin(calls["correlation"])].assign(change=-1)
    points = pd.concat([launched, started]).sort_values("ts").set_index("index")
    points = points.sort_values("stream", kind="stable")
    points["queue_length"] = points.groupby("stream")["change"].cumsum()
    return points[["ts", "pid", "tid", "stream", "queue_length"]] if len(points) else None


def aten_operators(trace: Any, ranks: Sequence[int], sort_by: Sequence[str]) -> dict[int, Any]:
    """By rank, operators and their kernels; the rows of earlier ranks count in later ones too, as in HTA."""
    import pandas as pd

    launched: list[tuple[Any, ...]] = []
    tables = {}
    for rank in ranks:
        launched += _launched(trace.get_trace(rank), trace.symbol_table)
        names = ["thread", "operator", "start", "kernel", "op_delay", "runtime_delay"]
        rows = pd.DataFrame(launched, columns=names)
        calls = rows.groupby(["thread", "operator", "start"]).agg(
            sequence=("kernel", " -> ".join), op_delay=("op_delay", "first"), runtime_delay=("runtime_delay", "first"))
        table = calls.reset_index().groupby(["operator", "sequence"]).agg(
            count=("op_delay", "count"), op_delay=("op_delay", "mean"), runtime_delay=("runtime_delay", "mean"))
        table = table.reset_index().set_axis(OPERATOR_COLUMNS, axis=1).sort_values(list(sort_by), ascending=False)
        tables[rank] = table.round({name: 3 for name in OPERATOR_COLUMNS[3:]})
    return tables


def _launched(frame: Any, symbols: Any) -> list[tuple[Any, ...]]:
    """For each launch the operator around it that began last, on any thread, and its kernel.

    Raises ValueError for a launch in an operator that has no kernel, or several.
    """
    import numpy as np

    names = symbols.sym_table
    operators = frame[frame["name"].isin([i for i, name in enumerate(names) if name.startswith("aten::")])]
    operators = operators.sort_values("ts", kind="stable")
    start, end = operators["ts"].to_numpy(), (operators["ts"] + operators["dur"]).to_numpy()
    kernels = frame[frame["stream"] != -1].groupby("index_correlation")
    found = []
    for call in frame[frame["name"].isin([i for i, name in enumerate(names) if _OPERATOR_CALLS.match(name)])].itertuples():
        (around,) = np.nonzero((start <= call.ts) & (end >= call.ts + call.dur))
        if not len(around):
            continue
        work = kernels.get_group(call.Index) if call.Index in kernels.indices else []
        if len(work) != 1:
            raise ValueError(f"the launch with correlation {call.correlation} has {len(work)} kernels, and HTA knows "
                             "only launches of one: call without strict=True")
        operator, kernel = operators.iloc[around[-1]], work.iloc[0]
        found.append((operator["tid"], names[int(operator["name"])], operator["ts"], names[int(kernel["name"])],
                      call.ts - operator["ts"], kernel["ts"] - call.ts))
    return found
