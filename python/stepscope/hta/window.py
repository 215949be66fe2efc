"""Which events count: HTA leaves out the last profiler step, and activities without a launch."""
from __future__ import annotations

from typing import Any, Iterable

from .frame import DEVICE_CATEGORIES, step_number
from .symbols import SymbolTable


def chosen_steps(numbers: list[int], with_last: bool) -> str:
    """Returns the selection, as stepscope's `steps` has it, of these steps, without the last unless asked for.

    A trace with fewer than two steps counts whole, as in HTA.
    """
    numbers = sorted(set(numbers))
    if len(numbers) < 2:
        return "all"
    return f"{numbers[0]}..{numbers[-1] if with_last else numbers[-2]}"


def inside(frame: Any, symbols: SymbolTable, with_last: bool) -> Any:
    """Returns the rows of one rank that count, device rows first.

    Of the host these are the events that begin before the last step does, of the device the activities that they
    launched. A device's annotation counts when it holds an activity that does.
    """
    import numpy as np
    import pandas as pd

    device = frame["stream"].to_numpy() != -1
    annotation = _is_category(frame, symbols, {"gpu_user_annotation"})
    host = ~device & ~annotation & _before_last(frame, symbols, with_last)
    launch = frame["launch_row"].to_numpy()
    kept = (launch >= 0) & host[np.maximum(launch, 0)]
    kept |= _synchronizations(frame, symbols, host)
    held = annotation & _holds(frame, annotation, kept)
    return pd.concat([frame[kept], frame[host | held]])


def step_numbers(frames: Iterable[Any], symbols: SymbolTable) -> list[int]:
    """Returns the steps that the host's annotations name in any of these frames, ascending."""
    names = {name for frame in frames
             for name in frame["name"][_is_category(frame, symbols, {"user_annotation", "cpu_op"})].unique()}
    return sorted({step_number(symbols.sym_table[name]) for name in names} - {-1})


def named_as_step(frame: Any, symbols: SymbolTable) -> Any:
    """Returns which rows have the name of a step, on the host or a device."""
    return frame["name"].isin([number for number, text in enumerate(symbols.sym_table) if step_number(text) >= 0])


def _is_category(frame: Any, symbols: SymbolTable, categories: Any) -> Any:
    numbers = [symbols.sym_index[c] for c in categories if c in symbols.sym_index]
    return frame["cat"].isin(numbers).to_numpy()


def _before_last(frame: Any, symbols: SymbolTable, with_last: bool) -> Any:
    """Which events begin before the last step; with that step, before it ends."""
    steps = frame[named_as_step(frame, symbols) & ~_is_category(frame, symbols, {"gpu_user_annotation"})]
    starts = frame["start_ns"].to_numpy()
    if steps.empty:
        return starts < starts.min() if not with_last else starts >= starts.min()
    if with_last:
        return starts <= (steps["start_ns"] + steps["duration_ns"]).max()
    return starts < steps["start_ns"].max()


def _synchronizations(frame: Any, symbols: SymbolTable, host: Any) -> Any:
    """Which synchronization records have their call among the host's events that count."""
    records = _is_category(frame, symbols, {"cuda_sync"})
    calls = frame["correlation"].to_numpy()[host]
    return records & frame["correlation"].isin(calls[calls >= 0]).to_numpy()


def _holds(frame: Any, annotation: Any, kept: Any) -> Any:
    """Which device annotations hold the start of an activity that counts, on their process and thread."""
    import numpy as np

    holds = np.zeros(len(frame), dtype=bool)
    starts = frame["start_ns"].to_numpy()
    ends = starts + frame["duration_ns"].to_numpy()
    places = frame.groupby(["pid", "tid"], sort=False).indices if annotation.any() else {}
    for rows in places.values():
        ranges = rows[annotation[rows]]
        work = np.sort(starts[rows[kept[rows]]])
        holds[ranges] = np.searchsorted(work, ends[ranges]) > np.searchsorted(work, starts[ranges])
    return holds


def device_category(symbols: SymbolTable) -> list[int]:
    """Returns the numbers of the categories of device activities."""
    return [symbols.sym_index[c] for c in DEVICE_CATEGORIES if c in symbols.sym_index]
