"""Opens traces and asks questions about them."""
from __future__ import annotations

import glob as _glob
import os
from contextlib import contextmanager
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, BinaryIO, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence, Union

from . import _core, analyses as all_analyses, frames
from ._asking import Params, Ranks, Steps, names_of, near_hint, params_of, ranks_of, steps_text
from ._methods import Analyses
from .errors import InputError, QuestionError, UseError
from .events import Events, Recorded, chosen
from .progress import shown_progress
from .report import Report, Reports
from .sql import Rows, ask

Path = Union[str, "os.PathLike[str]"]
Input = Union[str, "os.PathLike[str]", BinaryIO]

MOST_NAMES = 10_000  # in a table, as the core has it


class Progress(NamedTuple):
    """How far opening has come. bytes_done and bytes_total are of the files as they are on disk."""

    bytes_done: int
    bytes_total: int
    files_done: int
    files_total: int


class Run(Analyses):
    """The traces of one training run, opened by stepscope.open().

    Every analysis is a method: `run.comm_overlap()`, `run.idle_time(steps="3..7", ranks=[0, 1])`; so are your own
    (stepscope.analysis). A run may be used by
    several threads, one at a time; others wait for their turn. It cannot be used in a process that was forked since.
    Used in `with`, it is closed at the end.

        with stepscope.open("traces/") as run:
            print(run.stragglers().headline)
    """

    def __init__(self, core: Any, paths: list[str], storage: Any = None,
                 limits: tuple[int, int] = (0, MOST_NAMES)) -> None:
        self._core = core
        self._paths = paths
        self._storage = storage  # of those that are not paths
        self._limits = limits    # max_input and most_names, which a page of the run has too
        self._name = core.name
        self._recorded = Recorded(core, partial(letting_through, storage))

    @property
    def name(self) -> str:
        """What a person would call the run: the name of its directory or file."""
        return self._name

    @property
    def ranks(self) -> list[int]:
        """The ranks that were read, ascending."""
        return self._core.ranks

    @property
    def files(self) -> list[dict[str, Any]]:
        """What was offered as input and what became of it.

        Each has path, rank (None: not used), window, events, device_events, bytes (on disk) and problem ("" where it
        was read to its end without complaint).
        """
        return self._core.files

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._core.closed

    def analyze(self, only: str | Iterable[str] | None = None, *, steps: Steps = "all", ranks: Ranks = None,
                params: Params | None = None) -> Reports:
        """Runs these analyses, or all, and returns their reports by name.

        steps: "all", "complete", a number (7), a range ("3..7") or some ([3, 5]). ranks: only these. params:
        {"idle_time.long_wait": 2_000_000}; times are in ns, or text with a unit ("2ms").

        Raises QuestionError for a name, step, rank or parameter that there is none of, UseError for a closed run. An
        analysis that lacks its input does not raise: its status is "unavailable", and why says what is missing.
        """
        names = names_of(only, "`only`")
        _check_names(names)
        return Reports(self._core.analyze(names, steps_text(steps), ranks_of(ranks), params_of(params)))

    def report(self, name: str, *, steps: Steps = "all", ranks: Ranks = None,
               params: Params | None = None) -> Report:
        """Runs one analysis. The arguments are those of analyze().

            run.report("idle_time", params={"idle_time.long_wait": "2ms"}).df("idle_waits")
        """
        return next(iter(self.analyze([name], steps=steps, ranks=ranks, params=params).values()))

    def summary(self, *, steps: Steps = "all", ranks: Ranks = None) -> Reports:
        """Runs all analyses; shown, it is the first screen: the verdict, what to change first, where a step goes."""
        return Reports(self._core.analyze([], steps_text(steps), ranks_of(ranks), []), extent="screen")

    def events(self, rank: int | Iterable[int] | None = 0, columns: Iterable[str] | None = None,
               kind: str | Iterable[str] | None = None, step: Steps = None) -> Events:
        """Every event of a rank as columns; the first call for a rank reads its files again, unless the run was opened
        with events=True.

        rank: one, several ([0, 1]), or None for all. Of several, events are rank after rank, the column rank tells them
        apart, and each name stands once for all. As many ranks are read at once as there are processors; what was read
        is kept for the next call, of the ranks that were asked for last, up to 32 million events of about 36 bytes.
        columns: without, rank, name, kind, start, duration (ns), device, stream, thread, step. Others are index, end,
        process, thread_name, correlation, bytes, depth, and the links launch, operator and parent, which are the index
        of another event of the same rank; stepscope.events.column_names() lists all. kind: "compute", "communication",
        "memcpy", "memset", "runtime", "operator", "annotation", "python", ...; "kernel" is the first two, "device" the
        first four; or several. step: only events of this step, or of these (5, "5..6", [5, 6]), step after step; those of a
        device belong to the step that launched them.

        Times are ns on the clock of the trace. The trace's own categories and arguments that no analysis reads are not
        kept. Raises QuestionError for what there is none of, InputError where the files are gone.

            run.events(0, ["name", "start", "duration", "operator"], kind="kernel").df()
            run.events(None, ["rank", "name", "duration"], kind="kernel").df().groupby(["rank", "name"], observed=True).sum()
        """
        return chosen((events.get for events in self._recorded.of(rank)), columns, kind, step)

    def sql(self, statement: str, *, memory: int = 0, timeout: float = 0) -> Rows:
        """The answer of DuckDB to one SELECT about events and the tables of reports; docs/query.md has them.

        memory: most bytes of DuckDB's own. timeout: seconds. The run was opened for all analyses that the statement needs.
        Raises QuestionError for what cannot be answered, and where DuckDB is missing: pip install duckdb.

            run.sql("SELECT name, sum(duration) AS total FROM kernels GROUP BY name ORDER BY total DESC").df()
        """
        return ask(self._core, statement, memory, timeout)

    def timeline(self, *, ranks: Ranks = None, step: Steps = None) -> Any:
        """A figure of Plotly: what devices did over time, on one clock as far as collectives tell how clocks differ.

        ranks: these, or all. Up to 8 have a row for each stream; of more, each is one row, in which communication shows
        where no compute is above it. step: only this one, or these ("5..6", [5, 6]). Activities closer than a
        pixel are one box. Each rank's
        files are read again, one rank after another, unless the run was opened with events=True. Raises MissingLibrary without Plotly, and what events() raises.

            run.timeline(ranks=[0, 1], step=5)
        """
        frames.imported("plotly", "a figure", "plotly")
        from .figures.timeline import timeline

        return timeline(self, ranks_of(ranks) or self.ranks, step)

    def serve(self, *, port: int = 0, most_rows: int | None = None) -> Any:
        """Serves the page on 127.0.0.1 until the returned Page is closed; its url is what to open in a browser.

        port: 0 is any that is free. most_rows: rows of a table that the page gets, without it the first 20,000; 0 is all.
        The server reads the files again, on threads of this process.
        """
        from .page import Page

        if self.closed:
            raise UseError("the run is closed", "", "open it again with stepscope.open()")
        if most_rows is not None and not (_is_count(most_rows) and 0 <= most_rows <= 10**12):
            raise QuestionError("the number of rows must be 0 to 1e12", "`most_rows`", "most_rows=0 keeps all")
        return Page(_core.serve(list(map(os.fsencode, self._paths)), self._storage, "127.0.0.1", port, "", 0, [],
                                *self._limits, None if most_rows is None else int(most_rows)))

    def show(self, *, width: int | str = "100%", height: int = 720, most_rows: int | None = None) -> Any:
        """Serves the page, as serve() does, and shows it here: as a frame in a notebook, else in a browser. Returns the
        Page.
        """
        return self.serve(most_rows=most_rows).shown(width, height)

    def close(self) -> None:
        """Frees what was read. Reports and their tables stay; asking again raises UseError."""
        self._core.close()
        self._recorded.clear()
        self._storage = None

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return f"<stepscope.Run {self._name!r}, closed>"
        return f"<stepscope.Run {self._name!r}, {_counted(self.ranks, 'rank')}, {_counted(self.files, 'file')}>"

    def _repr_html_(self) -> str:
        from .html import run_html

        return run_html(self)

    if not TYPE_CHECKING:  # type checkers shall find what there is none of

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            hint = near_hint(name, all_analyses())
            raise AttributeError(f"a run has no analysis {name!r}{'; ' if hint else ''}{hint}")


