"""Captures traces from inside a training program, in three lines.

    torch_traces     what torch.profiler.profile(on_trace_ready=...) takes
    jax_traces       a context manager that profiles some steps of a JAX loop
    init             makes this process a target of `stepscope capture`
    keras, lightning, transformers    each has a TraceCallback

    from stepscope.profiler import torch_traces

    with torch.profiler.profile(schedule=..., on_trace_ready=torch_traces("runs/today")) as profiler:
        for batch in loader:
            train(batch)
            profiler.step()

No call raises in the training loop: what fails is a warning of the logger "stepscope.profiler", once. Importing this
package imports neither a framework nor the extension module. docs/profiler.md says what is written.
"""
from stepscope._lazy import lazy_names

_HOMES = {"torch_traces": "_torch", "TorchTraces": "_torch", "jax_traces": "_jax", "Traces": "_traces",
          "init": "_server", "Worker": "_worker"}

__all__ = list(_HOMES)

# dir() does not list the modules: help() imports what it lists, and not every library is there.
__getattr__, _ = lazy_names(globals(), _HOMES, ["keras", "lightning", "transformers"])


def __dir__() -> list:
    return sorted({name for name in globals() if name.startswith("__")} | set(__all__))
