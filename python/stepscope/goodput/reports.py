"""report(): what `stepscope goodput analyze` says, as objects. The extension module comes with the first call."""
from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
import tempfile
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Tuple, Union

if TYPE_CHECKING:
    from stepscope.report import Reports
    from stepscope.run import Progress

Time = Union[float, int, str, datetime.datetime]


def report(events: Any = None, *, store: Optional[str] = None, job: Optional[str] = None,
           at: Optional[Time] = None, window: Optional[Tuple[Time, Time]] = None,
           exclude: Sequence[Tuple[Time, Time]] = (), mode: str = "partition",
           progress: Callable[[Progress], object] | bool | None = None, **options: Any) -> Reports:
    """Returns the reports of `stepscope goodput analyze` by name: "goodput", and with more input
    "productivity", "chip_hours" and others.

    Args:
      events: a file of events or a recorder's directory, or several of them; a Recorder; an object with read()
        that holds a file of events; or entries of ml-goodput-measurement's log as dicts.
      store: instead of events, a ledger: a directory or a postgresql:// address.
      job: its name, if there are several.
      at: end of a running job. Times are datetimes (local time without a zone) or seconds since 1970.
      window: count only the time from the first to the second.
      exclude: leave out these times.
      mode: "partition", or "ml-goodput" for the numbers of ml-goodput-measurement.
      progress: of reading `traces`; as in stepscope.open().
      options: all others of `stepscope goodput analyze`: price_per_chip_hour=2.5, scheduler=["sacct.txt"],
        traces=["traces/"].

    Raises:
      QuestionError, a ValueError: the input has no events or is a URL, or an option is wrong; the message says what to
        try.
      InputError, an OSError: a file cannot be read.

    Ctrl-C stops it.

    Example:
        answer = report("goodput/", job="llm-7b")["goodput"]
        print(answer.metrics["goodput_ratio"], answer.df("buckets"))
    """
    from stepscope import _core
    from stepscope.progress import shown_progress
    from stepscope.report import Reports
    from stepscope.run import Progress

    with words_of(events, dict(options, store=store, job=job, mode=mode, at=at, window=window,
                               exclude=exclude)) as words, shown_progress(progress) as told:
        callback = None if told is None else lambda *numbers: told(Progress(*numbers))
        return Reports(_core.goodput([os.fsencode(word) for word in words], callback))


@contextlib.contextmanager
def words_of(events: Any, options: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yields what report() was asked as words of the command line; entries are in a file of their own meanwhile."""
    window, at = options.get("window"), options.get("at")
    for value in options.values():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(one, (str, os.PathLike)):
                _path(one)  # no URL, in none of them
    given = dict(options, at=None if at is None else _time(at), window=None if window is None else _interval(window),
                 exclude=[_interval(pair) for pair in options.get("exclude") or ()])
    words = list(_arguments(given))
    if events is None:
        yield words
        return
    with _paths_of(events) as files:
        yield [*_flags("events", files), *words]


def _time(when: Time) -> str:
    return repr(when.timestamp()) if isinstance(when, datetime.datetime) else str(when)


def _interval(pair: Tuple[Time, Time]) -> str:
    return "..".join(map(_time, pair))


def _arguments(options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        if value is None or value is False:
            continue
        if value is True:
            yield _flag(name)
        else:
            yield from _flags(name, value if isinstance(value, (list, tuple)) else [value])


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _flags(name: str, values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        text = os.fsdecode(value) if isinstance(value, (os.PathLike, bytes)) else str(value)
        if text.startswith("-"):  # "-5h" is no option
            yield f"{_flag(name)}={text}"
        else:
            yield from (_flag(name), text)


@contextlib.contextmanager
def _paths_of(events: Any) -> Iterator[list[Any]]:
    """Yields paths of the events; entries and what objects give are in files of their own meanwhile."""
    events = getattr(events, "directory", events)
    single = isinstance(events, (str, os.PathLike, dict)) or hasattr(events, "read")
    events = [events] if single else list(events)
    paths = [_path(e) for e in events if not isinstance(e, dict) and not hasattr(e, "read")]
    entries = [e for e in events if isinstance(e, dict)]
    contents = [_bytes_of(e) for e in events if hasattr(e, "read")]
    if entries:
        contents.append("".join(json.dumps(entry) + "\n" for entry in entries).encode())
    if not contents:
        yield paths
        return
    with tempfile.TemporaryDirectory(prefix="stepscope-") as folder:
        for number, content in enumerate(contents):
            paths.append(os.path.join(folder, "events{}.jsonl".format(number)))
            with open(paths[-1], "wb") as file:
                file.write(content)
        yield paths


def _bytes_of(given: Any) -> bytes:
    content = given.read()
    return content.encode() if isinstance(content, str) else content


def _without_credentials(url: str) -> str:
    return re.sub(r":/+[^/]*@", "://", url.partition("?")[0])


def _path(given: Any) -> Any:
    text = os.fspath(given)
    if isinstance(text, str) and re.match(r"(?!postgres(ql)?:)[a-z][a-z0-9+.-]*:/", text, re.I) and not os.path.exists(text):
        from stepscope.errors import QuestionError

        raise QuestionError("report() reads files of this machine, not URLs", _without_credentials(text),
                            "give a path, or events as an object with read(), such as fsspec.open(url).open()")
    return given
