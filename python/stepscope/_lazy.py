"""Names of a package that are imported with their first use, so that importing the package loads little."""
from __future__ import annotations

from importlib import import_module
from typing import Any, Callable, Mapping


def lazy_names(package: dict[str, Any],
               homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package with these globals. homes: in which of its modules each name is.

        __getattr__, __dir__ = lazy_names(globals(), {"Run": "run"})
    """

    def found(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        value = package[name] = getattr(import_module("." + home, package["__name__"]), name)
        return value

    def listed() -> list[str]:
        return sorted({*package, *homes})

    return found, listed
