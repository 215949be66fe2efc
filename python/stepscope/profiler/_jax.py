"""Profiles some steps of a JAX loop."""
from typing import Any, Dict, Optional

from stepscope.profiler._sessions import Sessions
from stepscope.profiler._steps import Windows
from stepscope.profiler._traces import Traces


class JaxProfiler:
    """JAX' profiler, as `Traces` needs it."""

    def __init__(self, options: Any = None) -> None:
        self._options = options

    def start(self, folder: str) -> None:
        import jax
        options = self._options
        if isinstance(options, dict):
            values, options = options, jax.profiler.ProfileOptions()
            for name, value in values.items():
                setattr(options, name, value)
        jax.profiler.start_trace(folder, **({} if options is None else {"profiler_options": options}))

    def stop(self) -> None:
        import jax
        jax.profiler.stop_trace()

    def mark(self, step: int) -> Any:
        import jax
        return jax.profiler.StepTraceAnnotation("train", step_num=step)

    def wait(self) -> None:
        """Until all arrays that the program holds are computed, so that a step's work is in its own window."""
        import jax
        jax.effects_barrier()
        for array in jax.live_arrays():
            if not array.is_deleted():
                array.block_until_ready()


def jax_traces(where: Any, steps: range, *, every: Optional[int] = None, session: Optional[str] = None, keep: int = 10,
               options: Any = None, storage_options: Optional[Dict[str, Any]] = None) -> Traces:
    """Profiles the steps `steps` of a loop, into a folder or a URL of fsspec, as TensorBoard lays files out.

    Args:
      where: the folder or URL, the same in all processes.
      steps: numbers of the steps, such as range(10, 15).
      every: profile the same ones again after so many steps (default: once).
      session: name of the session, the same in all processes (default: the time at process 0).
      keep: windows of this process that are kept; the oldest is removed.
      options: a jax.profiler.ProfileOptions, or a dict of its attributes.
      storage_options: of the URL's file system.

    The loop waits for the device at both ends of a window, and while JAX writes its file.

    Example:
        with stepscope.profiler.jax_traces("runs/today", steps=range(10, 15)) as traces:
            for batch in traces.over(loader):
                state = train_step(state, batch)
    """
    return Traces(Sessions(where, session, keep, storage_options), Windows(steps, every), JaxProfiler(options))