def _check_names(names: list[str]) -> None:
    known = all_analyses()
    for name in names:
        if name not in known:
            raise QuestionError(f"there is no analysis {name!r}", "",
                                near_hint(name, known) or "stepscope.analyses() lists all")


def _counted(things: Sequence[Any], what: str) -> str:
    return f"{len(things):,} {what}{'' if len(things) == 1 else 's'}"


def open(paths: Input | Iterable[Input], *, threads: int = 0,
         groups: Mapping[str, str | Sequence[str]] | Path | None = None, params: Params | None = None,
         analyses: Iterable[str] | None = None, events: bool = False,
         storage_options: Mapping[str, Any] | None = None,
         progress: Callable[[Progress], object] | bool | None = None,
         max_input: int | None = None, most_names: int = MOST_NAMES) -> Run:
    """Reads the traces of one run.

    paths: a directory, a trace (.json, .json.gz, .xplane.pb, .sqlite), a glob ("traces/rank*.json.gz"), or several of these.
    A URL that fsspec reads, such as "s3://bucket/run/" or "gs://bucket/run/rank*.json.gz", stands for what a path would;
    it is read by ranges, and nothing is written to disk. An object with read() that gives bytes, such as an open file,
    is a trace; its `name`, if it has one, tells the rank. One that cannot seek is kept in memory while the run is open;
    one that can must stay open for what reads again: events(), timeline(), serve() and show().
    storage_options: of the URLs' file system, as {"anon": True} or {"endpoint_url": "http://localhost:9000"}.
    threads: to read with; 0 is one per processor. groups: patterns of kernel names for run.kernel_groups(), as
    {"all_to_all": ["*AllToAll*"]} or the path of a TOML file. params: of analyses, for all questions to this run.
    analyses: the names of those that will be asked for; only what they need is read then, and others raise QuestionError.
    events: True keeps every event while reading, about 20 bytes each, so that events() and timeline() read no file
    again.
    max_input: bytes that a compressed file may inflate to; None: 64 GB, and at most 1,000 times its size beyond 1 GB.
    One that has more is refused. most_names: of more names in a table, those with the most time stay, and a note sums up
    the others; 0 keeps all.
    progress: called with a Progress some times a second; by default it is shown in a terminal or notebook, False shows
    nothing.

    Raises MissingLibrary for a URL without fsspec or its protocol's library, InputError, an OSError, where no path leads to a trace; a file that cannot be read among others that can is
    listed in run.files with its problem. Raises QuestionError, a ValueError, for wrong parameters. Ctrl-C stops it.

        run = stepscope.open("traces/")
        run = stepscope.open(["rank0.json.gz", "rank1.json.gz"], groups={"fused": "*fused*"})
        run = stepscope.open("s3://bucket/run/", storage_options={"anon": True})
    """
    return opened(*resolved(paths, storage_options), threads=threads, groups=groups, params=params, analyses=analyses,
                  events=events, progress=progress, max_input=max_input, most_names=most_names)


