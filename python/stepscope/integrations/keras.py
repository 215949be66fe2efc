"""Records `fit` of a Keras model.

    from stepscope.integrations.keras import GoodputCallback

    model.fit(data, callbacks=[GoodputCallback("llm-7b"), ...])
"""
from typing import Any, Optional

from stepscope.errors import MissingLibrary
from stepscope.integrations._recording import Recording
from stepscope.integrations._wrap import TimedIterable, Wraps, find_in_callers, quiet

try:
    import keras
except ImportError as error:
    raise MissingLibrary("stepscope.integrations.keras needs Keras 3, which is not installed", "",
                         "pip install keras") from error


class GoodputCallback(keras.callbacks.Callback):
    """Records one job: `fit` from the callback's creation on. A step is a batch. Put it first in the list, so that
    a checkpoint that another callback restores is recorded.

    It has no on_train_batch_end: with one, Keras would wait for each step's results on JAX and TensorFlow.
    """

    def __init__(self, job: str, *, directory: Optional[str] = None, rank: Optional[int] = None,
                 keep_open: bool = False, from_process_start: bool = False) -> None:
        """Args:
          job: its name, the same on all ranks and after restarts.
          directory: for the events (default: $STEPSCOPE_GOODPUT_DIR, or ./stepscope-goodput).
          rank: of this process (default: that of torch.distributed, jax.distributed or the launcher).
          keep_open: the job goes on after `fit`, and ends with the program; for programs that call it again.
          from_process_start: count the time since the process began, with all imports.
        """
        super().__init__()
        self.recording = Recording(job, directory, keep_open, from_process_start)
        self._wraps = Wraps(self.recording.problem)
        self._rank = rank
        self._base = self._next = 0  # numbers of the epoch's first step, and of the next one
        self._waits: Optional[int] = None  # the step that begins once its batch is there
        self._loads_in_step = False
        self._fitting = False

    @quiet
    def on_train_begin(self, logs: Any = None) -> None:
        self._wraps.undo()  # of a fit that raised
        self.recording.open(self._rank)
        self.recording.watch_sigterm()
        self._fitting = True
        recording, put = self.recording, self._wraps.put
        for name in ("save", "save_weights"):
            put(self.model, name, self._begin_save, recording.end_save)
        put(self.model, "load_weights", recording.begin_restore, recording.end_restore)
        self._time_loading()

    def _time_loading(self) -> None:
        self._loads_in_step = False
        if keras.backend.backend() == "tensorflow":
            return  # loads inside its graph
        epochs = find_in_callers("epoch_iterator", lambda value: hasattr(value, "_get_iterator"))
        if epochs is None:
            self.recording.problem("stepscope: this version of Keras does not say when it loads data")
            return
        batches = epochs._get_iterator
        begin, end = self.recording.begin_loading, self._end_loading
        self._wraps.replace(epochs, "_get_iterator", lambda: TimedIterable(batches(), begin, end))
        self._loads_in_step = keras.backend.backend() != "torch"

    @quiet
    def _end_loading(self, loaded: bool) -> None:
        self.recording.end_loading()
        if loaded and self._waits is not None:
            self._begin_step(self._waits)

    def _begin_step(self, step: int) -> None:
        self._waits, self._next = None, step + 1
        self.recording.begin_step(step)

    def _begin_save(self, *_: Any, **__: Any) -> None:
        self.recording.begin_save(self._next - 1)

    @quiet
    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        made = _steps_made(self.model)
        if self.recording.step is None and made:
            self.recording.resume(made)
        self._base = max(made, self._next)
        self.recording.prepared()

    @quiet
    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        if self._loads_in_step:  # its batch may be the end of the data
            self._waits = self._base + batch
        else:
            self._begin_step(self._base + batch)

    @quiet
    def on_test_begin(self, logs: Any = None) -> None:
        if self._fitting:
            self.recording.end_step()
            self.recording.begin_evaluation()

    @quiet
    def on_test_end(self, logs: Any = None) -> None:
        if self._fitting:
            self.recording.end_evaluation()

    @quiet
    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.recording.end_step()

    @quiet
    def on_train_end(self, logs: Any = None) -> None:
        self._fitting = False
        self._wraps.undo()
        self.recording.finish()


def _steps_made(model: Any) -> int:
    """Returns how many batches the optimizer has seen, also before a restart; 0 if it does not count them."""
    optimizer = getattr(model, "optimizer", None)
    iterations = getattr(optimizer, "iterations", None)
    if iterations is None:
        return 0
    return int(iterations) * (getattr(optimizer, "gradient_accumulation_steps", None) or 1)
