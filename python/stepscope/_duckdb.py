"""Where the Python package duckdb has DuckDB, which only a Python process can load."""
from __future__ import annotations

import importlib.util
from typing import Any


def tell(core: Any) -> None:
    """Tells the core, which looks there last."""
    found = importlib.util.find_spec("_duckdb")
    if found is not None and found.origin:
        core.also_find_duckdb(found.origin)
