"""The recorder of a training job: what its methods take, and how a call becomes an event in a segment.

No call raises or takes a lock, so signal handlers may record too.
"""
import atexit
import dataclasses
import datetime
import itertools
import logging
import os
import sys
import time
import weakref
from typing import Any, Callable, Optional, Union

from stepscope.goodput._launch import (attempt_of, folder_of, job_of_team, labels_of,
                                       rank_of_process, remember)
from stepscope.goodput._segment import Kind, Tag, UNKNOWN, number_field, split_step, text_field
from stepscope.goodput._writer import Writer

__all__ = ["Kind", "Recorder"]

When = Union[datetime.datetime, float, None]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_MICROSECOND = datetime.timedelta(microseconds=1)
_MIN_BYTES, _MAX_BYTES = 64 << 10, 1 << 30


_CHECKPOINT_KINDS = {"save": Kind.CHECKPOINT_SAVE, "restore": Kind.CHECKPOINT_RESTORE,
                     "emergency_restore": Kind.CHECKPOINT_EMERGENCY_RESTORE}

# Names of the spans in Orbax's entries, in storage order.
_CHECKPOINT_SPANS = (
    ("checkpoint_manager_blocking", "checkpoint_manager"), ("checkpointer_blocking", "checkpointer"),
    ("wait_for_prev",), ("get_old_steps",), ("broadcast",))


def _nanoseconds(when):
    """Converts a datetime or seconds to ns since 1970. A datetime without a zone is local time."""
    if isinstance(when, datetime.datetime):
        if when.tzinfo is None:
            when = when.astimezone()
        return (when - _EPOCH) // _MICROSECOND * 1000
    return _from_seconds(when)


def _from_seconds(seconds):
    return round(float(seconds) * 1_000_000_000)


