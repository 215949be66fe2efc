"""Declares the methods that _methods.py makes. Printed by `python -m stepscope._methods`."""
from typing import Any, Iterable

from .report import Report

class Analyses:
    def overview(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Step time, breakdown, precision, utilization."""
    def breakdown(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Compute, waits, communication, host; by rank."""
    def steps(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, slow: float | str = 1.5, peak_tflops: float | str = 0.0) -> Report:
        """Each step's duration and breakdown."""
    def input_pipeline(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Input wait and the stage responsible."""
    def temporal_breakdown(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Compute, non-compute and idle per device."""
    def comm_overlap(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Overlapped and exposed communication."""
    def idle_time(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, consecutive_kernel_delay: int | str = 30000, long_wait: int | str = 1000000) -> Report:
        """Causes of stream idle time."""
    def step_gaps(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, large_gap: int | str = 100000) -> Report:
        """Idle time between steps, host activity."""
    def kernel_breakdown(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Time by activity type and kernel."""
    def kernel_distribution(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, deviation: float | str = 0.1, share: float | str = 0.01) -> Report:
        """Kernels slower on some ranks."""
    def kernel_groups(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Time and overlap of user-defined groups."""
    def kernels(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Launch shape, occupancy, Tensor Core use."""
    def operators(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Host and device time per operator."""
    def shapes(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, peak_tflops: float | str = 0.0, repro: str = '') -> Report:
        """Time, FLOP/s and roofline per input shape."""
    def modules(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Host time, device time and memory per layer."""
    def python(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Python functions by self time."""
    def hlo_operators(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Time, FLOP/s and bandwidth per op."""
    def flops(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, peak_tflops: float | str = 0.0) -> Report:
        """FLOP/s, MFU, HFU and roofline."""
    def layout(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """How ranks share the work, and what each kind of process group costs."""
    def collectives(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Wait, transfer and bandwidth."""
    def allreduce_check(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, parameters: int | str = 0, bytes_per_parameter: int | str = 4, bandwidth: float | str = 0.0, tolerance: float | str = 2.0, merge_below: int | str = 1000000) -> Report:
        """Measured versus expected time."""
    def stragglers(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, share: float | str = 0.02) -> Report:
        """Ranks others wait for; cost and cause."""
    def imbalance(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, share: float | str = 0.05) -> Report:
        """Compute and idle time by rank and step."""
    def critical_path(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, step: int | str = -1, annotation: str = '', instance: int | str = 0, last_instance: int | str = -1, rank: int | str = -1, what_if: str = '', segments: int | str = 1000) -> Report:
        """What bounds step time; what-if estimates."""
    def whatif(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, set: str = '') -> Report:
        """What changes are worth to the whole job."""
    def phases(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Device time by training phase."""
    def launch_stats(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, runtime_cutoff: int | str = 50000, launch_delay_cutoff: int | str = 100000, launches: str = 'false') -> Report:
        """Launch delays, short kernels, slow calls."""
    def queue_length(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, max_queue_length: int | str = 0, points: int | str = 200) -> Report:
        """Activities queued per stream."""
    def memory_bandwidth(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, points: int | str = 200) -> Report:
        """Bytes and bandwidth by copy direction."""
    def operator_kernels(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Kernels and delays per operator."""
    def kernel_sequences(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, operator: str = '', min_length: int | str = 1) -> Report:
        """Repeats to fuse or capture."""
    def user_annotations(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Host and device time per annotation."""
    def memory_timeline(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, points: int | str = 200) -> Report:
        """Allocated and reserved memory."""
    def memory_profile(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None, capacity: int | str = 0, leak_bytes: int | str = 1000000) -> Report:
        """Peak contents, leaks, batch headroom."""
    def programs(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """Planned memory of XLA programs by buffer and line."""
    def cupti_counters(self, *, steps: int | str | Iterable[int] = 'all', ranks: int | Iterable[int] | None = None) -> Report:
        """CUPTI counters per kernel."""

def add_method(info: dict[str, Any]) -> None: ...
def remove_method(name: str) -> None: ...
def declarations() -> str: ...
