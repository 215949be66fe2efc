"""Profiles the steps of a window with a profiler that writes files itself: that of JAX or TensorFlow."""
from types import TracebackType
from typing import Any, Iterable, Iterator, Optional, Type

from stepscope.profiler._problems import problem, quietly
from stepscope.profiler._sessions import Sessions
from stepscope.profiler._steps import Windows


class Traces:
    """Starts and stops the profiler around the steps of a window. No method raises.

    profiler: has start(folder), stop(), mark(step), a context manager, and wait(), for the device.
    """

    def __init__(self, sessions: Sessions, windows: Windows, profiler: Any) -> None:
        self._sessions, self._windows, self._profiler = sessions, windows, profiler
        self._recording = False
        self._mark: Any = None

    @property
    def files(self) -> list:
        """The files that are kept so far, oldest first."""
        return self._sessions.files

    def wait(self, seconds: float = 60.0) -> bool:
        """Returns whether all windows so far were written, or given up, within so long."""
        return self._sessions.wait(seconds)

    def __enter__(self) -> "Traces":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def step(self, number: int) -> None:
        """Says that the step `number` begins."""
        place = self._windows.place(number)
        if self._recording or place == 0:
            self._step(number, place)

    def over(self, items: Iterable, first_step: int = 0) -> Iterator[Any]:
        """Returns `items`, each of which is a step, numbered from `first_step`."""
        try:
            for number, item in enumerate(items, first_step):
                self.step(number)
                yield item
        finally:
            self.close()

    @quietly
    def close(self) -> None:
        """Ends the window that is open, as a shorter one."""
        if self._recording:
            self._stop()

    @quietly
    def _step(self, number: int, place: Optional[int]) -> None:
        self._end_mark()
        if self._recording and (place is None or place <= 0):
            self._stop()
        if place == 0:
            self._start()
        if self._recording:
            self._mark = self._profiler.mark(number)
            self._mark.__enter__()

    def _start(self) -> None:
        self._wait()
        folder = self._sessions.begin()
        try:
            self._profiler.start(folder)
        except BaseException as error:
            self._sessions.drop()
            if not isinstance(error, Exception):
                raise
            problem("these steps are not profiled: {}".format(error))
            return
        self._recording = True

    def _stop(self) -> None:
        self._end_mark()
        self._recording = False
        self._wait()
        try:
            self._profiler.stop()
        except BaseException as error:
            self._sessions.drop()
            if not isinstance(error, Exception):
                raise
            problem("the profile of these steps is lost: {}. A disk may be full, or another profiler ran at the same time, "
                    "such as a capture from outside".format(str(error)[:300] or type(error).__name__))
            return
        self._sessions.end()

    def _wait(self) -> None:
        try:
            self._profiler.wait()
        except Exception as error:  # of the computation: the program's own next call raises it
            problem("cannot wait for the device: {}: {}".format(type(error).__name__, str(error)[:300]))

    def _end_mark(self) -> None:
        mark, self._mark = self._mark, None
        if mark is not None:
            mark.__exit__(None, None, None)
