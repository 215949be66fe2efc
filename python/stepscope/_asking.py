"""Reads what a user asks for: steps, ranks, names and parameters. What does not fit raises QuestionError.

Steps are named in one way everywhere: a number (7), a range ("3..7"), some ("3,5..7", [3, 5, 6], range(3, 8)) or all.
"""
from __future__ import annotations

import operator
import re
from typing import Any, Iterable, Mapping, Sequence, Union

from .errors import QuestionError

Steps = Union[int, str, Iterable[int], None]
Ranks = Union[int, Iterable[int], None]
Params = Mapping[str, Any]

_STEPS = "use all, a number such as 7, a range such as \"3..7\", or some: [3, 5, 6] or \"3,5..7\""
_LARGEST = 2**63


def steps_text(steps: Steps, where: str = "`steps`") -> str:
    """A choice of steps as the core reads it; None is all."""
    if steps is None:
        return "all"
    if isinstance(steps, str):
        return re.sub(r"\s*(,|\.\.)\s*", r"\1", steps.strip())
    if not hasattr(steps, "__iter__"):
        return str(_number(steps, "a step", where, _STEPS))
    some = [one if isinstance(one, str) else str(_number(one, "a step", where, _STEPS)) for one in steps]
    if not some:
        raise QuestionError("no step was asked for", where, _STEPS)
    return ",".join(some)


def ranges_of(steps: Steps, where: str) -> list[tuple[int, int]] | None:
    """The first and last step of each range that a choice names; None is all."""
    text = steps_text(steps, where)
    if text == "all":
        return None
    if text == "complete":
        raise QuestionError("events are not chosen by complete steps", where,
                            "give numbers: run.steps(steps='complete').df('steps') has them")
    found = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,18})(?:\.\.(\d{1,18}))?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise QuestionError(f"cannot read the step selection {text!r}", where, _STEPS)
        found.append((first, last))
    return found


def ranks_of(ranks: Ranks, where: str = "`ranks`") -> list[int]:
    """Ranks as a list; none are all."""
    if ranks is None:
        return []
    hint = "give a number such as 3, or several: [0, 3]"
    if hasattr(ranks, "__iter__") and not isinstance(ranks, (str, bytes)):
        return [_number(one, "a rank", where, hint) for one in ranks]  # type: ignore[union-attr]
    return [_number(ranks, "a rank", where, hint)]


def names_of(names: str | Iterable[str] | None, where: str) -> list[str]:
    """Names as a list; one may stand alone, None is none."""
    if isinstance(names, str) or names is None:
        return [names] if names else []
    hint = "give a name, or several: [\"name\", ...]"
    if not hasattr(names, "__iter__") or isinstance(names, bytes):
        raise QuestionError(f"{names!r} is not a name"[:200], where, hint)
    found = list(names)
    for one in found:
        if not isinstance(one, str):
            raise QuestionError(f"{one!r} is not a name"[:200], where, hint)
    return found


def params_of(params: Params | None) -> list[tuple[str, str]]:
    """Parameters as the core reads them."""
    if not isinstance(params, (Mapping, type(None))):
        raise QuestionError(f"{params!r} is not a mapping of parameters"[:200], "`params`",
                            "give {\"idle_time.long_wait\": \"2ms\"}")
    return [(str(name), _param_text(value)) for name, value in (params or {}).items()]


def near_hint(name: str, known: Sequence[str]) -> str:
    """"did you mean ...?", or "" where nothing is near. Near is what begins with the same three letters, too."""
    from . import _core

    near = _core.nearest_name(name, list(known))
    found = [near] if near else [one for one in known if len(name) > 2 and one.startswith(name[:3])][:3]
    return f"did you mean {' or '.join(map(repr, found))}?" if found else ""


def _param_text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _number(value: Any, what: str, where: str, hint: str) -> int:
    """A whole number, also one of NumPy."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or not -_LARGEST <= number < _LARGEST:
        raise QuestionError(f"{value!r} is not {what}"[:200], where, hint)
    return number
