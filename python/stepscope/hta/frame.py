"""Events of a run as a frame with the columns that HTA gives a trace."""
from __future__ import annotations

import re
from typing import Any

from .symbols import SymbolTable

DEVICE_CATEGORIES = frozenset({"kernel", "gpu_memcpy", "gpu_memset"})
STEP = re.compile(r"ProfilerStep\s*#\s*(\d+)")

# The category of PyTorch's traces for each kind of events; other kinds are no rows of a frame.
_CATEGORIES = {
    "compute": "kernel", "communication": "kernel", "memcpy": "gpu_memcpy", "memset": "gpu_memset",
    "runtime": "cuda_runtime", "operator": "cpu_op", "annotation": "user_annotation",
    "gpu annotation": "gpu_user_annotation", "python": "python_function", "python wait": "python_function",
    "sync": "cuda_sync", "overhead": "overhead", "counter range": "cuda_profiler_range",
}
_ON_STREAM = frozenset({"compute", "communication", "memcpy", "memset", "sync", "counter range"})
_DRIVER = re.compile(r"cu[A-Z]")

# HTA's column, the column of events that it comes from (None: of none), and what stands for none.
_COLUMNS: list[tuple[str, str | None, Any]] = [
    ("stream", "stream", -1), ("correlation", "correlation", -1), ("bytes", "bytes", -1),
    ("memory_bw_gbps", "bandwidth", 0.0), ("wait_on_stream", "wait_stream", -1),
    ("wait_on_cuda_event_record_corr_id", "wait_correlation", -1), ("input_dims", "input_shapes", "[]"),
    ("input_type", "input_types", "[]"), ("input_strides", "input_strides", "[]"), ("external_id", "external_id", -1),
    ("python_id", None, -1), ("python_parent_id", None, -1), ("collective_name", "collective", ""),
    ("in_msg_nelems", "in_elements", -1), ("out_msg_nelems", "out_elements", -1), ("msg_dtype", "data_type", ""),
    ("group_size", "group_size", -1), ("process_rank", None, -1), ("in_split_size", None, "[]"),
    ("out_split_size", None, "[]"),
]
EVENT_COLUMNS = ["name", "kind", "start", "duration", "device", "process", "thread", "step", "launch",
                 *(source for _, source, _ in _COLUMNS if source)]


def step_number(name: str) -> int:
    """Returns 15 for "ProfilerStep#15", -1 for any other name."""
    match = STEP.match(name)
    return int(match.group(1)) if match else -1


def trace_frame(events: Any, symbols: SymbolTable) -> Any:
    """Returns the events of one rank with HTA's columns, a row for each; `cat` is -1 of those that HTA does not have.

    start_ns, duration_ns and launch_row are for window.inside(), and set_times(), which replaces them by ts and dur. A
    device activity has its launch in index_correlation and its launch's step in iteration, whatever its stream; -1 is
    none.
    """
    import numpy as np
    import pandas as pd

    names, kinds = pd.Categorical(events["name"]), pd.Categorical(events["kind"])
    frame = {"index": np.arange(len(events)), "cat": _categories(kinds, names, symbols),
             "name": _numbers(names.codes, [symbols.number(name) for name in names.categories])}
    frame.update(_places(events))
    frame.update({column: _filled(events, source, none) for column, source, none in _COLUMNS})
    frame["stream"] = np.where(_of_kinds(kinds, _ON_STREAM), frame["stream"], -1)
    frame["launch_row"] = _filled(events, "launch", -1)
    frame["index_correlation"] = _linked(frame["correlation"], frame["launch_row"])
    frame["iteration"] = _filled(events, "step", -1)
    frame["start_ns"] = events["start"].to_numpy(dtype=np.int64)
    frame["duration_ns"] = events["duration"].to_numpy(dtype=np.int64)
    return pd.DataFrame(frame)


def set_times(frame: Any, origin: int) -> Any:
    """Fills ts, dur and end, in microseconds since `origin` (ns): whole numbers where all are whole.

    Rows that HTA does not have are left out.
    """
    frame = frame[frame["cat"] >= 0].copy()
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


def _categories(kinds: Any, names: Any, symbols: SymbolTable) -> Any:
    """The number of each event's category; only those that occur get one. Of CUDA's driver names begin "cuX"."""
    import numpy as np

    occur = set(np.unique(kinds.codes))
    known = [_CATEGORIES.get(kind) if place in occur else None for place, kind in enumerate(kinds.categories)]
    of = _numbers(kinds.codes, [-1 if category is None else symbols.number(category) for category in known])
    of_driver = np.array([bool(_DRIVER.match(name)) for name in names.categories] or [False])
    driver = _of_kinds(kinds, {"runtime"}) & of_driver[names.codes]
    return np.where(driver, symbols.number("cuda_driver"), of) if driver.any() else of


def _of_kinds(kinds: Any, wanted: Any) -> Any:
    """Which events are of these kinds."""
    import numpy as np

    return np.array([kind in wanted for kind in kinds.categories] or [False])[kinds.codes]


def _numbers(codes: Any, numbers: list[int]) -> Any:
    import numpy as np

    return np.array(numbers or [-1], dtype=np.int32)[codes]


def _places(events: Any) -> dict[str, Any]:
    """pid and tid: those of the host's process and thread, else device and stream, as PyTorch writes them."""
    device, stream = _filled(events, "device", -1), _filled(events, "stream", -1)
    return {"pid": _ids(events["process"], device), "tid": _ids(events["thread"], stream)}


def _ids(texts: Any, instead: Any) -> Any:
    """Numbers where all texts are numbers; `instead` where there is no text."""
    import numpy as np
    import pandas as pd

    texts = pd.Categorical(texts)
    ids = pd.to_numeric(pd.Series(texts.categories, dtype=object), errors="coerce")
    values = ids.astype(np.int64) if ids.notna().all() else pd.Series(texts.categories, dtype=object)
    if not len(values):
        return instead
    of = values.to_numpy()[np.maximum(texts.codes, 0)]
    return np.where(texts.codes < 0, instead, of)


def _filled(events: Any, source: str | None, none: Any) -> Any:
    """A column of events, with `none` where it has no value."""
    import numpy as np
    import pandas as pd

    if source is None:
        only = np.zeros(len(events), dtype=np.int8)
        return pd.Categorical.from_codes(only, [none]) if isinstance(none, str) else np.full(len(events), none)
    column = events[source]
    if isinstance(none, str):
        return _texts(pd.Categorical(column), none)
    return column.fillna(none).astype("float64" if isinstance(none, float) else "int64").to_numpy()


def _texts(texts: Any, none: str) -> Any:
    """Texts as categories, `none` among them."""
    import numpy as np
    import pandas as pd

    categories = [*texts.categories, *([] if none in texts.categories else [none])]
    codes = np.where(texts.codes < 0, categories.index(none), texts.codes)
    return pd.Categorical.from_codes(codes, categories)


def _linked(correlation: Any, launch: Any) -> Any:
    """The launch of each activity and an activity of each launch; 0 where the other is not recorded, -1 for none."""
    import numpy as np

    linked = np.minimum(correlation, 0)
    (activities,) = np.nonzero(launch >= 0)
    linked[activities] = launch[activities]
    linked[launch[activities]] = activities
    return linked
