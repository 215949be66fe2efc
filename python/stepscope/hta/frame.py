"""Events of a run as a frame with the columns that HTA gives a trace."""
from __future__ import annotations

import re
from typing import Any

from .symbols import SymbolTable

DEVICE_CATEGORIES = frozenset({
    "kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset", "mtia_ccp_events"})
STEP = re.compile(r"ProfilerStep\s*#\s*(\d+)")

# HTA's column, the names of the column or argument that it comes from, and what stands for none.
_ARGUMENTS: list[tuple[str, tuple[str, ...], Any]] = [
    ("correlation", ("correlation",), -1),
    ("bytes", ("bytes",), -1),
    ("memory_bw_gbps", ("memory_bw_gbps", "bandwidth", "memory bandwidth (GB/s)"), 0.0),
    ("wait_on_stream", ("wait_on_stream",), -1),
    ("wait_on_cuda_event_record_corr_id", ("wait_on_cuda_event_record_corr_id",), -1),
    ("input_dims", ("input_dims", "Input Dims"), "[]"),
    ("input_type", ("input_type", "Input type"), "[]"),
    ("input_strides", ("input_strides", "Input Strides"), "[]"),
    ("external_id", ("external_id", "External id"), -1),
    ("python_id", ("python_id", "Python id"), -1),
    ("python_parent_id", ("python_parent_id", "Python parent id"), -1),
    ("collective_name", ("collective_name", "Collective name"), ""),
    ("in_msg_nelems", ("in_msg_nelems", "In msg nelems"), -1),
    ("out_msg_nelems", ("out_msg_nelems", "Out msg nelems"), -1),
    ("msg_dtype", ("msg_dtype", "dtype"), ""),
    ("group_size", ("group_size", "Group size"), -1),
    ("process_rank", ("process_rank", "Rank"), -1),
    ("in_split_size", ("in_split_size", "In split size"), "[]"),
    ("out_split_size", ("out_split_size", "Out split size"), "[]"),
]


def step_number(name: str) -> int:
    """Returns 15 for "ProfilerStep#15", -1 for any other name."""
    match = STEP.match(name)
    return int(match.group(1)) if match else -1


def trace_frame(events: Any, symbols: SymbolTable) -> Any:
    """Returns the events of one rank with HTA's columns; their order is that of the events.

    start_ns, duration_ns and launch_row are for window.inside(), and set_times(), which replaces them by ts and dur. A
    device activity has its launch in index_correlation and its launch's step in iteration, whatever its stream; -1 is
    none.
    """
    import numpy as np
    import pandas as pd

    rows = len(events)
    index = np.arange(rows)
    device = events["category"].isin(DEVICE_CATEGORIES).to_numpy()
    frame = {"index": index, "cat": _numbered(events["category"], symbols), "name": _numbered(events["name"], symbols)}
    for column in ("pid", "tid"):
        frame[column] = events[column].to_numpy()
    stream = _filled(events, ("stream",), -1)
    frame["stream"] = np.where(_on_stream(events, device), stream, -1)
    for column, sources, none in _ARGUMENTS:
        frame[column] = _filled(events, sources, none)
    frame["launch_row"] = np.where(device, _filled(events, ("launch", "launch_index"), -1), -1)
    frame["index_correlation"] = _linked(frame["correlation"], frame["launch_row"])
    frame["iteration"] = _filled(events, ("step",), -1)
    frame["start_ns"] = events["start"].to_numpy(dtype=np.int64)
    frame["duration_ns"] = events["duration"].to_numpy(dtype=np.int64)
    return pd.DataFrame(frame)


def set_times(frame: Any, origin: int) -> Any:
    """Fills ts, dur and end, in microseconds since `origin` (ns): whole numbers where all are whole."""
    frame["ts"] = microseconds(frame["start_ns"].to_numpy() - origin)
    frame["dur"] = microseconds(frame["duration_ns"].to_numpy())
    frame["end"] = frame["ts"] + frame["dur"]
    return frame.drop(columns=["start_ns", "duration_ns", "launch_row"])


def microseconds(ns: Any) -> Any:
    """Returns an array of ns as microseconds: integers where none has a fraction."""
    import numpy as np

    ns = np.asarray(ns)
    if ns.dtype.kind == "i" and not (ns % 1000).any():
        return ns // 1000
    return ns / 1000


def _on_stream(events: Any, device: Any) -> Any:
    """Which events are on a stream: activities of devices, and the synchronization records beside them."""
    return device | (events["category"] == "cuda_sync").to_numpy() | (events["category"] == "cuda_profiler_range").to_numpy()


def _numbered(texts: Any, symbols: SymbolTable) -> Any:
    import numpy as np
    import pandas as pd

    texts = pd.Categorical(texts)
    symbols.add_symbols(texts.categories)
    numbers = np.array([symbols.sym_index[text] for text in texts.categories], dtype=np.int32)
    return numbers[texts.codes] if len(numbers) else np.zeros(len(texts), dtype=np.int32)


def _filled(events: Any, sources: tuple[str, ...], none: Any) -> Any:
    """The first of these columns that there is, with `none` where it has no value."""
    import numpy as np

    for source in sources:
        if source in events.columns:
            return _without_gaps(events[source], none)
    return np.full(len(events), none, dtype=object if isinstance(none, str) else None)


def _without_gaps(column: Any, none: Any) -> Any:
    import pandas as pd

    if isinstance(none, str):
        return column.astype(object).where(column.notna(), none).to_numpy()
    numbers = pd.to_numeric(column, errors="coerce")
    kind = "float64" if isinstance(none, float) else "int64"
    return numbers.fillna(none).astype(kind).to_numpy()


def _linked(correlation: Any, launch: Any) -> Any:
    """The launch of each activity and an activity of each launch; 0 where the other is not recorded, -1 for none."""
    import numpy as np

    linked = np.minimum(correlation, 0)
    (activities,) = np.nonzero(launch >= 0)
    linked[activities] = launch[activities]
    linked[launch[activities]] = activities
    return linked
