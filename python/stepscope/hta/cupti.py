"""Hardware counters of kernels (CUPTI ranges), with the operators around each launch."""
from __future__ import annotations

from typing import Any

from .breakdown import frame_of
from .frame import microseconds
from .source import Source

CATEGORY = "cuda_profiler_range"

# Floating-point operations per instruction that the counter of this name counts.
CUDA_SASS_INSTRUCTION_COUNTER_FLOPS = {
    f"smsp__sass_thread_inst_executed_op_{kind}{op}_pred_on.sum": 2 if op == "fma" else 1
    for kind in "fhd" for op in ("fma", "mul", "add")}


def counters(source: Source, steps: str, rank: int) -> Any:
    """One row per range: the kernel, its operators, and a column per counter; None where the rank has none."""
    ranges = frame_of(source.rows("cupti_counters", "ranges", steps), ["rank", "range"])
    values = frame_of(source.rows("cupti_counters", "counters", steps), ["rank", "range", "counter", "value"])
    ranges, values = ranges[ranges["rank"] == rank], values[values["rank"] == rank]
    if ranges.empty:
        return None
    return _table(ranges).join(values.pivot(index="range", columns="counter", values="value"), on="range").drop(
        columns="range").rename_axis(columns=None)


def _table(ranges: Any) -> Any:
    import pandas as pd

    table = pd.DataFrame({"range": ranges["range"], "cat": CATEGORY, "name": ranges["kernel"],
                          "ts": microseconds(ranges["start"]), "dur": microseconds(ranges["duration"])})
    table["end"] = table["ts"] + table["dur"]
    table["op_stack"] = [stack.split(" > ") if stack else [] for stack in ranges["stack"].fillna("")]
    table["top_level_op"] = ranges["top_operator"].fillna("")
    table["bottom_level_op"] = ranges["operator"].fillna("")
    return table.sort_values("ts", ignore_index=True, kind="stable")


def with_events(table: Any, frame: Any, symbols: Any) -> Any:
    """Adds where each range ran, and the index of its launch call; ranges and launches pair in order, as in HTA."""
    ranges = frame[frame["cat"] == symbols.sym_index.get(CATEGORY, -1)].sort_values("ts", kind="stable")
    calls = frame[frame["name"] == symbols.sym_index.get("cudaLaunchKernel", -1)].sort_values("ts", kind="stable")
    if len(ranges) != len(table):
        return table
    for column in ("index", "pid", "tid", "stream"):
        table[column] = ranges[column].to_numpy()
    table["index_runtime"] = calls["index"].to_numpy() if len(calls) == len(table) else -1
    return table
