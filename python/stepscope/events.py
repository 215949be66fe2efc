"""Every event of a rank as columns, for analyses of one's own."""
from __future__ import annotations

from typing import Any, Iterable

from . import _core, frames
from .errors import QuestionError


class Events:
    """Events of one rank, in the order of its trace files: len() events, one column for each that was asked for.

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

    def df(self) -> Any:
        """A pandas.DataFrame (names are categories); without pandas a polars.DataFrame."""
        return frames.frame(self._core)

    def arrow(self) -> Any:
        """A pyarrow.Table over the same memory. Raises MissingLibrary without pyarrow."""
        return frames.arrow_table(self._core)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._core.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Events: {len(self):,} events, {', '.join(self.columns)}>"


def chosen(core: Any, columns: Iterable[str] | None, kind: str | Iterable[str] | None, step: int | None) -> Events:
    """These columns of these events."""
    kinds = [kind] if isinstance(kind, str) else list(kind or [])
    names = [columns] if isinstance(columns, str) else list(columns or [])
    return Events(core.get(names, kinds, step))


def column_names() -> list[str]:
    """The columns there are; include/stepscope/events.h and the documentation say what each holds."""
    return _core.event_columns()
