"""Turns columns of the extension module into frames of pandas, Polars or Arrow, whichever is installed."""
from __future__ import annotations

import gc
import sys
from typing import Any

from .errors import MissingLibrary, QuestionError


def imported(name: str, purpose: str, install: str) -> Any:
    """Imports an optional library, or raises MissingLibrary, an ImportError, with what to install."""
    try:
        return __import__(name)
    except ImportError as error:
        raise MissingLibrary(f"{purpose} needs {name}, which is not installed", "", f"pip install {install}") from error


def pandas_for(purpose: str) -> Any:
    """pandas. Raises MissingLibrary without it.

    Garbage is not collected while it is imported: what an import makes stays, and looking through it again and again takes
    a seventh of the time.
    """
    collects = gc.isenabled() and "pandas" not in sys.modules
    if collects:
        gc.disable()
    try:
        return imported("pandas", purpose, "pandas")
    finally:
        if collects:
            gc.enable()


def arrow_table(data: Any) -> Any:
    """A pyarrow.Table over the same memory: nothing is copied."""
    return imported("pyarrow", "an Arrow table", "pyarrow").table(data)


def frame(data: Any, library: str | None = None) -> Any:
    """A DataFrame of "pandas" or "polars"; without a library, of pandas, or else Polars.

    Raises MissingLibrary where it is not installed, QuestionError for another library.
    """
    if library not in (None, "pandas", "polars"):
        raise QuestionError(f"there are no data frames of {library!r}", "`library`", 'give "pandas" or "polars", or use .arrow()')
    try:
        pandas = None if library == "polars" else pandas_for("a data frame")
    except MissingLibrary:
        if library == "pandas":
            raise
        pandas = None
    if pandas is None:
        both = "polars" if library else "pandas    # or: pip install polars"
        return imported("polars", "a data frame", both).DataFrame(data)
    return pandas.DataFrame({key: _pandas_column(pandas, *data.parts(key)) for key in data.keys()})


def _pandas_column(pandas: Any, values: Any, missing: Any, dictionary: Any) -> Any:
    """Whole numbers stay whole where some are missing (Int64); names that repeat are categories."""
    if dictionary is not None:
        codes = values.copy()
        if missing is not None:
            codes[missing] = -1
        return pandas.Categorical.from_codes(codes, dictionary)
    if isinstance(values, list):
        return pandas.Series(values, dtype=object)
    if missing is None:
        return values.copy()
    if values.dtype.kind == "i":
        return pandas.arrays.IntegerArray(values.copy(), missing.copy())
    reals = values.copy()
    reals[missing] = float("nan")
    return reals
