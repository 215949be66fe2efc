"""Reads tables for figures: the rows, what says which row it is, the column to draw, the kind of each row."""
from __future__ import annotations

from typing import Any

from ..errors import QuestionError
from . import look

MEASURED = ("ns", "bytes", "bytes/s", "FLOP", "FLOP/s", "ratio", "count")
_NUMBERED = ("rank", "window", "device", "stream", "step", "attempt")
_MOST_NUMBERS = 4096


class Rows:
    """The first rows of a table, and what each is called: many by number, which take little room; else at most `names`.

    whole: how many the table has. labels: column keys that say which row it is; by default those of its key columns that differ.
    """

    def __init__(self, table: Any, names: int, labels: tuple[str, ...] = ()) -> None:
        self.columns = {column.key: column for column in table.columns}
        self.values = table.to_dict()
        self.count = self.whole = len(table)
        self.keys = labels or telling(table, self.values)
        self._keep(_MOST_NUMBERS)
        if not self.by_number:
            self._keep(names)

    def _keep(self, most: int) -> None:
        self.values = {key: values[:most] for key, values in self.values.items()}
        self.count = min(self.count, most)

    def labels(self) -> list[str]:
        """What each row is called, in full: "rank 3, stream 7"."""
        return [self._label(row) or str(row) for row in range(self.count)]

    def _label(self, row: int) -> str:
        known = [key for key in self.keys if self.values[key][row] not in (None, "")]
        return ", ".join(self._part(key, self.values[key][row]) for key in known)

    def _part(self, key: str, value: Any) -> str:
        named = key in _NUMBERED and isinstance(value, int)
        return f"{self.columns[key].title} {value}" if named else str(value)

    @property
    def by_number(self) -> bool:
        """Whether rows are called by one number: their place on an axis."""
        return len(self.keys) == 1 and self.keys[0] in ("rank", "step") and all(
            isinstance(value, int) for value in self.values[self.keys[0]])

    def kinds(self, column: str) -> list[Any]:
        """The kind of time of each row, or else of the column; None is of none."""
        own = self.values.get("kind", [])
        if own and all(value in look.KINDS for value in own):
            return own
        return [getattr(self.columns[column], "kind", "") or None] * self.count


def telling(table: Any, values: dict[str, list[Any]]) -> tuple[str, ...]:
    """The key columns that say which row it is: those that differ, and not as the rank does."""
    keys = [column.key for column in table.columns if column.role == "key" and not getattr(column, "detail", False)]
    differ = [key for key in keys if len(set(values[key])) > 1]
    if "rank" in keys:
        differ = [key for key in differ if key == "rank" or values[key] != values["rank"]]
    return tuple(differ or keys[:1])


def measured(table: Any, column: str | None = None) -> str:
    """The key of the column to draw: the one asked for, or else the first time or size; numbers only.

    Raises QuestionError where there is no such column, or nothing to draw.
    """
    values = [one for one in table.columns if one.role == "value" and one.unit in MEASURED]
    if column is not None:
        if column in [one.key for one in values]:
            return column
        raise QuestionError(f"the table {table.key!r} has no column {column!r} to draw", "",
                            "name one of: " + ", ".join(one.key for one in values))
    main = [one for one in values if not getattr(one, "detail", False)] or values
    if not main:
        raise QuestionError(f"the table {table.key!r} has nothing to draw", "", "it has only text; see .df()")
    return min(main, key=lambda one: (not getattr(one, "kind", ""), MEASURED.index(one.unit))).key
