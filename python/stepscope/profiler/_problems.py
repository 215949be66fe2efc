"""Says what could not be done, once each, and keeps exceptions out of the training loop."""
import functools
import logging
from typing import Any, Callable

LOGGER = logging.getLogger("stepscope.profiler")

_MOST = 50
_told: set = set()


def problem(what: Any) -> None:
    """Logs a warning: a sentence as it is, an exception with its type."""
    text = what if isinstance(what, str) else "{}: {}".format(type(what).__name__, what)
    if text in _told or len(_told) >= _MOST:
        return
    _told.add(text)
    try:
        LOGGER.warning("stepscope: %s", text)
    except Exception:  # of the program's own handlers
        pass


def quietly(method: Callable) -> Callable:
    """A method of which no exception gets out: it returns None instead, with a warning."""
    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except Exception as error:
            problem(error)
            return None
    return call
