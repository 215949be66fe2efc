"""Launches: their delays, the kernels of each operator, and the sequences of kernels that repeat."""
from __future__ import annotations

import os
from typing import Any, Sequence

from .breakdown import frame_of
from .frame import microseconds
from .source import Source

LAUNCH_COLUMNS = ["correlation", "cpu_duration", "gpu_duration", "launch_delay"]
OPERATOR_COLUMNS = ["aten_op_name", "kernel_sequence", "occurrence_count", "avg_aten_op_launch_delay",
                    "avg_runtime_delay"]
PATTERN_COLUMNS = ["pattern", "count", "GPU kernel duration (us)", "CPU op duration (us)"]
BETWEEN = " | "  # kernels of a sequence in reports


def launch_stats(source: Source, steps: str, ranks: Sequence[int], with_copies: bool) -> dict[int, Any]:
    """One row per launch by rank: how long the call and the activity took, and the delay between, in microseconds."""
    import pandas as pd

    names = ["rank", "correlation", "kind", "call_time", "gpu_time", "delay"]
    rows = frame_of(source.rows("launch_stats", "launches", steps, {"launch_stats.launches": "true"}), names)
    if not with_copies:
        rows = rows[rows["kind"] != "memory"]
    times = {"correlation": rows["correlation"], "cpu_duration": microseconds(rows["call_time"]),
             "gpu_duration": microseconds(rows["gpu_time"]), "launch_delay": microseconds(rows["delay"])}
    table = pd.DataFrame(times).assign(rank=rows["rank"])
    return {rank: table.loc[table["rank"] == rank, LAUNCH_COLUMNS].reset_index(drop=True) for rank in ranks}


def aten_operators(source: Source, steps: str, ranks: Sequence[int], sort_by: Sequence[str]) -> dict[int, Any]:
    """Which kernels each operator of PyTorch launches itself, how often, and the mean delays of the first of them."""
    names = ["rank", "operator", "sequence", "count", "op_delay", "launch_delay"]
    rows = frame_of(source.rows("operator_kernels", "sequences", steps), names)
    rows = rows[rows["operator"].fillna("").astype(str).str.startswith("aten::")]
    return {rank: _operators_of_rank(rows[rows["rank"] == rank], sort_by) for rank in ranks}


def _operators_of_rank(rows: Any, sort_by: Sequence[str]) -> Any:
    table = rows[["operator", "sequence", "count", "op_delay", "launch_delay"]].set_axis(OPERATOR_COLUMNS, axis=1)
    table["kernel_sequence"] = table["kernel_sequence"].astype(str).str.replace(BETWEEN, " -> ", regex=False)
    for column in OPERATOR_COLUMNS[3:]:
        table[column] = (table[column] / 1000).round(3)
    table = table.sort_values(OPERATOR_COLUMNS[:2], ignore_index=True)
    return table.sort_values(list(sort_by), ascending=False, kind="stable")


def frequent_sequences(source: Source, steps: str, rank: int, operator: str, least: int) -> Any:
    """The sequences of at least so many kernels that operators of this name launch, most frequent first."""
    params = {"kernel_sequences.operator": operator, "kernel_sequences.min_length": least}
    rows = frame_of(source.rows("kernel_sequences", "sequences", steps, params, rank),
                    ["operator", "sequence", "count", "gpu_time", "cpu_time"])
    if rows.empty:
        return rows.reindex(columns=PATTERN_COLUMNS)
    rows["pattern"] = rows["operator"] + "|" + rows["sequence"].str.replace(BETWEEN, "|", regex=False)
    rows[PATTERN_COLUMNS[2]] = microseconds(rows["gpu_time"])
    rows[PATTERN_COLUMNS[3]] = microseconds(rows["cpu_time"])
    return rows[PATTERN_COLUMNS].sort_values(["count", "pattern"], ascending=[False, True], ignore_index=True)


def checked_folder(output_dir: str) -> str:
    """Returns the folder. Raises ValueError where it is none that can be written to."""
    if not (os.path.isdir(output_dir) and os.access(output_dir, os.W_OK)):
        raise ValueError(f"cannot write to {output_dir!r}: pass a directory that exists as output_dir")
    return output_dir
