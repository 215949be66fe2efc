"""Profiles some steps of a Trainer of Hugging Face's transformers.

    from stepscope.profiler.transformers import TraceCallback

    trainer = Trainer(..., callbacks=[TraceCallback("runs/today", steps=range(10, 15))])
"""
from typing import Any, Optional

from stepscope.errors import MissingLibrary
from stepscope.profiler._steps import Windows
from stepscope.profiler._torch import TorchSteps, torch_traces

try:
    from transformers import TrainerCallback
except ImportError as error:
    raise MissingLibrary("stepscope.profiler.transformers needs transformers, which is not installed", "",
                         "pip install transformers accelerate") from error


class TraceCallback(TrainerCallback):
    """Profiles steps of the optimizer, with all their batches, by torch.profiler."""

    def __init__(self, where: Any, steps: range, *, every: Optional[int] = None, job: Optional[str] = None, keep: int = 10,
                 storage_options: Optional[dict] = None, **options: Any) -> None:
        """Args:
          where: a folder or a URL of fsspec, the same on all ranks.
          steps: values of `state.global_step`, such as range(10, 15).
          every: profile the same ones again after so many steps (default: once).
          job, keep, storage_options: as in `torch_traces`.
          options: of torch.profiler.profile, such as with_stack=True.
        """
        self._windows = Windows(steps, every)
        self._given, self._options = (where, {"job": job, "keep": keep, "storage_options": storage_options}), options
        self._steps: Optional[TorchSteps] = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        where, given = self._given
        self._steps = TorchSteps(torch_traces(where, rank=args.process_index, world_size=args.world_size, **given),
                                 self._windows, self._options)

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._steps is not None:
            self._steps.step(state.global_step)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._steps is not None:
            self._steps.close()
