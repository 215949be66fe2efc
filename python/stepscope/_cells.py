"""Makes columns of a report of what people have: frames, dicts and lists."""
from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence

from .errors import QuestionError
from .report import Column

_IDENTIFIERS = {"rank", "step", "window", "device", "stream", "process", "thread", "layer", "expert"}
_WHOLE = {"ns", "bytes", "FLOP", "unix_ns"}
_LARGEST = 2**63


class Columns(NamedTuple):
    """Columns and the values of each; all are equally long."""

    columns: list[Column]
    values: list[list[Any]]


def columns_of(table: str, rows: Any, wanted: Sequence[Any] | None, units: dict[str, str],
               column: Callable[..., Column]) -> Columns:
    """The columns of a table. Raises QuestionError with the table and column that is wrong."""
    where = f"table {table!r}"
    values = _by_name(rows, wanted, where)
    for name in [*units, *(_key(one) for one in wanted or ())]:
        if name not in values:
            raise QuestionError(f"there is no column {name!r}", where, f"there are: {', '.join(map(str, values)) or 'none'}")
    named = list(values) if wanted is None else list(wanted)
    lengths = {_key(one): len(values[_key(one)]) for one in named}
    if len(set(lengths.values())) > 1:
        raise QuestionError("columns have different lengths: " + ", ".join(f"{k} {n}" for k, n in lengths.items()), where)
    known = [one if isinstance(one, Column) else column(one, unit=units.get(one, "")) for one in named]
    cells = [_cells(values[one.key], one, where) for one in known]
    if not any(isinstance(one, Column) for one in named):
        known = _with_roles(known, cells)
    return Columns(known, cells)


def _key(named: Any) -> str:
    return named.key if isinstance(named, Column) else named


def _by_name(rows: Any, wanted: Sequence[Any] | None, where: str) -> dict[str, Any]:
    """The values of each column by its name."""
    if hasattr(rows, "to_pydict"):  # pyarrow
        return rows.to_pydict()
    rows = _with_index(rows)
    if hasattr(rows, "columns") and hasattr(rows, "__getitem__"):  # a frame of pandas or Polars, an answer of ours
        return {_text(getattr(name, "key", name)): rows[getattr(name, "key", name)] for name in rows.columns}
    if isinstance(rows, Mapping):
        return dict(rows)
    if isinstance(rows, (str, bytes)) or not isinstance(rows, Iterable):
        raise QuestionError(f"rows of a table cannot be made of {type(rows).__name__}", where,
                            "give a DataFrame, a dict of columns or a list of rows")
    return _by_row(list(rows), wanted, where)


def _with_index(rows: Any) -> Any:
    """What pandas says of rows by a named index, as after groupby(), is in columns; a Series becomes a frame."""
    if hasattr(rows, "to_frame") and hasattr(rows, "index"):
        rows = rows.to_frame("value" if rows.name is None else rows.name)
    if hasattr(rows, "reset_index") and any(name is not None for name in rows.index.names):
        return rows.reset_index()
    return rows


def _by_row(rows: list[Any], wanted: Sequence[Any] | None, where: str) -> dict[str, Any]:
    if all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(name for row in rows for name in row)) or [_key(one) for one in wanted or ()]
        return {name: [row.get(name) for row in rows] for name in names}
    names = [_key(one) for one in wanted or ()]
    for place, row in enumerate(rows):
        if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != len(names):
            raise QuestionError(f"row {place} is not a row of {len(names)} columns: {row!r}"[:200], where,
                                "rows are dicts, or tuples as long as `columns`")
    return {name: [row[c] for row in rows] for c, name in enumerate(names)}


def _text(name: Any) -> str:
    return name if isinstance(name, str) else str(name)


def _cells(values: Any, column: Column, where: str) -> list[Any]:
    """Values as int, float, str or None."""
    plain = values.tolist() if hasattr(values, "tolist") else values.to_list() if hasattr(values, "to_list") else list(values)
    whole = column.unit in _WHOLE
    return [_cell(value, whole, column.key, place, where) for place, value in enumerate(plain)]


def _cell(value: Any, whole: bool, key: str, place: int, where: str) -> Any:
    value = value.item() if hasattr(value, "item") else value
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if math.isinf(value):
            raise QuestionError(f"the column {key!r} has in row {place} a number without end: {value!r}", where,
                                "make it None, which is not known, or leave the row out")
        return None if math.isnan(value) else _whole(value) if whole else value
    if isinstance(value, int) and -_LARGEST <= value < _LARGEST:
        return value
    raise QuestionError(f"the column {key!r} has in row {place} what is no number or text: {value!r}"[:200], where,
                        "make it a number, or text by str()")


def _whole(value: float) -> int:
    return max(-_LARGEST, min(int(round(value)), _LARGEST - 1))


def _with_roles(columns: list[Column], cells: list[list[Any]]) -> list[Column]:
    """Text and identifiers are keys, if they tell the rows apart."""
    keys = [place for place, one in enumerate(columns)
            if not one.unit and (one.key in _IDENTIFIERS or any(isinstance(value, str) for value in cells[place]))]
    rows = list(zip(*(cells[place] for place in keys)))
    if not keys or len(set(rows)) < len(rows):
        return columns
    return [replace(one, role="key") if place in keys else one for place, one in enumerate(columns)]
