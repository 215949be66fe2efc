"""HTA's MemoryAnalysis: a memory timeline that PyTorch exported, as a picture."""
from __future__ import annotations

import gzip
import json
import os

from . import figures

# In the order of the numbers in the file.
CATEGORIES = ["Parameter", "Optimizer state", "Input", "Temporary", "Activation", "Gradient", "Autograd", "Unknown"]


class MemoryAnalysis:
    """The memory of each category over time, from `export_memory_timeline("timeline.raw.json.gz")` of PyTorch's profiler.

        MemoryAnalysis("timeline.raw.json.gz").plot_memory_timeline()
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def _process_raw_events(self) -> tuple[list[int], list[list[int]]]:
        """Returns moments (ns), and the bytes of each category from each on. What was there before has the first moment."""
        with gzip.open(self.path, "rb") as file:
            events = json.loads(file.read())
        moments: list[int] = []
        sizes: list[list[int]] = []
        for moment, _, size, category in events:
            if not moments or moment != moments[-1]:
                moments.append(moment)
                sizes.append(list(sizes[-1]) if sizes else [0] * len(CATEGORIES))
            sizes[-1][category] += size
        first = min((m for m in moments if m > 0), default=0)
        return [first if moment < 0 else moment for moment in moments], sizes

    def plot_memory_timeline(self, save_graph: bool = False) -> None:
        """Draws GiB of each category over ms, stacked. save_graph writes it to images/memory_plot.png instead."""
        import numpy as np

        moments, sizes = self._process_raw_events()
        milliseconds = (np.array(moments) - min(moments)) / 1e6
        fig = figures.memory(milliseconds, np.cumsum(sizes, axis=1) / 2 ** 30, CATEGORIES)
        if not save_graph:
            fig.show()
            return
        os.makedirs("images", exist_ok=True)
        fig.write_image("images/memory_plot.png")