def opened(found: list[str], storage: Any, *, threads: int = 0, groups: Any = None, params: Params | None = None,
           analyses: Iterable[str] | None = None, events: bool = False, progress: Any = None,
           max_input: int | None = None, most_names: int = MOST_NAMES) -> Run:
    """open() of what resolved() gave."""
    limits = _limits(max_input, most_names)
    with shown_progress(progress) as told:
        callback = None if told is None else lambda *numbers: told(Progress(*numbers))
        with letting_through(storage):
            core = _core.open([os.fsencode(path) for path in found], threads, groups_of(groups), params_of(params),
                              names_of(analyses, "`analyses`"), True, events, storage,
                              _stopping(storage, callback), *limits)
    return Run(core, found, storage, limits)


def _limits(max_input: int | None, most_names: int) -> tuple[int, int]:
    """As the core takes them: 0 stands for its own limit of input."""
    if max_input is not None and not (_is_count(max_input) and 1 <= max_input <= 10**18):
        raise QuestionError("the size must be 1 to 1e18 bytes", "`max_input`", "max_input=200 * 10**9")
    if not (_is_count(most_names) and 0 <= most_names <= 10**9):
        raise QuestionError("the number of names must be 0 to 1e9", "`most_names`", "most_names=0 keeps all")
    return int(max_input or 0), int(most_names)


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


