"""Records a Trainer of Lightning.

    from stepscope.integrations.lightning import GoodputCallback

    trainer = Trainer(callbacks=[GoodputCallback("llm-7b")])
"""
import sys
from typing import Any, Optional

from stepscope.errors import MissingLibrary
from stepscope.integrations._recording import Recording
from stepscope.integrations._wrap import Wraps, quiet

try:
    if "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules:
        from pytorch_lightning import Callback
    else:
        from lightning.pytorch import Callback
except ImportError as error:
    raise MissingLibrary("stepscope.integrations.lightning needs Lightning, which is not installed", "",
                         "pip install lightning") from error


class GoodputCallback(Callback):
    """Records one job: `fit` from the callback's creation on. A step is a step of the optimizer."""

    def __init__(self, job: str, *, directory: Optional[str] = None, keep_open: bool = False,
                 from_process_start: bool = False) -> None:
        """Args:
          job: its name, the same on all ranks and after restarts.
          directory: for the events (default: $STEPSCOPE_GOODPUT_DIR, or ./stepscope-goodput).
          keep_open: the job goes on after `fit`, and ends with the program; for programs that call it again.
          from_process_start: count the time since the process began, with all imports.
        """
        super().__init__()
        self.recording = Recording(job, directory, keep_open, from_process_start)
        self._wraps = Wraps(self.recording.problem)
        self._trainer: Any = None
        self._step: Optional[int] = None  # the one that is being made

    def __getstate__(self) -> dict:
        return {**vars(self), "_wraps": Wraps(self.recording.problem), "_trainer": None}

    @quiet
    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        if stage != "fit":
            return
        self._trainer, self._step = trainer, None
        self.recording.open(trainer.global_rank)
        recording, put = self.recording, self._wraps.put
        put(trainer, "save_checkpoint", self._begin_save, self._end_save)
        connector = trainer._checkpoint_connector
        put(connector, "_restore_modules_and_callbacks", recording.begin_restore, recording.end_restore)
        put(connector, "restore_training_state", recording.begin_restore, recording.end_restore)
        loop = trainer.fit_loop.epoch_loop
        if not (put(loop, "_on_before_fetch", recording.begin_loading, _nothing)
                and put(loop, "_on_after_fetch", _nothing, recording.end_loading)):
            recording.problem("stepscope: this version of Lightning does not say when it loads data")

    def _begin_save(self, *_: Any, **__: Any) -> None:
        self.recording.begin_save(self._trainer.global_step - 1)

    def _end_save(self, error: Optional[BaseException]) -> None:
        checkpoints = getattr(self._trainer.strategy, "checkpoint_io", None)
        self.recording.end_save(error, commits=not type(checkpoints).__name__.startswith("Async"))

    @quiet
    def on_sanity_check_start(self, trainer: Any, pl_module: Any) -> None:
        self.recording.watch_sigterm()  # Lightning's own handler is there by now

    @quiet
    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self.recording.watch_sigterm()
        if trainer.global_step:
            self.recording.resume(trainer.global_step)
        self.recording.prepared()

    @quiet
    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        step = trainer.global_step
        if step != self._step:
            self._step = step
            self.recording.begin_step(step)

    @quiet
    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any,
                           batch_idx: int) -> None:
        if trainer.global_step != self._step:
            self.recording.end_step()

    @quiet
    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.sanity_checking:
            self.recording.begin_evaluation()

    @quiet
    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.sanity_checking:
            self.recording.end_evaluation()

    @quiet
    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        self._finish(None)

    @quiet
    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        if type(exception).__name__ == "SIGTERMException":  # perhaps another rank's signal
            self.recording.preempted = True
        self._finish(exception)

    def _finish(self, error: Optional[BaseException]) -> None:
        self._wraps.undo()
        self.recording.finish(error)
        self._trainer = None


def _nothing(*_: Any, **__: Any) -> None:
    pass
