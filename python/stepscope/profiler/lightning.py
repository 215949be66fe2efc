"""Profiles some steps of a Trainer of Lightning.

    from stepscope.profiler.lightning import TraceCallback

    trainer = Trainer(callbacks=[TraceCallback("runs/today", steps=range(10, 15))])
"""
import sys
from typing import Any, Optional

from stepscope.errors import MissingLibrary
from stepscope.profiler._steps import Windows
from stepscope.profiler._torch import TorchSteps, torch_traces

try:
    if "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules:
        from pytorch_lightning import Callback
    else:
        from lightning.pytorch import Callback
except ImportError as error:
    raise MissingLibrary("stepscope.profiler.lightning needs Lightning, which is not installed", "",
                         "pip install lightning") from error


class TraceCallback(Callback):
    """Profiles steps of the optimizer, with all their batches, by torch.profiler."""

    def __init__(self, where: Any, steps: range, *, every: Optional[int] = None, job: Optional[str] = None, keep: int = 10,
                 storage_options: Optional[dict] = None, **options: Any) -> None:
        """Args:
          where: a folder or a URL of fsspec, the same on all ranks.
          steps: values of `trainer.global_step`, such as range(10, 15).
          every: profile the same ones again after so many steps (default: once).
          job, keep, storage_options: as in `torch_traces`.
          options: of torch.profiler.profile, such as with_stack=True.
        """
        super().__init__()
        self._windows = Windows(steps, every)
        self._given, self._options = (where, {"job": job, "keep": keep, "storage_options": storage_options}), options
        self._steps: Optional[TorchSteps] = None
        self._step: Optional[int] = None  # the one that is being made

    def __getstate__(self) -> dict:
        return {**vars(self), "_steps": None}  # launchers send it to other processes

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        where, given = self._given
        self._steps = TorchSteps(torch_traces(where, rank=trainer.global_rank, world_size=trainer.world_size, **given),
                                 self._windows, self._options)
        self._step = None

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        if self._steps is not None and trainer.global_step != self._step:
            self._step = trainer.global_step
            self._steps.step(trainer.global_step)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self._close()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self._close()

    def _close(self) -> None:
        if self._steps is not None:
            self._steps.close()
