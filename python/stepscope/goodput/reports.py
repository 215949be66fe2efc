"""report(): what `stepscope goodput analyze` says, as objects."""
import contextlib
import dataclasses
import datetime
import json
import os
import tempfile
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from stepscope.goodput._binary import analyze_goodput

Time = Union[float, int, str, datetime.datetime]


@dataclasses.dataclass
class Column:
    """A column of a table. `unit` is "ns", "ratio", "bytes", "count" or empty."""
    key: str
    title: str
    unit: str
    role: str


class Table:
    """Rows of a report. Times are ns, ratios 0 to 1, unknown values None."""

    def __init__(self, said: Mapping[str, Any]):
        self.key: str = said["key"]
        self.title: str = said["title"]
        self.columns: List[Column] = [Column(c["key"], c["title"], c["unit"], c["role"])
                                      for c in said["columns"]]
        self.rows: List[list] = said["rows"]

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> Dict[str, list]:
        """Returns the values by the key of their column."""
        return {column.key: [row[k] for row in self.rows] for k, column in enumerate(self.columns)}

    def df(self) -> Any:
        """Returns a DataFrame of pandas, or of Polars without it. Raises ImportError without both."""
        for name in ("pandas", "polars"):
            try:
                library = __import__(name)
            except ImportError:
                continue
            return library.DataFrame(self.to_dict())
        raise ImportError("df() needs pandas or Polars: pip install pandas")

    def __repr__(self) -> str:
        return "Table({!r}, {} rows: {})".format(self.key, len(self),
                                                 ", ".join(c.key for c in self.columns))


class Report:
    """One report. `status` is "ok", "partial" or "unavailable"; `why` says the reason of the latter two."""

    def __init__(self, said: Mapping[str, Any]):
        self.name: str = said["analysis"]
        self.title: str = said["title"]
        self.status: str = said["status"]
        self.why: str = said["why"]
        self.headline: str = said["headline"]
        self.metrics: Dict[str, Any] = {m["key"]: m["value"] for m in said["metrics"]}
        self.tables: Dict[str, Table] = {t["key"]: Table(t) for t in said["tables"]}
        self.series: List[Any] = said["series"]
        self.findings: List[Any] = said["findings"]
        self.notes: List[Any] = said["notes"]

    def table(self, key: str) -> Table:
        """Returns a table. Raises KeyError, which lists the tables there are."""
        if key not in self.tables:
            raise KeyError("report {!r} has no table {!r}; it has: {}".format(
                self.name, key, ", ".join(self.tables) or "none"))
        return self.tables[key]

    def df(self, key: Optional[str] = None) -> Any:
        """Returns a table, by default the first one, as a DataFrame."""
        if key is None and not self.tables:
            raise KeyError("report {!r} has no tables: {}".format(self.name, self.why))
        return self.table(next(iter(self.tables)) if key is None else key).df()

    def plot(self, key: Optional[str] = None, *, column: Optional[str] = None) -> Any:
        """Returns a figure of Plotly of a table, by default the first one; "segments" are the attempts over time.

        Raises ImportError without Plotly, KeyError where there is no such table.
        """
        from stepscope.plots import report_figure
        return report_figure(self, key, column)

    def __repr__(self) -> str:
        return "Report({!r}): {}".format(self.name, self.headline or self.why)


def report(events: Any = None, *, store: Optional[str] = None, job: Optional[str] = None,
           at: Optional[Time] = None, window: Optional[Tuple[Time, Time]] = None,
           exclude: Sequence[Tuple[Time, Time]] = (), mode: str = "partition",
           **options: Any) -> Dict[str, Report]:
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
      options: all others of `stepscope goodput analyze`: price_per_chip_hour=2.5, scheduler=["sacct.txt"].

    Raises:
      ValueError: the input has no events, is a URL, or an option is wrong; the message says what to try.
      FileNotFoundError: there is no binary `stepscope`.

    Example:
        answer = report("goodput/", job="llm-7b")["goodput"]
        print(answer.metrics["goodput_ratio"], answer.table("buckets").to_dict())
    """
    given = dict(options, store=store, job=job, mode=mode, at=None if at is None else _time(at),
                 window=None if window is None else _interval(window),
                 exclude=[_interval(pair) for pair in exclude])
    arguments = list(_arguments(given))
    if events is None:
        said = analyze_goodput(arguments)
    else:
        with _paths_of(events) as files:
            said = analyze_goodput([*_flags("events", files), *arguments])
    return {r["analysis"]: Report(r) for r in said["reports"]}


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
        yield _flag(name)
        yield os.fspath(value) if isinstance(value, os.PathLike) else str(value)


@contextlib.contextmanager
def _paths_of(events: Any) -> Iterator[List[Any]]:
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


def _path(given: Any) -> Any:
    if isinstance(given, str) and "://" in given and not os.path.exists(given):
        raise ValueError("events are read from files of this machine, not from {}: give a path, or an object with "
                         "read(), such as fsspec.open(url).open()".format(given.split("?")[0]))
    return given
