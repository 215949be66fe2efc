"""The run behind HTA's objects: finds the files, opens them once, and hands out reports and events."""
from __future__ import annotations

import logging
import os
from typing import Any, Iterable, Mapping, Sequence, Union

logger = logging.getLogger("stepscope.hta")

# Analyses by what of the files they need: device activities, launches and annotations; operators too. All need call stacks,
# which takes about twice as long to read.
_LEVELS = (("temporal_breakdown", "comm_overlap", "kernel_breakdown", "idle_time", "user_annotations", "launch_stats",
            "queue_length", "memory_bandwidth"),
           ("operator_kernels", "kernel_sequences"))
_ALL = len(_LEVELS)
# Which take so little beside what they have in common that they are asked for together.
_TOGETHER = ("temporal_breakdown", "comm_overlap", "kernel_breakdown", "user_annotations", "idle_time")

Files = Union[Mapping[int, str], Sequence[str], None]


def trace_paths(trace_files: Files, trace_dir: str) -> list[str]:
    """Returns the files to read: those given, or all .json and .gz files directly in the directory.

    Relative names are those of files in the directory. A directory that does not exist has none, as in HTA.
    """
    folder = os.path.abspath(os.path.expanduser(trace_dir))
    if trace_files is not None:
        given = trace_files.values() if isinstance(trace_files, Mapping) else trace_files
        return [path if path.startswith(folder) else os.path.join(folder, path) for path in map(os.fspath, given)]
    if not os.path.isdir(folder):
        logger.warning("there is no directory %s: no trace is read", folder)
        return []
    found = sorted(name for name in os.listdir(folder) if name.endswith((".gz", ".json")))
    return [os.path.join(folder, name) for name in found] or [folder]


class Source:
    """One run, opened, with the ranks that the caller gave its files.

    Reports are asked for once: for each name, selection of steps and parameters. Files are read for the first level of
    analyses, and again with the first question for one that needs more.
    """

    def __init__(self, trace_files: Files = None, trace_dir: str = "/tmp/trace") -> None:
        self._paths = trace_paths(trace_files, trace_dir)
        _check(self._paths)
        self._level = 0
        self.run = _opened(self._paths, 0) if self._paths else None
        self.files = self._files(trace_files)
        self._reports: dict[Any, Any] = {}

    def _files(self, trace_files: Files) -> dict[int, str]:
        """The file of each rank; ranks are renamed where the caller gave them."""
        read = [f for f in self.run.files if f["rank"] is not None] if self.run is not None else []
        self._names = {f["rank"]: f["rank"] for f in read}
        if isinstance(trace_files, Mapping):
            wanted = {os.path.basename(os.fspath(path)): rank for rank, path in trace_files.items()}
            self._names = {f["rank"]: wanted[os.path.basename(f["path"])] for f in read}
            if len(self._names) < len(read):
                raise ValueError("several of the files in trace_files are of one rank: write each one's rank into its "
                                 'trace, as "distributedInfo": {"rank": 1}')
        return {self._names[f["rank"]]: f["path"] for f in sorted(read, key=lambda f: self._names[f["rank"]])}

    @property
    def ranks(self) -> list[int]:
        """The ranks that were read, ascending."""
        return sorted(self.files)

    def checked(self, ranks: Iterable[int] | None) -> list[int]:
        """Returns the ranks asked for; None is [0]. Raises ValueError for one that was not read."""
        asked = list(ranks or [0])
        for rank in asked:
            if rank not in self.files:
                there = ", ".join(map(str, self.ranks)) or "none"
                raise ValueError(f"there is no trace of rank {rank}: pass some of the ranks that were read: {there}")
        return asked

    def report(self, name: str, steps: str, params: Mapping[str, Any] | None = None,
               rank: int | None = None) -> Any:
        """Returns the report of an analysis for these steps, of all ranks or of one."""
        key = (name, steps, tuple(sorted((params or {}).items())), rank)
        if key not in self._reports:
            ranks = None if rank is None else [self.recorded(rank)]
            self._prepare(name)
            for one, report in self.run.analyze(_together(name, *key[1:]), steps=steps, ranks=ranks, params=params).items():
                self._reports[one, *key[1:]] = report
        return self._reports[key]

    def _prepare(self, name: str) -> None:
        needed = next((level for level, names in enumerate(_LEVELS) if name in names), _ALL)
        if needed > self._level:
            self.run.close()
            self._level, self.run = needed, _opened(self._paths, needed)

    def rows(self, name: str, table: str, steps: str, params: Mapping[str, Any] | None = None,
             rank: int | None = None) -> dict[str, list[Any]]:
        """Returns a table of a report by columns, with the caller's ranks; {} where the report has no answer."""
        if self.run is None:
            return {}
        report = self.report(name, steps, params, rank)
        if report.status == "unavailable":
            return {}
        columns = report.table(table).to_dict()
        if "rank" in columns:
            columns["rank"] = [self._names.get(rank, rank) for rank in columns["rank"]]
        return columns

    def events(self, rank: int, columns: Sequence[str]) -> Any:
        """Returns these columns of the events of a rank as a pandas DataFrame."""
        return self.run.events(self.recorded(rank), columns=list(columns)).df()

    def recorded(self, rank: int) -> int:
        """Returns what the run calls this rank."""
        return next(recorded for recorded, name in self._names.items() if name == rank)


def _check(paths: list[str]) -> None:
    for path in paths:
        if not (os.path.exists(path) and os.access(path, os.R_OK)):
            raise ValueError(f"cannot read the trace {path}: check trace_files and trace_dir")


def _together(name: str, steps: str, params: Any, rank: int | None) -> Sequence[str]:
    """What to ask for with an analysis. Annotations of all steps are asked for alone: they tell which steps count."""
    alone = name not in _TOGETHER or params or rank is not None or (name, steps) == ("user_annotations", "all")
    return (name,) if alone else _TOGETHER


def _opened(paths: list[str], level: int) -> Any:
    from ..run import opened_for_numbers

    return opened_for_numbers(paths, [] if level == _ALL else [name for names in _LEVELS[:level + 1] for name in names])
