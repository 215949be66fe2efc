"""Profiles some steps of `fit` of a Keras model, with the profiler of its backend.

    from stepscope.profiler.keras import TraceCallback

    model.fit(data, callbacks=[TraceCallback("runs/today", steps=range(10, 15))])
"""
from typing import Any, Optional

from stepscope.errors import MissingLibrary
from stepscope.profiler._steps import Windows

try:
    import keras
except ImportError as error:
    raise MissingLibrary("stepscope.profiler.keras needs Keras 3, which is not installed", "", "pip install keras") from error


class TraceCallback(keras.callbacks.Callback):
    """Profiles steps, which are batches counted from 0 over all epochs of a `fit`: by torch.profiler, JAX' profiler or
    TensorFlow's. With `steps_per_execution` a call of several batches is recorded from the first of them that counts.

    It has no on_train_batch_end: with one, Keras would wait for each step's results on JAX and TensorFlow.
    """

    def __init__(self, where: Any, steps: range, *, every: Optional[int] = None, job: Optional[str] = None, keep: int = 10,
                 storage_options: Optional[dict] = None, **options: Any) -> None:
        """Args:
          where: a folder or a URL of fsspec, the same in all processes.
          steps: numbers of batches, such as range(10, 15).
          every: profile the same ones again after so many steps (default: once).
          job: its name, for traces of PyTorch.
          keep: windows of this process that are kept; the oldest is removed.
          storage_options: of the URL's file system.
          options: of torch.profiler.profile, jax.profiler.ProfileOptions or TensorFlow's ProfilerOptions.
        """
        super().__init__()
        self._windows = Windows(steps, every)
        self._steps = _steps_of_backend(where, self._windows, job, keep, storage_options, options)
        self._next = 0

    def on_train_begin(self, logs: Any = None) -> None:
        self._next = 0

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        number, self._next = self._next, self._next + 1
        self._steps.step(number)

    def on_train_end(self, logs: Any = None) -> None:
        self._steps.close()


def _steps_of_backend(where: Any, windows: Windows, job: Optional[str], keep: int, storage_options: Optional[dict],
                      options: dict) -> Any:
    backend = keras.backend.backend()
    if backend == "torch":
        from stepscope.profiler._torch import TorchSteps, torch_traces
        return TorchSteps(torch_traces(where, job=job, keep=keep, storage_options=storage_options), windows, options)
    if backend == "jax":
        from stepscope.profiler._jax import JaxProfiler as Profiler
    elif backend == "tensorflow":
        from stepscope.profiler._tensorflow import TensorFlowProfiler as Profiler
    else:
        raise ValueError("cannot profile the backend {!r} of Keras: torch, jax and tensorflow can be".format(backend))
    from stepscope.profiler._sessions import Sessions
    from stepscope.profiler._traces import Traces
    return Traces(Sessions(where, None, keep, storage_options), windows, Profiler(options or None))
