"""Records a loop that the user wrote: a context manager for the job, an iterable for its batches."""
import contextlib
from types import TracebackType
from typing import Any, Iterable, Iterator, Optional, Type

from stepscope.integrations._recording import Recording


class Job:
    """A training job that is recorded while its `with` block runs.

    Example:
        with Job("llm-7b") as job:
            for batch in job.steps(loader):
                train(batch)
                if job.step % 100 == 99:
                    with job.checkpoint():
                        save(model, job.step)
    """

    def __init__(self, name: str, *, directory: Optional[str] = None, rank: Optional[int] = None,
                 first_step: int = 0, from_process_start: bool = False) -> None:
        """Args:
          name: of the job, the same on all ranks and after restarts.
          directory: for the events (default: $STEPSCOPE_GOODPUT_DIR, or ./stepscope-goodput).
          rank: of this process (default: that of torch.distributed, jax.distributed or the launcher).
          first_step: number of the first step; see also `resume`.
          from_process_start: count the time since the process began, with all imports.
        """
        self.recording = Recording(name, directory, from_process_start=from_process_start)
        self._rank = rank
        self._next = first_step

    def __enter__(self) -> "Job":
        self.recording.open(self._rank)
        self.recording.watch_sigterm()
        if self._next:
            self.recording.resume(self._next)
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.recording.finish(error)

    @property
    def recorder(self) -> Any:
        """The `stepscope.goodput.Recorder`, for what this class has no method for."""
        return self.recording.recorder

    @property
    def step(self) -> int:
        """Number of the step that runs, or ran last; before the first one, its number."""
        return self._next if self.recording.step is None else self.recording.step

    @property
    def preempted(self) -> bool:
        """Whether SIGTERM came."""
        return self.recording.preempted

    def resume(self, step: int) -> None:
        """Sets the number of the next step, after a checkpoint of the one before was restored."""
        self._next = step
        self.recording.step = None
        self.recording.resume(step)

    def steps(self, loader: Iterable, accumulate: int = 1) -> "Steps":
        """Returns `loader` with its steps and loading recorded, to iterate over once or once per epoch.

        Args:
          loader: anything iterable; its batches are given on as they are.
          accumulate: batches per step, where gradients are accumulated. What is left at the end of the loader
            is a step too.
        """
        if accumulate < 1:
            raise ValueError("cannot make steps of {} batches: accumulate must be 1 or more".format(accumulate))
        return Steps(self, loader, accumulate)

    @contextlib.contextmanager
    def checkpoint(self, step: Optional[int] = None, commit: bool = True) -> Iterator[None]:
        """Records that the block saves a checkpoint up to `step` (default: the current one).

        With `commit=False` the save only begins in the block; call `committed` once it is complete. A block that
        raises commits nothing.
        """
        self.recording.begin_save(self.recording.step if step is None else step)
        try:
            yield
        except BaseException as error:
            self.recording.end_save(error)
            raise
        self.recording.end_save(None, commit)

    def committed(self, step: int) -> None:
        """Records that a checkpoint up to `step` is complete, from whichever thread knows it."""
        self.recorder.record_checkpoint_commit(step)

    @contextlib.contextmanager
    def restore(self) -> Iterator[None]:
        """Records that the block restores a checkpoint. Call `resume` then."""
        self.recording.begin_restore()
        try:
            yield
        finally:
            self.recording.end_restore()

    @contextlib.contextmanager
    def evaluation(self, name: str = "eval") -> Iterator[None]:
        """Records that the block does something else than training, under `name`."""
        self.recording.begin_custom(name)
        try:
            yield
        finally:
            self.recording.end_custom(name)

    def _run(self, loader: Iterable, accumulate: int) -> Iterator[Any]:
        recording, have = self.recording, 0
        recording.prepared()
        recording.end_step()  # of a loop that was left by break
        recording.begin_loading()
        try:
            batches = iter(loader)
            for batch in batches:
                recording.end_loading()
                if have == 0:
                    recording.begin_step(self._next)
                    self._next += 1
                yield batch
                have = (have + 1) % accumulate
                if have == 0:
                    recording.end_step()
                recording.begin_loading()
        except GeneratorExit:  # the loop was left: the step goes on to the next one, or to the job's end
            raise
        except BaseException:
            recording.end_loading()
            raise
        recording.end_loading()
        recording.end_step()


class Steps:
    """A loader whose steps are recorded. Has the loader's length and attributes."""

    def __init__(self, job: Job, loader: Iterable, accumulate: int) -> None:
        self._job, self._loader, self._accumulate = job, loader, accumulate

    def __iter__(self) -> Iterator[Any]:
        return self._job._run(self._loader, self._accumulate)

    def __len__(self) -> int:
        return len(self._loader)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._loader, name)
