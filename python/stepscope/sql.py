"""The rows of an answer to SQL, as columns."""
from __future__ import annotations

from typing import Any

from . import _core, _duckdb
from .events import Events


class Rows(Events):
    """Rows of an answer: an Arrow stream, which Polars, pyarrow and DuckDB read without a copy; df() is a DataFrame.

    BOOLEAN is 0 or 1, HUGEINT a 64-bit number, DECIMAL a float; dates, lists and structs are text.
    """

    def __repr__(self) -> str:
        return f"<Rows: {len(self):,} rows, {', '.join(self.columns)}>"


def ask(core: Any, statement: str, memory: int, timeout: float) -> Rows:
    """Asks a run of the core. The Python package duckdb will do where its library is not installed."""
    _duckdb.tell(_core)
    return Rows(core.sql(statement, memory, timeout))
