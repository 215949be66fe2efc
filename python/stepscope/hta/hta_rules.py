"""HTA's own rules for reading a trace, which `strict=True` asks for: its rounding, links, steps and window."""
from __future__ import annotations

from typing import Any

from .frame import step_number
from .symbols import SymbolTable
from .window import named_as_step


def as_parsed(frame: Any, symbols: SymbolTable) -> Any:
    """Returns the events of a rank with HTA's rounding, links by correlation, and steps by any ProfilerStep event."""
    frame = frame.copy()
    _round(frame)
    frame["index_correlation"] = _linked(frame, symbols)
    frame["iteration"] = _iterations(frame, symbols)
    return frame


def inside(frame: Any, symbols: SymbolTable, with_last: bool) -> Any:
    """Returns the rows that HTA keeps, device rows first: device annotations named as steps count as steps."""
    import pandas as pd

    device = _on_device(frame, symbols)
    host = frame[~device]
    steps = host[named_as_step(host, symbols)]
    if not with_last:
        host = host[host["start_ns"] < (steps["start_ns"].max() if len(steps) else host["start_ns"].min())]
    calls = host["correlation"]
    return pd.concat([frame[device & frame["correlation"].isin(calls[calls >= 0]).to_numpy()], host])


def _round(frame: Any) -> None:
    """Moves starts up and ends down to whole microseconds, as doubles have them, where any start has a fraction."""
    import numpy as np

    start, duration = frame["start_ns"].to_numpy(), frame["duration_ns"].to_numpy()
    if not (start % 1000).any():
        return
    started = start // 1000 + (start % 1000) / 1000  # not start / 1000: that would round twice
    ended = np.floor(started + duration / 1000).astype(np.int64)
    started = np.ceil(started).astype(np.int64)
    frame["start_ns"], frame["duration_ns"] = started * 1000, (ended - started) * 1000


def _on_device(frame: Any, symbols: SymbolTable) -> Any:
    records = [symbols.sym_index[name] for name in ("Event Sync", "Context Sync") if name in symbols.sym_index]
    on_stream = (frame["stream"] >= 0) & (frame["correlation"] >= 0)
    return (on_stream | frame["name"].isin(records)).to_numpy()


def _linked(frame: Any, symbols: SymbolTable) -> Any:
    """The event of the other side with the same correlation, the last one of several; 0 where there is none."""
    import numpy as np

    linked = np.minimum(frame["correlation"].to_numpy(), 0)
    device = _on_device(frame, symbols)
    sides = frame.loc[frame["correlation"] >= 0, ["index", "correlation"]]
    on_device = device[sides.index.to_numpy()]
    pairs = sides[~on_device].merge(sides[on_device], on="correlation")
    linked[pairs["index_x"]] = pairs["index_y"]
    linked[pairs["index_y"]] = pairs["index_x"]
    return linked


def _iterations(frame: Any, symbols: SymbolTable) -> Any:
    """Of events on no stream the last listed window around their start, of others on a stream above 0 their launch's."""
    import numpy as np

    start, stream = frame["start_ns"].to_numpy(), frame["stream"].to_numpy()
    of = np.full(len(frame), -1)
    for window in frame[named_as_step(frame, symbols)].itertuples():
        of[(start >= window.start_ns) & (start < window.start_ns + window.duration_ns)] = step_number(
            symbols.sym_table[window.name])
    of[stream >= 0] = -1
    launched = (stream > 0) & (frame["index_correlation"].to_numpy() > 0)
    of[launched] = of[frame["index_correlation"].to_numpy()[launched]]
    return of
