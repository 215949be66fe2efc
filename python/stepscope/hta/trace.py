"""HTA's Trace: the events of each rank as a frame with HTA's columns."""
from __future__ import annotations

import gzip
import json
from typing import Any

from ..frames import pandas_for
from . import hta_rules, window
from .frame import EVENT_COLUMNS, set_times, trace_frame
from .source import Files, Source
from .symbols import SymbolTable

PHASE_COUNTER = "C"
DEFAULT_TRACE_DIR = "/tmp/trace"
STRICT = [False]  # what `strict` is where it is not given; install() sets it


class Trace:
    """The traces of a job, one per rank.

    Times are microseconds since the first event of all ranks. `name` and `cat` are numbers in symbol_table;
    decode_symbol_ids() adds their texts. `index` is the place of the event in `run.events(rank)`. parser_config is
    ignored: every event has all columns.

        t = Trace(trace_dir="traces/")
        t.load_traces()
        t.get_trace(0)
    """

    def __init__(self, trace_files: Files = None, trace_dir: str = DEFAULT_TRACE_DIR, parser_config: Any = None, *,
                 strict: bool | None = None) -> None:
        pandas_for("stepscope.hta")
        self.trace_path = trace_dir
        self.source = Source(trace_files, trace_dir)
        self.strict = STRICT[0] if strict is None else strict
        self.trace_files = self.source.files
        self._symbols = SymbolTable()
        self.meta_data: dict[int, dict[str, Any]] = {}
        self.is_parsed = False
        self.min_ts: float = 0
        self._include_last = False
        self._windowed = False
        self._frames: dict[int, Any] | None = None
        self._origin = 0

    @property
    def symbol_table(self) -> SymbolTable:
        """The numbers of names and categories in the frames."""
        _ = self.traces  # which fills it
        return self._symbols

    @property
    def traces(self) -> dict[int, Any]:
        """The frame of each rank; read when first asked for."""
        if self._frames is None:
            self._frames = self._read()
        return self._frames

    @traces.setter
    def traces(self, frames: dict[int, Any]) -> None:
        self._frames = frames

    def parse_traces(self, max_ranks: int = -1, use_multiprocessing: bool = True,
                     use_memory_profiling: bool = True) -> None:
        """Prepares the frames with every event, of the first max_ranks ranks (-1: all).

        The other arguments are HTA's and change nothing.
        """
        if max_ranks != -1:
            self.trace_files = {rank: self.source.files[rank] for rank in self.source.ranks[:max_ranks]}
        self._frames, self._windowed = None, False
        self.is_parsed = True

    def load_traces(self, include_last_profiler_step: bool | None = False, use_multiprocessing: bool = True,
                    use_memory_profiling: bool = True) -> None:
        """Prepares the frames without the last profiler step and device activities without a launch."""
        self.align_and_filter_trace(include_last_profiler_step)
        self.is_parsed = True

    def align_and_filter_trace(self, include_last_profiler_step: bool | None = False) -> None:
        """Leaves out the last profiler step, unless it is asked for, and device activities without a launch."""
        self._frames, self._windowed, self._include_last = None, True, bool(include_last_profiler_step)

    def _read(self) -> dict[int, Any]:
        frames = {rank: self._events(rank) for rank in self.trace_files}
        frames = {rank: frame for rank, frame in frames.items() if (frame["cat"] >= 0).any()}
        if self.strict:
            frames = {rank: hta_rules.as_parsed(frame, self._symbols) for rank, frame in frames.items()}
        self._origin = origin = min((_first_start(frame) for frame in frames.values()), default=0)
        self.min_ts = origin // 1000 if origin % 1000 == 0 else origin / 1000
        if self._windowed and len(window.step_numbers(frames.values(), self._symbols)) > 1:
            frames = {rank: self._inside(frame) for rank, frame in frames.items()}
        return {rank: set_times(frame, origin) for rank, frame in frames.items()}

    def _inside(self, frame: Any) -> Any:
        rule = hta_rules.inside if self.strict else window.inside
        return rule(frame, self._symbols, self._include_last)

    def whole(self, rank: int) -> Any:
        """Returns all events of a rank, those that get_trace() leaves out too, on the same clock."""
        _ = self.traces  # which set the clock
        return set_times(self._events(rank), self._origin)

    def _events(self, rank: int) -> Any:
        return trace_frame(self.source.events(rank, EVENT_COLUMNS), self._symbols)

    def get_ranks(self) -> list[int]:
        """Returns the ranks that were read, ascending."""
        return sorted(self.trace_files)

    def get_trace(self, rank: int) -> Any:
        """Returns the frame of a rank. Raises ValueError where there is none."""
        if rank not in self.traces:
            self.source.checked([rank])
            raise ValueError(f"the trace of rank {rank} has no events")
        return self.traces[rank]

    def get_all_traces(self) -> dict[int, Any]:
        """Returns the frames by rank."""
        return self.traces

    def get_iterations(self, rank: int | None = None) -> list[int]:
        """Returns the profiler steps that events of a rank (None: the first) belong to."""
        frame = self.traces.get(self._first(rank))
        return sorted(int(i) for i in frame["iteration"].unique() if i >= 0) if frame is not None else []

    def get_trace_duration(self, rank: int | None = None) -> float:
        """Returns the time from the first event's start to the last one's, in microseconds."""
        ts = self.get_trace(self._first(rank))["ts"]
        return ts.max() - ts.min()

    def _first(self, rank: int | None) -> int:
        return rank if rank is not None else next(iter(self.get_ranks()), -1)

    def decode_symbol_ids(self, use_shorten_name: bool = True) -> None:
        """Adds the columns s_name and s_cat to all frames, with short names unless told otherwise."""
        for frame in self.traces.values():
            decode(frame, self.symbol_table, use_shorten_name)

    def get_raw_trace_for_one_rank(self, rank: int = 0) -> dict[str, Any]:
        """Returns the file of a rank as Python has it. Raises ValueError where there is none."""
        self.source.checked([rank])
        path = self.trace_files[rank]
        with gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb") as file:
            return json.loads(file.read())

    def write_raw_trace(self, output_file: str, trace_contents: dict[str, Any]) -> None:
        """Writes a trace as compressed JSON."""
        with gzip.open(output_file, "wt", compresslevel=5) as file:
            json.dump(trace_contents, file)

    def convert_time_series_to_events(self, series: Any, counter_name: str, counter_col: str) -> list[dict[str, Any]]:
        """Returns counter events for a trace, one per row of a frame with ts, pid and the column counter_col.

        A column `name` names each counter, a column `id` tells counters of one name apart.
        """
        names = series["name"].tolist() if "name" in series.columns else [counter_name] * len(series)
        events = [{"ph": PHASE_COUNTER, "name": name, "pid": pid, "ts": ts + self.min_ts, "args": {counter_name: value}}
                  for name, pid, ts, value in zip(names, series["pid"].tolist(), series["ts"].tolist(),
                                                  series[counter_col].tolist())]
        for event, number in zip(events, series["id"].tolist() if "id" in series.columns else ()):
            event["id"] = number
        return events


def _first_start(frame: Any) -> int:
    return int(frame.loc[frame["cat"] >= 0, "start_ns"].min())


def decode(frame: Any, symbols: SymbolTable, short: bool) -> None:
    """Adds the texts of the columns name, cat and user_annotation that a frame has."""
    for column in ("name", "cat", "user_annotation"):
        if column in frame.columns and frame[column].dtype.kind == "i":
            frame[f"s_{column}"] = symbols.texts(frame[column], short)


__all__ = ["DEFAULT_TRACE_DIR", "PHASE_COUNTER", "Trace", "decode"]
