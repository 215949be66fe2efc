"""Names and modules of a package that are imported with their first use, so that importing the package loads little."""
from __future__ import annotations

from importlib import import_module
from typing import Any, Callable, Iterable, Mapping


def lazy_names(package: dict[str, Any], homes: Mapping[str, str],
               modules: Iterable[str] = ()) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package with these globals: dir() lists what is public, and these modules.

    homes: in which of its modules each name is. modules: those of its modules that are attributes without an import.

        __getattr__, __dir__ = lazy_names(globals(), {"Run": "run"}, ["goodput"])
    """
    own = frozenset(modules)

    def found(name: str) -> Any:
        if name in own:
            return import_module("." + name, package["__name__"])
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        value = package[name] = getattr(import_module("." + home, package["__name__"]), name)
        return value

    def listed() -> list[str]:
        return sorted({name for name in package if name.startswith("__")} | {*package.get("__all__", homes)} | own)

    return found, listed
