"""TensorFlow's profiler, for the callback of Keras."""
import sys
from typing import Any, Dict, Optional


class TensorFlowProfiler:
    """TensorFlow's profiler, as `Traces` needs it."""

    def __init__(self, options: Optional[Dict[str, Any]]) -> None:
        self._options = options

    def start(self, folder: str) -> None:
        profiler = sys.modules["tensorflow"].profiler.experimental
        profiler.start(folder, options=profiler.ProfilerOptions(**self._options) if self._options else None)

    def stop(self) -> None:
        sys.modules["tensorflow"].profiler.experimental.stop()

    def mark(self, step: int) -> Any:
        return sys.modules["tensorflow"].profiler.experimental.Trace("train", step_num=step, _r=1)

    def wait(self) -> None:
        sys.modules["tensorflow"].test.experimental.sync_devices()
