"""Gives a run one method for each analysis of the core, with its parameters and explanation.

The methods are made from the core's own list when this file is imported; _methods.pyi declares the same for editors and
type checkers. `python -m stepscope._methods` prints that file; python/tests/typing_test.py says when it is out of date.
"""
from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any, Callable

from . import _core
from .report import Report

_TYPES = {"integer": "int | str", "number": "float | str", "text": "str"}
_COMMON = {"steps": ("int | str | Iterable[int]", "all"), "ranks": ("int | Iterable[int] | None", None)}


def _default(param: dict[str, str]) -> Any:
    """The value of a declared default; text where it has a unit."""
    made = {"integer": int, "number": float}.get(param["type"], str)
    try:
        return made(param["default"])
    except ValueError:
        return param["default"]


def _keywords(info: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    """Type and default of each argument."""
    declared = {p["name"]: (_TYPES[p["type"]], _default(p)) for p in info["params"]}
    return {**_COMMON, **declared}


def _signature(info: dict[str, Any]) -> Signature:
    own = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    keywords = [Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
                for name, (kind, default) in _keywords(info).items()]
    return Signature([own, *keywords], return_annotation="Report")


def _documentation(info: dict[str, Any]) -> str:
    lines = [info["summary"] + ".", "", info["doc"].strip(), "", "Arguments:", "",
             '- steps: "all", "complete", a number, a range such as "3..7", or some: [3, 5]', "- ranks: only these; None is all"]
    for param in info["params"]:
        unit = f" ({param['unit']})" if param["unit"] else ""
        lines.append(f"- {param['name']}: {param['message']}{unit}")
    return "\n".join(lines)


def _method(info: dict[str, Any]) -> Callable[..., Report]:
    name, known = info["name"], set(_keywords(info))

    def ask(self: Any, *, steps: Any = "all", ranks: Any = None, **params: Any) -> Report:
        for given in params:
            if given not in known:
                near = _core.nearest_name(given, sorted(known))
                hint = f"; did you mean {near!r}?" if near else ""
                raise TypeError(f"{name}() got an unexpected keyword argument {given!r}{hint}")
        return self.report(name, steps=steps, ranks=ranks, params={f"{name}.{key}": v for key, v in params.items()})

    ask.__name__, ask.__qualname__ = name, f"Run.{name}"
    ask.__doc__ = _documentation(info)
    ask.__signature__ = _signature(info)  # type: ignore[attr-defined]
    return ask


class Analyses:
    """One method for each analysis. Each takes steps, ranks and the parameters that the analysis declares."""


def add_method(info: dict[str, Any]) -> None:
    """Gives all runs a method for an analysis."""
    setattr(Analyses, info["name"], _method(info))


def remove_method(name: str) -> None:
    """Takes it away again."""
    delattr(Analyses, name)


for _info in _core.analyses():
    add_method(_info)


def declarations() -> str:
    """What _methods.pyi holds."""
    lines = ['"""Declares the methods that _methods.py makes. Printed by `python -m stepscope._methods`."""',
             "from typing import Any, Iterable", "", "from .report import Report", "", "class Analyses:"]
    for info in _core.analyses():
        keywords = ", ".join(f"{name}: {kind} = {default!r}" for name, (kind, default) in _keywords(info).items())
        lines += [f"    def {info['name']}(self, *, {keywords}) -> Report:", f'        """{info["summary"]}."""']
    return "\n".join([*lines, "", "def add_method(info: dict[str, Any]) -> None: ...",
                      "def remove_method(name: str) -> None: ...", "def declarations() -> str: ...", ""])


if __name__ == "__main__":
    print(declarations(), end="")
