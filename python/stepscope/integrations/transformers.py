"""Records a Trainer of Hugging Face's transformers.

    from stepscope.integrations.transformers import GoodputCallback

    trainer = Trainer(..., callbacks=[GoodputCallback("llm-7b")])
"""
from typing import Any, Optional

from stepscope.errors import MissingLibrary
from stepscope.integrations._recording import Recording
from stepscope.integrations._wrap import Wraps, find_in_callers, quiet

try:
    from transformers import TrainerCallback
except ImportError as error:
    raise MissingLibrary("stepscope.integrations.transformers needs transformers, which is not installed", "",
                         "pip install transformers accelerate") from error


class GoodputCallback(TrainerCallback):
    """Records one job: `train` from the callback's creation on. A step is a step of the optimizer.

    Callbacks are not told of the beginning of a save, a restore, an evaluation or of loading. So this one looks for
    the Trainer that calls it, and wraps these methods of that object.
    """

    def __init__(self, job: str, *, directory: Optional[str] = None, keep_open: bool = False,
                 from_process_start: bool = False) -> None:
        """Args:
          job: its name, the same on all ranks and after restarts.
          directory: for the events (default: $STEPSCOPE_GOODPUT_DIR, or ./stepscope-goodput).
          keep_open: the job goes on after `train`, and ends with the program; for programs that call it again.
          from_process_start: count the time since the process began, with all imports.
        """
        self.recording = Recording(job, directory, keep_open, from_process_start)
        self._wraps = Wraps(self.recording.problem)
        self._trainer: Any = None
        self._in_train = False  # whether the call of train() is told

    @quiet
    def on_init_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._attach()

    def _attach(self) -> None:
        """Wraps what the Trainer that calls this does beside its steps."""
        self._trainer = find_in_callers("self", lambda value: hasattr(value, "callback_handler"))
        if self._trainer is None:
            self.recording.problem("stepscope: no Trainer found that calls GoodputCallback: saves and loading "
                                   "are not recorded; give it in callbacks=[...]")
            return
        recording, trainer, put = self.recording, self._trainer, self._wraps.put
        put(trainer, "train", self._begin_train, self._end_train)
        put(trainer, "_load_from_checkpoint", recording.begin_restore, recording.end_restore)
        put(trainer, "_load_optimizer_and_scheduler", recording.begin_restore, recording.end_restore)
        put(trainer, "_save_checkpoint", self._begin_save, recording.end_save)
        put(trainer, "evaluate", recording.begin_evaluation, recording.end_evaluation)
        if not put(trainer, "get_batch_samples", recording.begin_loading, recording.end_loading):
            recording.problem("stepscope: this version of transformers does not say when it loads data "
                              "(4.46 and later do)")

    def _begin_train(self, *_: Any, **__: Any) -> None:
        self._in_train = True
        self._open(self._trainer.args)

    def _end_train(self, error: Optional[BaseException]) -> None:
        self._in_train = False
        self.recording.finish(error)

    def _open(self, args: Any) -> None:
        self.recording.open(args.process_index)
        self.recording.watch_sigterm()

    def _begin_save(self, *_: Any, **__: Any) -> None:
        self.recording.begin_save(self._trainer.state.global_step - 1)

    @quiet
    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if not self._in_train:  # added to the Trainer later
            if self._trainer is None:
                self._attach()
            self._open(args)
        if state.global_step:
            self.recording.resume(state.global_step)
        self.recording.prepared()

    @quiet
    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.recording.begin_step(state.global_step)

    @quiet
    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.recording.end_step()

    @quiet
    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if not self._in_train:
            self.recording.finish()
