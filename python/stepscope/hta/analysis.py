"""HTA's TraceAnalysis: its 21 methods, with the same arguments and tables."""
from __future__ import annotations

import os
from enum import Flag, auto
from typing import TYPE_CHECKING, Any, Callable

from . import counters, critical_path, figures, launches, patterns, user_annotations
from .names import COMMUNICATION, COMPUTATION, MEMORY
from .reports import ReportNumbers
from .source import Files
from .stragglers import by_callable, find_stragglers_with_late_start_comm_kernels
from .trace import DEFAULT_TRACE_DIR, Trace

if TYPE_CHECKING:
    import pandas as pd

QUEUE_LIMIT = 1024  # activities of a stream at which CUDA's launch calls wait


class TimeSeriesTypes(Flag):
    """Series that generate_trace_with_counters() adds to a trace."""

    QUEUE_LENGTH = auto()
    MEMCPY_BANDWIDTH = auto()


class TraceAnalysis:
    """The traces of a job, and HTA's questions about them.

    trace_dir: a directory whose .json and .json.gz files are read; or trace_files: {rank: path}. The last profiler step
    is left out unless include_last_profiler_step is set, and so are device activities without a launch in the trace.
    Times are microseconds, shares percentages. Numbers are stepscope's, which differ from HTA's where those are wrong;
    strict=True gives HTA's own (default: what install() was told, or False). `.t` is the Trace, with the events as frames.

    A method with `ranks` answers for rank 0 unless told otherwise, and raises ValueError for a rank without a trace. With
    visualize=True figures are shown where Plotly is installed; what is returned is the same.

        analyzer = TraceAnalysis(trace_dir="traces/")
        analyzer.get_temporal_breakdown()
    """

    def __init__(self, trace_files: Files = None, trace_dir: str = DEFAULT_TRACE_DIR,
                 include_last_profiler_step: bool | None = False, *, strict: bool | None = None) -> None:
        self.t = Trace(trace_files, trace_dir, strict=strict)
        self.t.load_traces(include_last_profiler_step)
        self._numbers: Any = ReportNumbers(self.t, bool(include_last_profiler_step))
        if self.t.strict:
            from .hta_numbers import HtaNumbers

            self._numbers = HtaNumbers(self.t, bool(include_last_profiler_step))

    def get_comm_comp_overlap(self, visualize: bool = True) -> pd.DataFrame:
        """Returns, by rank, how much of its communication ran during compute: rank, comp_comm_overlap_pctg.

        NaN of a rank without communication.
        """
        df = self._numbers.overlap()
        if visualize:
            figures.overlap(df)
        return df

    def get_profiler_steps(self) -> list[int]:
        """Returns the numbers of the profiler steps that count."""
        return self._numbers.profiler_steps()

    def get_potential_stragglers(
            self, profiler_steps: list[int] | None = None, num_candidates: int = 2, visualize: bool = False,
            straggler_identification_impl: Callable[..., Any] = find_stragglers_with_late_start_comm_kernels,
    ) -> list[int]:
        """Returns the ranks that others wait for, worst first, at most num_candidates.

        By default they are found by matched collectives on aligned clocks; ranks that nobody waits for are not among
        them. Another straggler_identification_impl is called as in HTA, with the events of the steps. Raises ValueError
        where none of profiler_steps is recorded.
        """
        there = self.get_profiler_steps()
        chosen = there if profiler_steps is None else [step for step in profiler_steps if step in there]
        if not chosen:
            raise ValueError(f"none of the steps {profiler_steps} is recorded: pass some of {there}")
        most = max(num_candidates, 1)
        if straggler_identification_impl is find_stragglers_with_late_start_comm_kernels:
            found = self._numbers.stragglers(None if profiler_steps is None else chosen, most)
        else:
            found = by_callable(self.t, chosen, most, visualize, straggler_identification_impl)
        if visualize:
            figures.stragglers((rank, rank in found) for rank in self.t.get_ranks())
        return found

    def get_gpu_kernel_breakdown(
            self, visualize: bool = True, duration_ratio: float = 0.8, num_kernels: int = 10,
            include_memory_kernels: bool = True, image_renderer: str = "") -> tuple[pd.DataFrame, pd.DataFrame]:
        """Returns the time by type of kernel, of all ranks, and by kernel and rank.

        The first has kernel_type, sum (us) and percentage. The second has name, sum, max, min, stddev, mean (us),
        kernel_type and rank; kernels beyond num_kernels, and beyond the duration_ratio quantile of running sums, are one
        row "others".
        """
        types = [COMPUTATION, COMMUNICATION, *([MEMORY] if include_memory_kernels else [])]
        by_type = self._numbers.kernel_types(types)
        by_name = self._numbers.kernels(types, num_kernels, duration_ratio)
        if visualize:
            figures.kernels(by_type, by_name, image_renderer)
        return by_type, by_name

    def get_gpu_kernels_with_user_annotations(self, rank: int, expand_names: bool = True,
                                              shorten_names: bool = True) -> pd.DataFrame | None:
        """Returns the device activities of a rank, with the innermost device annotation around each.

        user_annotation is its number, -1 for none; expand_names adds s_name, s_cat and s_user_annotation. None where the
        rank has no device annotations.
        """
        if not self.t.get_ranks():
            return None
        return user_annotations.kernels(self.t, rank, expand_names, shorten_names)

    def get_gpu_user_annotation_breakdown(
            self, use_gpu_annotation: bool = True, visualize: bool = True, duration_ratio: float = 0.8,
            num_kernels: int = 1000, allowlist_patterns: list[str] | None = None,
            image_renderer: str | None = None) -> pd.DataFrame | None:
        """Returns the time of each annotation by rank: name, sum, max, min, stddev, mean (us), rank.

        On the device, or with use_gpu_annotation=False on the host. Names that contain one of allowlist_patterns never
        go to "others". None where there are no annotations.
        """
        side = "device" if use_gpu_annotation else "host"
        df = self._numbers.annotations(side, num_kernels, duration_ratio, allowlist_patterns)
        if visualize and df is not None:
            figures.annotated(df, "User annotation", image_renderer)
        return df

    def get_temporal_breakdown(self, visualize: bool = True) -> pd.DataFrame:
        """Returns idle, compute, other and all time (us, and the first three in %) of each rank's device work."""
        df = self._numbers.temporal()
        if visualize:
            figures.temporal(df)
        return df

    def get_frequent_cuda_kernel_sequences(
            self, operator_name: str, output_dir: str, min_pattern_len: int = 3, rank: int = 0, top_k: int = 5,
            visualize: bool = False, compress_other_kernels: bool = True) -> pd.DataFrame:
        """Returns the sequences of kernels that operators of this name launch: pattern, count, and both times (us).

        Writes overlaid_<trace> to output_dir, where args.Patterns marks the events of the top_k patterns. Raises
        ValueError for an empty operator_name and for a directory that cannot be written to.
        """
        if not operator_name:
            raise ValueError("operator_name is empty: pass the name of an operator, such as 'aten::linear'")
        folder = launches.checked_folder(output_dir)
        self.t.source.checked([rank])
        df = self._numbers.sequences(rank, operator_name, min_pattern_len)
        if len(df):
            path = os.path.join(folder, "overlaid_" + os.path.basename(self.t.trace_files[rank]))
            self.t.write_raw_trace(path, patterns.overlaid(self.t, rank, df[:top_k], operator_name, compress_other_kernels))
            if visualize:
                figures.patterns(df[:top_k], rank)
        return df

    def get_aten_op_kernels_and_delay(self, ranks: list[int] | None = None,
                                      sort_by: list[str] | None = None) -> dict[int, pd.DataFrame]:
        """Returns, by rank, the kernels that each operator launches, how often, and the mean delays (us) of the first.

        Delays are from the operator's start to the launch call, and from there to the kernel's start.
        """
        tables = self._numbers.operators(self.t.source.checked(ranks), sort_by or ["occurrence_count"])
        for rank, df in tables.items():
            figures.operators(df, rank)
        return tables

    def get_cuda_kernel_launch_stats(
            self, ranks: list[int] | None = None, runtime_cutoff: int = 50, launch_delay_cutoff: int = 100,
            include_memory_events: bool = True, visualize: bool = True) -> dict[int, pd.DataFrame]:
        """Returns, by rank, each launch: correlation, cpu_duration, gpu_duration and launch_delay (us).

        The cutoffs (us) are those of the figures. include_memory_events=False leaves copies and memsets out.
        """
        tables = self._numbers.launches(self.t.source.checked(ranks), include_memory_events)
        if visualize:
            for rank, df in tables.items():
                figures.launches(df, rank, runtime_cutoff, launch_delay_cutoff)
        return tables

    def generate_trace_with_counters(self, time_series: TimeSeriesTypes | None = None, ranks: list[int] | None = None,
                                     output_suffix: str = "_with_counters") -> None:
        """Writes each rank's trace again, beside itself, with queue lengths and copy bandwidth as counters."""
        wanted = time_series or TimeSeriesTypes.QUEUE_LENGTH | TimeSeriesTypes.MEMCPY_BANDWIDTH
        for rank in self.t.source.checked(ranks):
            queue = self._numbers.queue_points(rank) if TimeSeriesTypes.QUEUE_LENGTH in wanted else None
            copies = self._numbers.bandwidth_points(rank) if TimeSeriesTypes.MEMCPY_BANDWIDTH in wanted else None
            self.t.write_raw_trace(*counters.counter_file(self.t, rank, queue, copies, output_suffix))

    def get_queue_length_summary(self, ranks: list[int] | None = None) -> pd.DataFrame | None:
        """Returns statistics of the activities launched and not started, by rank and stream; None without launches."""
        return self._numbers.queue_summary(self.t.source.checked(ranks))

    def get_queue_length_summary_from_time_series(self, queue_length_dict: dict[int, pd.DataFrame]) -> pd.DataFrame | None:
        """Returns the same of what get_queue_length_time_series() returned."""
        return counters.queue_summary_of(queue_length_dict)

    def get_queue_length_time_series(self, ranks: list[int] | None = None) -> dict[int, pd.DataFrame]:
        """Returns, by rank, the activities launched and not started after each launch and each start.

        ts (us), pid, tid, stream, queue_length. Ranks without launches are left out.
        """
        series = {rank: self._numbers.queue_points(rank) for rank in self.t.source.checked(ranks)}
        return {rank: points for rank, points in series.items() if points is not None}

    def get_time_spent_blocked_on_full_queue(self, queue_length_dict: dict[int, pd.DataFrame],
                                             max_queue_length: int = QUEUE_LIMIT) -> pd.DataFrame | None:
        """Returns how long (us, and as a share of the trace) streams had that many activities waiting, by rank."""
        return self._numbers.blocked(queue_length_dict, max_queue_length)

    def get_memory_bw_summary(self, ranks: list[int] | None = None) -> pd.DataFrame | None:
        """Returns statistics of GB/s of concurrent copies, by rank and direction; None without copies."""
        return self._numbers.bandwidth_summary(self.t.source.checked(ranks))

    def get_memory_bw_time_series(self, ranks: list[int] | None = None) -> dict[int, pd.DataFrame]:
        """Returns, by rank, GB/s of concurrent copies of a direction after each start and end: ts, pid, name,
        memory_bw_gbps. Ranks without copies are left out."""
        series = {rank: self._numbers.bandwidth_points(rank) for rank in self.t.source.checked(ranks)}
        return {rank: points for rank, points in series.items() if points is not None}

    def get_idle_time_breakdown(
            self, ranks: list[int] | None = None, streams: list[int] | None = None, visualize: bool = True,
            visualize_pctg: bool = True, show_idle_interval_stats: bool = False,
            consecutive_kernel_delay: int = 30) -> tuple[pd.DataFrame, pd.DataFrame | None]:
        """Returns the idle time of each stream by cause, and with show_idle_interval_stats statistics of the gaps.

        Causes are host_wait (launched too late), kernel_wait (a gap shorter than consecutive_kernel_delay, in us) and
        other. The first has rank, stream, idle_category, idle_time (us) and idle_time_ratio.
        """
        asked = self.t.source.checked(ranks)
        df = self._numbers.idle(asked, streams, consecutive_kernel_delay)
        if visualize:
            for rank in asked:
                figures.idle(df[df["rank"] == rank], rank, visualize_pctg)
        if not show_idle_interval_stats:
            return df, None
        return df, self._numbers.idle_intervals(asked, streams, consecutive_kernel_delay)

    def get_cupti_counter_data_with_operators(self, ranks: list[int] | None = None) -> list[pd.DataFrame]:
        """Returns a frame per rank with hardware counters: a row per kernel, a column per counter, and its operators.

        op_stack lists the operators around its launch, outermost first. [] without counters.
        """
        if not self.t.get_ranks():
            return []
        tables = [self._numbers.counters(rank) for rank in self.t.source.checked(ranks)]
        return [table for table in tables if table is not None]

    def critical_path_analysis(
            self, rank: int, annotation: str, instance_id: critical_path.Instance,
            data_load_events: list[str] | None = None) -> tuple[critical_path.CriticalPath, bool] | None:
        """Returns the critical path of a range, and whether there is one; None where no such range is recorded.

        annotation is part of the range's name ("ProfilerStep"), instance_id counts ranges with it from 0, and (first, last)
        is from the start of one to the end of another. "" is the whole trace. Host events whose name contains one of
        data_load_events are data loading.
        """
        self.t.source.checked([rank])
        frame, symbols = self.t.whole(rank), self.t.symbol_table
        region = critical_path.region(frame, symbols, annotation, instance_id)
        if region is None:
            return None
        path = critical_path.analyze(self.t.source, rank, region, frame, symbols, data_load_events)
        return None if path is None else (path, path.critical_path())

    def overlay_critical_path_analysis(
            self, rank: int, critical_path_graph: critical_path.CriticalPath, output_dir: str,
            only_show_critical_events: bool = True, show_all_edges: bool = False) -> str:
        """Writes overlaid_critical_path_<trace> to output_dir and returns its path; the directory is made if missing.

        args.critical = 1 marks what is on the path. only_show_critical_events leaves other operators and activities out.
        show_all_edges is HTA's and changes nothing: arrows are those of the path.
        """
        return critical_path.overlay(self.t, critical_path_graph, output_dir, only_show_critical_events)
