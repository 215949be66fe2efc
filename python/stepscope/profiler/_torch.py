"""Traces of torch.profiler: a handler that writes each window, and a profiler of some steps for callbacks."""
import os
import sys
import time
from typing import Any, Callable, Dict, List, Optional

from stepscope.profiler._later import Later
from stepscope.profiler._lock import ProcessLock
from stepscope.profiler._places import discard, place_of
from stepscope.profiler._problems import problem, quietly
from stepscope.profiler._steps import Windows
from stepscope.profiler._torch_file import rewrite
from stepscope.profiler._who import alone_or_same, metadata_of, this_process


class TorchTraces:
    """What `torch.profiler.profile(on_trace_ready=...)` calls after each window. Made by `torch_traces`."""

    def __init__(self, where: Any, job: Optional[str], rank: Optional[int], world_size: Optional[int], keep: int,
                 compress: bool, storage_options: Optional[Dict[str, Any]]) -> None:
        if keep < 1:
            raise ValueError("cannot keep {} windows: keep must be 1 or more".format(keep))
        self._place = place_of(where, storage_options)
        self._given = job, rank, world_size
        self._keep, self._compress = keep, compress
        self._later = Later()
        self._written: List[str] = []
        self._windows = 0

    @property
    def files(self) -> List[str]:
        """The files that are kept so far, oldest first."""
        return list(self._written)

    def wait(self, seconds: float = 60.0) -> bool:
        """Returns whether all windows so far were written, or given up, within so long."""
        return self._later.wait(seconds)

    @quietly
    def __call__(self, profiler: Any) -> None:
        window, self._windows = self._windows, self._windows + 1
        who = this_process(*self._given)
        # Of a process alone the files are named by the process: another run may write to this folder.
        name = "{}.w{}.{}.json{}".format(who.name, window, time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()),
                                         ".gz" if self._compress else "")
        draft = self._place.draft(name)
        raw = draft + ".json"
        try:
            profiler.export_chrome_trace(raw)
            if self._later.put(lambda: self._finish(raw, draft, name, metadata_of(alone_or_same(who), window))):
                return
            problem("a window of steps was dropped: earlier traces are still being written")
        except BaseException:
            _discard(raw)
            raise
        _discard(raw)

    def _finish(self, raw: str, draft: str, name: str, members: Dict[str, Any]) -> None:
        try:
            rewrite(raw, draft, members, self._compress)
            os.unlink(raw)
            self._written.append(self._place.publish(draft, name))
        except Exception as error:
            _discard(raw)
            discard(draft)
            problem("a trace was not written to {}: {}: {}".format(self._place.path, type(error).__name__, error))
            return
        while len(self._written) > self._keep:
            self._remove(self._written.pop(0))

    def _remove(self, path: str) -> None:
        try:
            self._place.remove(path)
        except FileNotFoundError:
            pass


def torch_traces(where: Any, *, job: Optional[str] = None, rank: Optional[int] = None, world_size: Optional[int] = None,
                 keep: int = 10, compress: bool = True,
                 storage_options: Optional[Dict[str, Any]] = None) -> TorchTraces:
    """Returns a handler that writes each window of `torch.profiler.profile` to a folder, or a URL of fsspec.

    Args:
      where: the folder or URL, the same on all ranks.
      job: its name (default: that of the goodput recorder, $STEPSCOPE_JOB, or the scheduler's).
      rank, world_size: of this process (default: those of torch.distributed or the launcher, else 0 of 1).
      keep: windows of this process that are kept; the oldest is removed.
      compress: with gzip.
      storage_options: of the URL's file system.

    The loop waits while PyTorch writes the trace as plain JSON. The rest runs on a thread, which the end of the program
    waits for.

    Example:
        with torch.profiler.profile(schedule=torch.profiler.schedule(wait=8, warmup=2, active=5, repeat=1),
                                    on_trace_ready=stepscope.profiler.torch_traces("runs/today")) as profiler:
    """
    return TorchTraces(where, job, rank, world_size, keep, compress, storage_options)


class TorchSteps:
    """Profiles the steps of a window, in a loop that says when each begins. No method raises."""

    def __init__(self, handler: Callable[[Any], Any], windows: Windows, options: Dict[str, Any]) -> None:
        self._handler, self._windows, self._options = handler, windows, options
        self._profiler: Any = None
        self._action: Any = None
        self._lock = ProcessLock()

    def step(self, number: int) -> None:
        """Says that the step `number` begins."""
        place = self._windows.place(number)
        if place is not None or self._profiler is not None:
            self._step(number, place)

    @quietly
    def close(self) -> None:
        """Ends the window that is open, as a shorter one."""
        profiler, self._profiler = self._profiler, None
        if profiler is None:
            return
        try:
            profiler.__exit__(None, None, None)
        finally:
            self._lock.release()

    @quietly
    def _step(self, number: int, place: Optional[int]) -> None:
        if self._profiler is not None:
            self._action = self._action_of(place)
            try:
                self._profiler.step_num = number - 1
                self._profiler.step()
            except BaseException:
                self._profiler = None
                self._lock.release()
                raise
            if place is None:
                self.close()
        elif place == -1 or (place == 0 and number == 0):  # no step before it to warm up in
            self._begin(number, place)

    def _begin(self, number: int, place: int) -> None:
        import torch
        if _is_profiling(torch):  # the end of both would be a crash
            problem("the steps from {} are not profiled: the program has a torch.profiler of its own".format(
                number - place))
            return
        if not self._lock.take():
            problem("the steps from {} are not profiled: a capture of this process from outside may still run".format(
                number - place))
            return
        try:
            self._action = self._action_of(place)
            profiler = torch.profiler.profile(schedule=lambda _: self._action, on_trace_ready=self._handler,
                                              **self._options)
            profiler.step_num = number  # what its annotation of the step is named by
            profiler.__enter__()
        except BaseException:
            self._lock.release()
            raise
        self._profiler = profiler

    def _action_of(self, place: Optional[int]) -> Any:
        action = sys.modules["torch"].profiler.ProfilerAction
        if place is None:
            return action.NONE
        if place < 0:
            return action.WARMUP
        return action.RECORD_AND_SAVE if place == self._windows.length - 1 else action.RECORD


def _discard(raw: str) -> None:
    discard(raw)
    discard(raw + ".tmp")  # Kineto's own draft, which stays where the disk is full


def _is_profiling(torch: Any) -> bool:
    """Whether a profiler records, in any thread, or one with a schedule was made and not left."""
    profiler = torch.autograd.profiler
    tracker = getattr(profiler, "KinetoStepTracker", None)
    return (getattr(profiler, "_is_profiler_enabled", False) or torch.autograd._profiler_enabled()
            or "ProfilerStep" in getattr(tracker, "_step_dict", {}))
