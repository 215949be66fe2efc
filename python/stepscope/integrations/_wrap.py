"""Puts recording around methods of other libraries' objects, without ever changing what they do."""
import functools
import sys
from typing import Any, Callable, Iterable, Iterator, Optional

Problem = Callable[[BaseException], None]


def quiet(method: Callable) -> Callable:
    """Lets no exception of a hook reach the training; `self.recording` reports it once."""
    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except Exception as error:
            self.recording.problem(error)
            return None
    return call


class Wrapped:
    """Stands for a method of one object: calls `before` with its arguments, the method, then `after` with its
    exception or None. Pickles wherever the three do."""

    def __init__(self, original: Callable, before: Callable, after: Callable, problem: Problem) -> None:
        functools.update_wrapper(self, original)
        self.original, self.before, self.after, self.problem = original, before, after, problem

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._tell(self.before, *args, **kwargs)
        try:
            result = self.original(*args, **kwargs)
        except BaseException as error:
            self._tell(self.after, error)
            raise
        self._tell(self.after, None)
        return result

    def _tell(self, hook: Callable, *args: Any, **kwargs: Any) -> None:
        try:
            hook(*args, **kwargs)
        except Exception as error:
            self.problem(error)


class Wraps:
    """The methods that were wrapped, to put them back."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._made: list = []

    def put(self, owner: Any, name: str, before: Callable, after: Callable) -> bool:
        """Wraps the method `name` of the object `owner`. Returns whether there is one."""
        original = getattr(owner, name, None)
        if original is None:
            return False
        if isinstance(original, Wrapped):
            return True
        wrapped = Wrapped(original, before, after, self._problem)
        self.replace(owner, name, wrapped)
        return True

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Sets an attribute of one object, past its class's checks of assignments."""
        self._made.append((owner, name, value, vars(owner).get(name)))
        object.__setattr__(owner, name, value)

    def undo(self) -> None:
        """Puts back what is still as it was set."""
        made, self._made = self._made, []
        for owner, name, value, before in reversed(made):
            if vars(owner).get(name) is not value:
                continue
            if before is None:
                object.__delattr__(owner, name)
            else:
                object.__setattr__(owner, name, before)


class TimedIterable:
    """An iterable whose iterators call `begin`, fetch an item, and call `end` with whether there was one. Neither
    may raise."""

    def __init__(self, items: Iterable, begin: Callable[[], None], end: Callable[[bool], None]) -> None:
        self._items, self._begin, self._end = items, begin, end

    def __iter__(self) -> "TimedIterator":
        return TimedIterator(iter(self._items), self._begin, self._end)


class TimedIterator:
    """An iterator of a TimedIterable."""

    def __init__(self, items: Iterator, begin: Callable[[], None], end: Callable[[bool], None]) -> None:
        self._items, self._begin, self._end = items, begin, end

    def __iter__(self) -> "TimedIterator":
        return self

    def __next__(self) -> Any:
        self._begin()
        try:
            item = next(self._items)
        except BaseException:
            self._end(False)
            raise
        self._end(True)
        return item


def find_in_callers(name: str, wanted: Callable[[Any], bool], depth: int = 16) -> Optional[Any]:
    """Returns the nearest caller's local variable of that name which is `wanted`; None if there is none."""
    frame = sys._getframe(1)
    for _ in range(depth):
        frame = frame.f_back
        if frame is None:
            return None
        if name in frame.f_code.co_varnames:
            value = frame.f_locals.get(name)
            if value is not None and wanted(value):
                return value
    return None
