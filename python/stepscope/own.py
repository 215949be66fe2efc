"""An analysis of one's own: a function from events and reports to tables, which then is an analysis like all others.

    import stepscope
    from stepscope import column

    @stepscope.analysis(title="Late kernels", params={"limit": stepscope.param(50_000, unit="ns", help="late from here on")})
    def late_kernels(ctx, limit):
        '''**Question:** Which kernels start long after their launch?'''
        found = ...                                     # a DataFrame, made of ctx.events(rank).df() for rank in ctx.ranks
        return stepscope.table("late", found, columns=[column("name", role="key"), column("delay", unit="ns")], bars="delay")

    run.late_kernels(limit=20_000).df()                 # and in run.analyze(), run.summary(), run.serve()
"""
from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Mapping, Sequence, TypeVar, Union, overload

from . import _core
from ._cells import Columns, columns_of
from .errors import QuestionError
from .report import Column, Series

Function = TypeVar("Function", bound=Callable[..., Any])
Value = Union[int, float, str, bool]


@dataclass(frozen=True)
class Param:
    """A parameter of an analysis: its default, whose type its values have; the unit of a number; what it changes."""

    default: Value
    unit: str = ""
    help: str = ""


@dataclass(frozen=True)
class OwnTable:
    """A table as stepscope.table() made it: columns, and the values of each."""

    key: str
    title: str
    columns: list[Column]
    values: list[list[Any]] = field(repr=False)
    bars: str = ""


@dataclass(frozen=True)
class OwnFinding:
    """A finding as stepscope.finding() made it."""

    message: str
    because: str = ""
    hint: str = ""
    impact: int = 0
    severity: str = "low"
    table: str = ""
    cause: str = ""
    rank: int | None = None
    step: int | None = None


@dataclass(frozen=True)
class Result:
    """What an analysis returns where it has more to say than tables.

    tables: as by stepscope.table(), or a DataFrame alone, whose key is then "rows". headline: the answer in one sentence.
    metrics: single numbers by key: 12, or (12, "count"), or (12, "count", "late kernels") with unit and title.
    findings, curves: as by stepscope.finding() and stepscope.curve(). notes: limits of the answer, one sentence each.
    """

    tables: Any = ()
    headline: str = ""
    metrics: Mapping[str, Any] = field(default_factory=dict)
    findings: Sequence[OwnFinding] = ()
    curves: Sequence[Series] = ()
    notes: Sequence[str] = ()


class Unavailable(Exception):
    """Raised by an analysis whose input is missing: its report is "unavailable" and says this.

        raise stepscope.Unavailable("the traces have no memory events")
    """


def param(default: Value, *, unit: str = "", help: str = "") -> Param:
    """A parameter: an int, float, str or bool. unit: as of columns; times may then be given as "50us"."""
    return Param(default, _known("unit", unit), help)


def column(key: str, title: str = "", *, unit: str = "", role: str = "value", kind: str = "", detail: bool = False) -> Column:
    """A column of a table: the key is its name in the rows, and in JSON; small letters, digits and _.

    title: what readers see, else the key. unit: "ns", "ratio" (0..1), "count", "bytes", "bytes/s", "FLOP", "FLOP/s",
    "unix_ns", "ratio_difference", or "" for text and identifiers. role: "key" if it says which row it is, so that no two
    rows agree in all keys, else "value". kind: what numbers measure and the color of it: "compute", "communication",
    "wait", "idle", ... detail: text leaves it out. Raises QuestionError for an unknown unit, role or kind.
    """
    if role not in ("key", "value"):
        raise QuestionError(f"there is no role {role!r}", f"column {key!r}", "roles: key, value")
    return Column(key, title or key.replace("_", " "), _known("unit", unit, f"column {key!r}"), role,
                  _known("kind", kind, f"column {key!r}"), detail)


def table(key: str, rows: Any, *, title: str = "", columns: Iterable[Column | str] | None = None,
          units: Mapping[str, str] | None = None, bars: str = "") -> OwnTable:
    """A table of the answer; the most important row comes first.

    rows: a DataFrame of pandas (with a named index, as after groupby(), among its columns) or Polars, a pyarrow.Table, a
    dict of columns, a list of dicts, or a list of tuples as `columns` has them. None, NaN and NA are "not known";
    infinity is an error.
    columns: which, in this order, by column() or name; without, all of them, where text and columns such as rank and step
    are keys if they tell the rows apart. units: of columns that are named or found, {"delay": "ns"}; in ns, bytes
    and FLOP they are rounded to whole numbers, as all of the package are. bars: the column to draw as bars.

        stepscope.table("late", frame, units={"delay": "ns"}, bars="delay")

    Raises QuestionError for columns that there are none of, of different lengths, or with values that are no number or text.
    """
    found: Columns = columns_of(key, rows, None if columns is None else list(columns), dict(units or {}), column)
    return OwnTable(key, title or key.replace("_", " ").capitalize(), found.columns, found.values, bars)


