"""The command `stepscope`: the program itself, which is inside the extension module."""
from __future__ import annotations

import os
import signal
import sys


def _load(path: str) -> tuple[str, str, str] | None:
    """Loads a file of --plugin; returns what failed, where and what to try, if anything did."""
    from ._plugins import load

    return load(path)


def _open(paths: list[bytes], options: list[bytes]) -> tuple[object, ...]:
    """Names of what paths and URLs lead to, and their storage; or what failed, where and what to try."""
    from .errors import Error
    from .run import resolved
    from .storage.options import read_options

    try:
        found, storage = resolved(list(map(os.fsdecode, paths)), read_options(map(os.fsdecode, options)))
    except Error as error:
        return error.what, error.where, error.hint
    return list(map(os.fsencode, found)), storage


def main() -> None:
    """Runs the command line as the plain binary does, and ends the process with its exit code."""
    # Python turns Ctrl-C into an exception and waits for a chance to raise it: the program just ends.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from . import _core

    if {"query", "export"} & set(sys.argv[1:2]):
        from . import _duckdb

        _duckdb.tell(_core)
    # Nothing of Python's is left to be done: ending at once takes no time.
    os._exit(_core.run_program([os.fsencode(word) for word in sys.argv[1:]], _load, _open))