class Recorder:
    """Records events of one process. Times are datetimes (local time without a zone) or seconds since
    1970; the default is the time of the call. Calls return whether the event was recorded.

    Example:
        recorder = Recorder("llm-7b", enabled=rank == 0)
        recorder.record_job_start_time()
        recorder.record_step_start_time(17)
    """

    def __init__(self, job: str, *, enabled: bool = True, directory: Union[str, "os.PathLike[str]", None] = None,
                 attempt: Optional[str] = None, rank: Optional[int] = None, segment_bytes: int = 4 << 20,
                 heartbeat_s: float = 10.0, sync_s: float = 1.0,
                 on_problem: Optional[Callable[[str], Any]] = None, group_readable: bool = False):
        """Opens a segment in `directory`; never raises.

        Args:
          job: its name, the same in all processes and after restarts.
          enabled: whether this process records; otherwise every call does nothing.
          directory: for the files, created if missing; may be shared by all processes of a job. The
            default is $STEPSCOPE_GOODPUT_DIR, or ./stepscope-goodput.
          attempt: a name of this attempt; not needed.
          rank: of this process (default: from the environment of torchrun, Slurm, MPI or Kubernetes).
          segment_bytes: size of a file.
          heartbeat_s, sync_s: intervals in seconds; heartbeat_s 0: no heartbeats.
          on_problem: called once per problem with a sentence (default: log a warning).
          group_readable: whether the owner's group may read new files and directories; else only the owner may.
        """
        self.job = str(job)
        self._on_problem = on_problem
        self._problems = set()
        self._writer = None
        self._in_child = False
        self._enabled = bool(enabled)
        self.directory = folder_of(directory)
        if not self._enabled:
            return
        self._labels = labels_of(os.environ)
        self._options = {
            "directory": self.directory, "job": job_of_team(self.job, self._labels),
            "attempt": attempt_of(attempt), "rank": rank_of_process() if rank is None else rank,
            "segment_bytes": min(max(int(segment_bytes), _MIN_BYTES), _MAX_BYTES),
            "heartbeat_s": heartbeat_s, "sync_s": min(max(sync_s, 0.01), 1.0),
            "group_readable": bool(group_readable)}
        self._open()
        remember(self)
        if rank is None or rank == 0:  # one rank says them for all
            for label in self._labels:
                self.record_label(*label)
        itself = weakref.ref(self)
        os.register_at_fork(after_in_child=lambda: _forked(itself()))
        atexit.register(lambda: _exiting(itself()))
        _tell_exceptions(itself)

    def _open(self):
        try:
            self._writer = Writer(self._options, self._report)
        except Exception as error:
            self._report("goodput: cannot record: {}".format(error))

    def _report(self, sentence):
        if sentence in self._problems or len(self._problems) >= 20:
            return
        self._problems.add(sentence)
        try:
            if self._on_problem is not None:
                self._on_problem(sentence)
            else:
                logging.getLogger(__name__).warning(sentence)
        except Exception:
            pass

    def _record(self, kind, when=None, step=None, more=b"", wall=None):
        if not self._enabled:
            return False
        try:
            if self._in_child:
                self._in_child = False
                self._open()
            if when is not None:
                wall = _nanoseconds(when)
            monotonic = UNKNOWN
            if wall is None:
                wall, monotonic = time.time_ns(), time.monotonic_ns()
            step, large = split_step(step)
            return self._writer.write(kind, step, wall, monotonic, large + more)
        except Exception as error:
            if self._writer is not None:
                self._writer.drop()
            self._report("goodput: an event was not recorded: {!r}".format(error))
            return False

    def _record_text(self, kind, text, when=None, step=None):
        try:
            more = text_field(str(text)) if text else b""
        except Exception as error:
            self._report("goodput: a text was not recorded: {!r}".format(error))
            more = b""
        return self._record(kind, when, step, more)

    def _record_counts(self, kind, counts, when=None, step=None):
        try:
            more = b"".join(number_field(Tag.COUNTS + k, int(count))
                            for k, count in enumerate(counts) if count is not None)
        except Exception as error:
            self._report("goodput: counts were not recorded: {!r}".format(error))
            more = b""
        return self._record(kind, when, step, more)

    # The methods of ml-goodput-measurement's recorder.

    def flush(self) -> bool:
        """Syncs all earlier events to disk."""
        if not self._enabled or self._writer is None:
            return False
        try:
            self._writer.sync()
            return True
        except Exception as error:
            self._report("goodput: cannot sync: {}".format(error))
            return False

    def record_job_start_time(self, start_time: When = None) -> bool:
        return self._record(Kind.JOB_START, start_time)

    def record_job_end_time(self, end_time: When = None) -> bool:
        """Records a planned end of the job."""
        return self._record(Kind.JOB_END, end_time)

    def record_step_start_time(self, step: int, start_time: When = None) -> bool:
        return self._record(Kind.STEP_START, start_time, step)

    def record_tpu_init_start_time(self, start_time: When = None) -> bool:
        return self._record(Kind.ACCELERATOR_INIT_BEGIN, start_time)

    def record_tpu_init_end_time(self, end_time: When = None) -> bool:
        return self._record(Kind.ACCELERATOR_INIT_END, end_time)

    def record_training_preparation_start_time(self, start_time: When = None) -> bool:
        return self._record(Kind.TRAINING_PREP_BEGIN, start_time)

    def record_training_preparation_end_time(self, end_time: When = None) -> bool:
        return self._record(Kind.TRAINING_PREP_END, end_time)

    def record_data_loading_start_time(self, start_time: When = None) -> bool:
        return self._record(Kind.DATA_LOADING_BEGIN, start_time)

    def record_data_loading_end_time(self, end_time: When = None) -> bool:
        return self._record(Kind.DATA_LOADING_END, end_time)

    def record_custom_badput_event_start_time(self, start_time: When = None,
                                              custom_badput_event_type: str = "unknown") -> bool:
        """Records the start of an event that blocks training, such as "eval"."""
        return self._record_text(Kind.CUSTOM_BEGIN, custom_badput_event_type, start_time)

    def record_custom_badput_event_end_time(self, end_time: When = None,
                                            custom_badput_event_type: str = "unknown") -> bool:
        return self._record_text(Kind.CUSTOM_END, custom_badput_event_type, end_time)

    def record_checkpoint_progress(self, step: int, checkpoint_start_time: When = None) -> bool:
        """Records that a checkpoint up to `step` succeeded, at the time of the call. (That
        library's method of this name records nothing.)"""
        del checkpoint_start_time
        return self._record(Kind.CHECKPOINT_COMMIT, None, step)

    # The methods of its elastic recorder.

    def record_elastic_slice_counts(self, active_slices: int, total_slices: int, available_slices: int,
                                    timestamp: When = None) -> bool:
        return self._record_counts(Kind.ELASTIC_SLICES,
                                   (active_slices, total_slices, available_slices), timestamp)

    def record_elastic_wait_start_time(self, event_type: str, start_time: When = None) -> bool:
        return self._record_text(Kind.ELASTIC_WAIT_BEGIN, event_type, start_time)

    def record_elastic_wait_end_time(self, event_type: str, end_time: When = None) -> bool:
        return self._record_text(Kind.ELASTIC_WAIT_END, event_type, end_time)

    def record_elastic_reinit_start_time(self, start_time: When = None) -> bool:
        return self._record(Kind.ELASTIC_REINIT_BEGIN, start_time)

    def record_elastic_reinit_end_time(self, end_time: When = None) -> bool:
        return self._record(Kind.ELASTIC_REINIT_END, end_time)

    # Methods that it lacks.

    def record_step_end_time(self, step: int, end_time: When = None) -> bool:
        return self._record(Kind.STEP_END, end_time, step)

    def record_process_end(self, cause: str) -> bool:
        """Records what ends this process. Exceptions that nothing catches are recorded anyway."""
        return self._record_text(Kind.PROCESS_END, cause)

    def record_resume_from(self, step: int) -> bool:
        """Records the first step that this attempt will run."""
        return self._record(Kind.RESUME_FROM, None, step)

    def record_preemption_notice(self, text: str = "") -> bool:
        """Records the platform's message; safe in a SIGTERM handler."""
        return self._record_text(Kind.PREEMPTION_NOTICE, text)

    def record_checkpoint_commit(self, step: int, tier: str = "") -> bool:
        """Records that a checkpoint up to `step` can be restored from now on, from `tier`."""
        return self._record_text(Kind.CHECKPOINT_COMMIT, tier, None, step)

    def record_checkpoint_save_start_time(self, step: int, start_time: When = None) -> bool:
        """Records that a save blocks training; `step` is the last one it holds. Not beside Orbax's log."""
        return self._record(Kind.CHECKPOINT_SAVE_BEGIN, start_time, step)

    def record_checkpoint_save_end_time(self, step: int, end_time: When = None, tier: str = "") -> bool:
        """Records that training continues and the save succeeded."""
        return self._record_text(Kind.CHECKPOINT_SAVE_END, tier, end_time, step)

    def record_checkpoint_restore_start_time(self, step: Optional[int] = None,
                                             start_time: When = None) -> bool:
        return self._record(Kind.CHECKPOINT_RESTORE_BEGIN, start_time, step)

    def record_checkpoint_restore_end_time(self, step: Optional[int] = None, end_time: When = None) -> bool:
        return self._record(Kind.CHECKPOINT_RESTORE_END, end_time, step)

    def record_label(self, key: str, value: str) -> bool:
        """Records a property to group jobs by: "team", "user", "project", "cluster", "queue"."""
        return self._record_text(Kind.LABEL, "{}={}".format(key, value))

    def record_job_submitted_time(self, time_submitted: When) -> bool:
        return self._record(Kind.JOB_SUBMITTED, time_submitted)

    def record_resources(self, requested: Optional[int] = None, allocated: Optional[int] = None,
                         healthy: Optional[int] = None) -> bool:
        """Records numbers of chips."""
        return self._record_counts(Kind.RESOURCES, (requested, allocated, healthy))

    def record_spare_swap(self, text: str) -> bool:
        return self._record_text(Kind.SPARE_SWAP, text)

    def record_work(self, step: Optional[int] = None, tokens: Optional[int] = None,
                    flops: Optional[float] = None) -> bool:
        """Records work: trained tokens, floating point operations."""
        try:
            billions = None if flops is None else round(flops / 1e9)
        except Exception as error:
            self._report("goodput: FLOPs were not recorded: {!r}".format(error))
            billions = None
        return self._record_counts(Kind.WORK, (tokens, billions), None, step)

    def log_entry(self, entry: Any) -> bool:
        """Records an entry of Orbax's structured log about a checkpoint, a dict or a dataclass. Its time is
        the first one it holds, as in that library."""
        try:
            if dataclasses.is_dataclass(entry):
                entry = dataclasses.asdict(entry)
            kind = _CHECKPOINT_KINDS.get(entry.get("event_type"))
            if kind is None:
                return False
            spans = [_span(entry, names) for names in _CHECKPOINT_SPANS]
            more = b"".join(number_field(Tag.CHECKPOINT + k, value)
                            for k, value in enumerate(itertools.chain(*spans)) if value is not None)
            wall = next((_from_seconds(value) for key, value in entry.items()
                         if key.endswith("_start_time") and value is not None), None)
            if entry.get("directory"):
                more += text_field(str(entry["directory"]))
        except Exception as error:
            self._report("goodput: an entry was not recorded: {!r}".format(error))
            return False
        return self._record(kind, None, entry.get("step"), more, wall=wall)

    def dropped(self) -> int:
        """Returns the number of dropped events, which is also recorded."""
        return 0 if self._writer is None else self._writer.dropped()

    def close(self) -> None:
        """Ends recording; the end of the program does so too."""
        writer, self._writer, self._enabled = self._writer, None, False
        if writer is None:
            return
        try:
            writer.close()
        except Exception as error:
            self._report("goodput: cannot close: {}".format(error))


def _span(entry, names):
    """Returns (start, duration) in ns of the first of `names` in the entry."""
    for name in names:
        start, duration = entry.get(name + "_start_time"), entry.get(name + "_duration_secs")
        if start is not None or duration is not None:
            return tuple(None if value is None else _from_seconds(value)
                         for value in (start, duration))
    return None, None


def cause_of_exception(kind: type, error: Optional[BaseException]) -> str:
    """Returns what record_process_end() says of an exception."""
    return "exception {}: {}".format(kind.__name__, str(error)[:300])


def _tell_exceptions(recorder):
    """Records exceptions that end the program, then calls the hook that was there."""
    before = sys.excepthook

    def hook(kind, error, trace):
        told = recorder()
        if told is not None:
            try:
                told.record_process_end(cause_of_exception(kind, error))
            except Exception:
                pass
        before(kind, error, trace)

    sys.excepthook = hook


def _forked(recorder):
    """Prepares a forked child: its first event opens its own writer and files."""
    if recorder is not None and recorder._enabled:
        recorder._writer = None
        recorder._in_child = True


def _exiting(recorder):
    if recorder is not None:
        recorder.close()