def finding(message: str, *, because: str = "", hint: str = "", impact: float = 0, severity: str = "low", table: str = "",
            cause: str = "", rank: int | None = None, step: int | None = None) -> OwnFinding:
    """Something worth acting on.

    message: the problem and its size in one sentence; because: the numbers that show it; hint: one thing to try. impact: ns
    of one rank's time that mending it could save at most, by which findings are ordered and get their severity; 0: it is
    not a matter of time, and keeps `severity` ("high", "medium", "low"). table: the key of the table that shows it.
    cause: "input", "launch", "host", "communication", "compute", "memory", ...: of findings of one cause, rank and step,
    one speaks for all; without, it speaks for itself.
    """
    return OwnFinding(message, because, hint, int(round(impact)), _known("severity", severity), table,
                      _known("cause", cause), rank, step)


def curve(key: str, x: Iterable[float], y: Iterable[float], *, title: str = "", x_unit: str = "", y_unit: str = "") -> Series:
    """A curve, which the page and .plot() draw. Units are those of columns."""
    xs, ys = [float(one) for one in x], [float(one) for one in y]
    if len(xs) != len(ys):
        raise QuestionError(f"the curve {key!r} has {len(xs)} x and {len(ys)} y", "", "give as many of each")
    return Series(key, title or key.replace("_", " "), _known("unit", x_unit), _known("unit", y_unit), xs, ys)


def _known(what: str, name: str, where: str = "") -> str:
    """The name, if there is such a unit, kind, severity or cause. Raises QuestionError with the nearest one."""
    _core.check_word(what, name, where)
    return name


@dataclass(frozen=True)
class Own:
    """An analysis of one's own, as it was declared."""

    function: Callable[..., Any]
    name: str
    title: str
    summary: str
    doc: str
    params: dict[str, Param]


@overload
def analysis(name: Function) -> Function: ...
@overload
def analysis(name: str | None = None, *, title: str = "", summary: str = "",
             params: Mapping[str, Value | Param] | None = None) -> Callable[[Function], Function]: ...


def analysis(name: Any = None, *, title: str = "", summary: str = "", params: Any = None) -> Any:
    """Makes an analysis of a function: run.NAME(), also in analyze(), summary(), compare() and on the page.

    The function gets a Context and its parameters by name, and returns a Result, a table or several (stepscope.table), or
    a DataFrame. Its docstring, Markdown, is what explain() says. What it raises becomes a report that is "unavailable" and
    says what and where; stepscope.Unavailable says only why.

    name: the function's, if not given. title, summary: what lists show. params: defaults by name, as values or param();
    those that the signature has need not be named. Defining it again in the same module replaces it. Returns the function.

    Raises QuestionError where an analysis of this name exists, or what is declared does not fit the function.

        @stepscope.analysis
        def long_kernels(ctx, limit=1_000_000):
            ...
    """
    if callable(name):
        return analysis()(name)

    def added(function: Function) -> Function:
        from ._plugins import add

        add(declared(function, name, title, summary, params or {}))
        return function

    return added


def declared(function: Callable[..., Any], name: str | None, title: str, summary: str, params: Mapping[str, Any]) -> Own:
    """The analysis of a function. Raises QuestionError where parameters do not fit it."""
    key = name or function.__name__
    doc = inspect.cleandoc(function.__doc__ or "")
    shown = title or key.replace("_", " ").capitalize()
    return Own(function, key, shown, summary or shown, f"\n{doc or summary or shown}\n", _params_of(function, key, params))


def _params_of(function: Callable[..., Any], name: str, given: Mapping[str, Any]) -> dict[str, Param]:
    found = {key: one if isinstance(one, Param) else Param(one) for key, one in given.items()}
    signature = list(inspect.signature(function).parameters.values())
    if not signature or signature[0].kind not in (signature[0].POSITIONAL_ONLY, signature[0].POSITIONAL_OR_KEYWORD):
        raise QuestionError(f"the function of {name!r} takes no context", name, f"def {name}(ctx, ...)")
    takes_any = any(one.kind is one.VAR_KEYWORD for one in signature)
    taken = {one.name: one for one in signature[1:] if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)}
    for key, one in taken.items():
        if key in found:
            continue
        if one.default is one.empty:
            raise QuestionError(f"the parameter {key!r} has no default", name, f"params={{{key!r}: ...}}")
        found[key] = one.default if isinstance(one.default, Param) else Param(one.default)
    for key, one in found.items():
        if key not in taken and not takes_any:
            raise QuestionError(f"the function of {name!r} does not take the parameter {key!r}", name,
                                f"def {name}(ctx, {key})")
        if not isinstance(one.default, (int, float, str)):
            raise QuestionError(f"the default of {key!r} is no number, text or truth value", name, f"it is {one.default!r}")
    return found
