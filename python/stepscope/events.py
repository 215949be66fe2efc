"""Every event of one or more ranks as columns, for analyses of one's own."""
from __future__ import annotations

import os
from contextlib import nullcontext
from typing import Any, Callable, Iterable, Iterator, Optional, Sequence

from . import _core, frames
from ._asking import Steps, names_of, ranges_of, ranks_of, steps_text
from .errors import QuestionError


class Events:
    """Events, rank after rank, in the order of their trace files: len() events, one column for each that was asked for.

    They are an Arrow stream: `polars.DataFrame(events)`, `pyarrow.table(events)` and DuckDB read them without a copy.
    Names are dictionary-encoded: each stands once, and an event has its number. What an event does not say is null.

        kernels = run.events(rank=0, columns=["name", "start", "duration"], kind="kernel", step=3).df()
        kernels.groupby("name", observed=True)["duration"].sum()
    """

    def __init__(self, core: Any) -> None:
        self._core = core

    def __len__(self) -> int:
        return len(self._core)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._core.keys()

    @property
    def nbytes(self) -> int:
        """Bytes of all columns, dictionaries included."""
        return self._core.nbytes

    def to_dict(self) -> dict[str, list[Any]]:
        """The values by column; None is not known."""
        return self._core.to_dict()

    def numpy(self, column: str) -> Any:
        """A column as an array over the same memory, which is read-only; of text the numbers of names.

        Raises QuestionError for a column that was not asked for, and for one with values that are not known.
        """
        values, missing, _ = self._core.parts(column)
        if missing is not None:
            raise QuestionError(f"the column {column!r} has values that are not known", "", "use .df() or .arrow()")
        return values

    def df(self, *, library: str | None = None) -> Any:
        """A DataFrame of pandas (names are categories), or else Polars; library: "pandas" or "polars"."""
        return frames.frame(self._core, library)

    def arrow(self) -> Any:
        """A pyarrow.Table over the same memory. Raises MissingLibrary without pyarrow."""
        return frames.arrow_table(self._core)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._core.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Events: {len(self):,} events, {', '.join(self.columns)}>"


class Recorded:
    """What was read of ranks: of those that were asked for last as many as have MOST events together, or else one."""

    MOST = 32_000_000

    def __init__(self, core: Any, reading: Callable[[], Any] = nullcontext) -> None:
        self._core = core
        self._reading = reading  # what files are read in
        self._kept: dict[int, Any] = {}  # the one that was asked for last is last

    def of(self, rank: int | Iterable[int] | None) -> Iterator[Any]:
        """The events of these ranks, one after another; None is all. Reads several at once, those that are not there."""
        self._core.name  # raises UseError for a closed run, and in a process forked since
        wanted = list(dict.fromkeys(self._ranks(rank)))
        ready: dict[int, Any] = {}
        for place, one in enumerate(wanted):
            if one not in self._kept and one not in ready:
                group = self._group([later for later in wanted[place:] if later not in self._kept])
                with self._reading():
                    ready = dict(zip(group, self._core.read_events(group)))
            events = ready.pop(one) if one in ready else self._kept.pop(one)
            yield events
            self._keep(one, events)

    def clear(self) -> None:
        """Lets go of what was read and of what it is read from."""
        self._kept.clear()
        self._reading = nullcontext

    def _ranks(self, rank: int | Iterable[int] | None) -> list[int]:
        if rank is None:
            return self._core.recorded_ranks
        ranks = ranks_of(rank, "`rank`")
        if not ranks:
            raise QuestionError("no rank was asked for", "`rank`", "name some, or None for all")
        return ranks

    def _group(self, missing: list[int]) -> list[int]:
        """The first of these: as many as there are processors, and as have MOST events. Makes room for them."""
        events = dict.fromkeys(missing, 0)
        for file in self._core.files:
            if file["rank"] in events:
                events[file["rank"]] += file["events"]
        group, total = missing[:1], events[missing[0]]
        for rank in missing[1:os.cpu_count() or 1]:
            if total + events[rank] > self.MOST:
                break
            group.append(rank)
            total += events[rank]
        self._trim(self.MOST - total)
        return group

    def _keep(self, rank: int, events: Any) -> None:
        self._trim(self.MOST - len(events))
        self._kept[rank] = events

    def _trim(self, most: int) -> None:
        while self._kept and sum(map(len, self._kept.values())) > most:
            self._kept.pop(next(iter(self._kept)), None)


Get = Callable[[Sequence[str], Sequence[str], Optional[int]], Any]


def chosen(ranks: Iterable[Get], columns: Iterable[str] | None, kind: str | Iterable[str] | None, step: Steps,
           *, step_exists: bool = True) -> Events:
    """These columns of these events of each rank, which a function of columns, kinds and a step hands out.

    step_exists: raise QuestionError where none of these ranks has such a step.
    """
    names, kinds, ranges = names_of(columns, "`columns`"), names_of(kind, "`kind`"), ranges_of(step, "`step`")
    parts, known = [], set()
    for get in ranks:
        steps = _steps_of(get) if ranges and (len(ranges) > 1 or ranges[0][0] < ranges[0][1]) else None
        mine = [get(names, kinds, one) for one in _wanted(ranges, steps)]
        if ranges and step_exists and not any(map(len, mine)):
            known |= _steps_of(get) if steps is None else steps
        parts += mine
    if not parts:
        raise QuestionError("the traces have no recording of any rank", "", "see run.files")
    if ranges and step_exists and not any(map(len, parts)):
        _check_known(ranges, known, steps_text(step))
    return Events(parts[0] if len(parts) == 1 else _core.join_events(parts))


def _wanted(ranges: list[tuple[int, int]] | None, steps: set[int] | None) -> list[int | None]:
    """The steps to ask for; at least one, so that there are columns."""
    if ranges is None:
        return [None]
    if steps is None:
        return [ranges[0][0]]
    return sorted(one for one in steps if _in(ranges, one)) or [ranges[0][0]]


def _in(ranges: list[tuple[int, int]], step: int) -> bool:
    return any(first <= step <= last for first, last in ranges)


def _steps_of(get: Get) -> set[int]:
    """The steps that events are in."""
    import numpy as np

    values, missing, _ = get(["step"], [], None).parts("step")
    values = values if missing is None else values[~missing]
    if not len(values):
        return set()
    lowest, highest = int(values.min()), int(values.max())
    if highest - lowest > len(values) + 1_000_000:
        return set(np.unique(values).tolist())
    there = np.zeros(highest - lowest + 1, bool)  # sorting takes ten times as long
    there[values - lowest] = True
    return set((np.flatnonzero(there) + lowest).tolist())


def _check_known(ranges: list[tuple[int, int]], known: set[int], asked: str) -> None:
    if not any(_in(ranges, one) for one in known):
        hint = f"steps in the traces: {min(known)}..{max(known)}" if known else "no step is marked there; see run.steps()"
        raise QuestionError(f"there is no step {asked}", "`step`", hint)


def column_names() -> list[str]:
    """The names of the columns there are; docs/python.md says what each holds."""
    return _core.event_columns()
