"""Adds analyses of one's own to the core, calls them when it asks, and loads the files of --plugin."""
from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import os
import sys
import traceback
from typing import Any

from . import _core, _methods, analyses
from .errors import Error, QuestionError
from .own import Own, OwnTable, Result, Unavailable, table
from .run import Run

_owns: dict[str, Own] = {}
_LINES = 12  # of a traceback that are shown


def add(own: Own) -> None:
    """Adds it, in place of one of the same name and module. Raises QuestionError where it cannot be."""
    before = _owns.get(own.name)
    if before is not None and before.function.__module__ != own.function.__module__:
        raise QuestionError(f"there is an analysis {own.name!r} already, of {before.function.__module__}", own.name,
                            "give it another name")
    if before is None and own.name not in analyses() and hasattr(Run, own.name):
        raise QuestionError(f"a run has {own.name!r} already", own.name, "choose another name")
    params = [{"name": key, "type": _type(one.default), "default": _default(one.default), "unit": one.unit,
               "message": one.help or key.replace("_", " ")} for key, one in own.params.items()]
    _core.add_plugin(own.name, own.title, own.summary, own.doc, params)
    _owns[own.name] = own
    _methods.add_method(_core.explain(own.name))


def remove(name: str) -> None:
    """Forgets the analysis of this name, if there is one."""
    if _owns.pop(name, None) is not None and _core.remove_plugin(name):
        _methods.remove_method(name)


def _type(default: Any) -> str:
    return "text" if isinstance(default, (bool, str)) else "integer" if isinstance(default, int) else "number"


def _default(default: Any) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default)


def answer(name: str, view: Any, values: dict[str, Any]) -> dict[str, Any]:
    """What the analysis says, as the core takes it; {"error": (what, where, hint)} where it failed."""
    from .context import Context

    own = _owns.get(name)
    if own is None:
        return {"error": ("the analysis was removed", "", "")}
    try:
        typed = {key: _typed(own.params[key].default, value, key) for key, value in values.items()}
        return _described(own.function(Context(view), **typed))
    except Unavailable as error:
        return {"error": (str(error) or "its input is missing", "", "")}
    except (Exception, SystemExit) as error:
        return {"error": _failure(error, own)}


def _typed(default: Any, value: Any, key: str) -> Any:
    """The value of a parameter; truth values come as text."""
    if not isinstance(default, bool):
        return value
    known = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if str(value).lower() not in known:
        raise QuestionError(f"{value!r} is not true or false", key)
    return known[str(value).lower()]


def _failure(error: BaseException, own: Own) -> tuple[str, str, str]:
    """What, where in the file of the function, and what to try."""
    source = own.function.__code__.co_filename if hasattr(own.function, "__code__") else ""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if frame.filename == source]
    what = error.what if isinstance(error, Error) else "".join(traceback.format_exception_only(type(error), error)).strip()
    told = [error.where] if isinstance(error, Error) and error.where else []
    if inside:
        file = os.path.basename(source)
        told.append(f"line {inside[-1].lineno} of " + (file if file.endswith(".py") and "ipykernel" not in source else own.name))
    return what, ", ".join(told), error.hint if isinstance(error, Error) else ""


def _described(made: Any) -> dict[str, Any]:
    result = made if isinstance(made, Result) else Result(tables=made)
    return {"headline": str(result.headline), "metrics": [_metric(key, one) for key, one in result.metrics.items()],
            "tables": [_table(one) for one in _tables(result.tables)],
            "series": [vars(one) for one in result.curves], "findings": [vars(one) for one in result.findings],
            "notes": [str(one) for one in ([result.notes] if isinstance(result.notes, str) else result.notes)]}


def _tables(given: Any) -> list[OwnTable]:
    if given is None:
        raise QuestionError("the function returned nothing", "", "return a table, a DataFrame or stepscope.Result(...)")
    if isinstance(given, OwnTable):
        return [given]
    if isinstance(given, (list, tuple)) and all(isinstance(one, OwnTable) for one in given):
        return list(given)
    return [table("rows", given)]


def _table(one: OwnTable) -> dict[str, Any]:
    return {"key": one.key, "title": one.title, "bars": one.bars, "columns": [vars(column) for column in one.columns],
            "rows": list(zip(*one.values))}


def _metric(key: str, given: Any) -> tuple[str, str, Any, str]:
    """(key, title, value, unit)."""
    parts = given if isinstance(given, tuple) else (given,)
    value, unit, title = [*parts, "", ""][:3]
    _core.check_word("unit", unit, f"metric {key!r}")
    cell = table(key, {key: [value]}, units={key: unit}).values[0][0]
    return key, title or key.replace("_", " "), cell, unit


def load(path: str) -> tuple[str, str, str] | None:
    """Loads the file of --plugin. Returns None, or what failed, where and what to try; a traceback goes to stderr."""
    if not os.path.isfile(path):
        return f"there is no file {path!r}", "--plugin", "give a Python file with a function under @stepscope.analysis"
    before = set(_owns)
    try:
        known = _import(os.path.realpath(path))
    except Error as error:
        return error.what, f"{path}: {error.where}" if error.where else path, error.hint
    except (Exception, SystemExit) as error:
        sys.stderr.write("".join(_last_lines(error)))
        return f"cannot load the plugin: {type(error).__name__}: {error}", path, "the lines above say where"
    if not known and set(_owns) == before:
        return "the file adds no analysis", path, "put @stepscope.analysis before a function"
    return None


def _import(path: str) -> bool:
    """Runs the file as a module of its own; what stands beside it can be imported. Whether it was loaded before."""
    name = "stepscope_plugin_" + hashlib.sha1(os.fsencode(path)).hexdigest()[:12]
    if name in sys.modules:
        return True
    spec = importlib.util.spec_from_file_location(name, path, loader=importlib.machinery.SourceFileLoader(name, path))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    folder = os.path.dirname(path)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return False


def _last_lines(error: BaseException) -> list[str]:
    """The end of the traceback, without frames of the import system and of this file."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if frame.filename != __file__ and "importlib" not in frame.filename]
    lines = [*traceback.format_list(frames), *traceback.format_exception_only(type(error), error)]
    return [line + "\n" for line in "".join(lines).splitlines()[-_LINES:]]