@contextmanager
def letting_through(storage: Any) -> Iterator[None]:
    """What reads objects ends with the KeyboardInterrupt or SystemExit of their read(), whatever else came of it."""
    try:
        yield
    finally:
        if storage is not None:
            storage.raise_stopped()


def _stopping(storage: Any, told: Callable[..., object] | None) -> Callable[..., object] | None:
    """A callback of progress that ends reading then, too: other files are not read to their ends."""
    if storage is None:
        return told

    def tell(*numbers: int) -> None:
        storage.raise_stopped()
        if told is not None:
            told(*numbers)

    return tell


def opened_for_numbers(paths: list[str], analyses: Iterable[str]) -> Run:
    """A run of which only tables of these analyses will be asked for: what findings alone need is not read."""
    return Run(_core.open([os.fsencode(path) for path in paths], 0, [], [], list(analyses), False, False, None, None), paths)


def resolved(paths: Any, storage_options: Mapping[str, Any] | None = None) -> tuple[list[str], Any]:
    """The names of what was given, and the Storage of those that are not paths, or None.

    "~" and globs are replaced by what they match. Raises InputError for a glob that matches nothing, QuestionError for
    what can be no input.
    """
    found: list[str] = []
    storage = None
    for one in given_paths(paths):
        text = None if hasattr(one, "read") else text_of(one)
        if text is not None and not is_url(text):
            found += _matches(text)
            continue
        if storage is None:
            from .storage import Storage  # imported where it is used: most inputs are paths

            storage = Storage()
        found += [storage.add_object(one)] if text is None else storage.add_url(text, storage_options or {})
    return found, storage


def is_url(text: str) -> bool:
    """Whether it is no path of this machine."""
    return "://" in text and not os.path.lexists(text)


def given_paths(paths: Any) -> list[Any]:
    """What was given, one or several, as a list."""
    if isinstance(paths, (str, os.PathLike)) or hasattr(paths, "read"):
        return [paths]
    if not hasattr(paths, "__iter__") or isinstance(paths, (bytes, bytearray)):
        raise QuestionError(f"cannot open {type(paths).__name__!r}", "`paths`",
                            "give a path, a URL, an object with read(), or a list of these")
    return list(paths)


def text_of(path: Any) -> str:
    """A path or a URL as text, without what stands for the home directory."""
    try:
        text = os.fsdecode(path)
        if text.startswith("file://"):
            return text[len("file://"):]
        return text if is_url(text) else os.path.expanduser(text)
    except TypeError:
        raise QuestionError(f"cannot open {type(path).__name__!r}", "`paths`", "give paths as text") from None


def _matches(path: str) -> list[str]:
    if os.path.lexists(path) or not _glob.has_magic(path):
        return [path]
    matches = sorted(_glob.glob(path, recursive=True))
    if not matches:
        raise InputError(f"no file matches {path!r}", "`paths`", "check the pattern, or give a directory")
    return matches


def groups_of(groups: Any) -> list[tuple[str, list[str]]]:
    """Groups of kernels as the core has them, from a mapping or a TOML file."""
    if groups is None:
        return []
    if isinstance(groups, (str, os.PathLike)):
        return _core.read_groups(os.fsencode(groups))
    return [(name, [patterns] if isinstance(patterns, str) else list(patterns)) for name, patterns in groups.items()]
