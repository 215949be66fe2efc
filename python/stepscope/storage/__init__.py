"""Where traces lie that are not paths: URLs of fsspec, and objects with read().

resolved() of run.py turns what a user gave into names that the core knows, and a Storage that reads them. Requests of the
core are answered on threads of Python, so that the core can give one up at once; they take the interpreter's lock as any
other.
"""
from __future__ import annotations

import atexit
import os
from typing import Any, Mapping

from .. import _core
from .answers import Threads, failure
from .objects import Object, held
from .urls import Urls

atexit.register(_core.end_of_python)


class Storage:
    """The places of one run. Each has find(name), list(name) and read(name, offset, size), safe to call on any thread."""

    def __init__(self) -> None:
        self._places: dict[str, Any] = {}
        self._threads = Threads(self)
        self._stopped: BaseException | None = None

    def raise_stopped(self) -> None:
        """Raises the KeyboardInterrupt or SystemExit with which an object's read() ended, once."""
        stopped, self._stopped = self._stopped, None
        if stopped is not None:
            raise stopped

    @property
    def roots(self) -> list[bytes]:
        """The names that were given; the core asks for these, and for what is below them."""
        return [os.fsencode(name) for name in self._places]

    def add_url(self, url: str, options: Mapping[str, Any]) -> list[str]:
        """Names of what a URL, or a glob of URLs, leads to."""
        found = Urls.of(url, options)
        for name in found.names:
            self._places[name] = found
        return found.names

    def add_object(self, given: Any) -> str:
        """The name of an object with read(): its own, or a number."""
        name = held(given, lambda name: name in self._places)
        self._places[name] = Object(name, given)
        return name

    def begin(self, request: Any) -> None:
        """Answers a request of the core later, on another thread."""
        self._threads.put(request)

    def answer(self, request: Any) -> None:
        """Answers a request of the core."""
        name = os.fsdecode(request.path)
        place = None
        try:
            place = self._place(name)
            if request.kind == "read":
                request.bytes(place.read(name, request.offset, request.size))
            elif request.kind == "list":
                request.listed(place.list(name))
            else:
                request.found(place.find(name))
        except BaseException as error:  # noqa: BLE001: whoever waits is to hear of it
            if not isinstance(error, Exception):
                self._stopped = error  # whoever opened it is to stop; see raise_stopped()
            request.failed(*failure(error, name, getattr(place, "advice", "")))

    def _place(self, name: str) -> Any:
        while name not in self._places and "/" in name:
            name = name.rpartition("/")[0]
        return self._places[name]
