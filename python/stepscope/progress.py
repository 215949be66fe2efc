"""Shows how far opening has come, in a terminal or a notebook."""
from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator

_SHOW_AFTER_S = 0.5


@contextmanager
def shown_progress(progress: Callable[[Any], object] | bool | None) -> Iterator[Callable[[Any], object] | None]:
    """What to call with each Progress: the caller's own function, or one that shows it; None shows nothing."""
    if callable(progress):
        yield progress
    elif progress is False or (progress is None and not _somebody_looks()):
        yield None
    else:
        line = _Line(_notebook_display())
        try:
            yield line.show
        finally:
            line.clear()


def _somebody_looks() -> bool:
    return _notebook_display() is not None or (sys.stderr is not None and sys.stderr.isatty())


def _notebook_display() -> Any:
    """IPython's module for display in a notebook's kernel, else None; asked without importing it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    import IPython.display

    return IPython.display


class _Line:
    """One line that is written again and again, from half a second on."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._handle: Any = None
        self._began = time.monotonic()
        self._shown = False

    def show(self, progress: Any) -> None:
        if time.monotonic() - self._began < _SHOW_AFTER_S:
            return
        share = progress.bytes_done / progress.bytes_total if progress.bytes_total else 0.0
        self._write(f"reading {progress.files_done} of {progress.files_total} files, {min(share, 1):.0%}")

    def clear(self) -> None:
        if self._shown:
            self._write("")

    def _write(self, text: str) -> None:
        self._shown = True
        if self._display is None:
            sys.stderr.write("\r\033[K" + text)
            sys.stderr.flush()
        elif self._handle is None:
            self._handle = self._display.display(self._display.Pretty(text), display_id=True)
        else:
            self._handle.update(self._display.Pretty(text))
