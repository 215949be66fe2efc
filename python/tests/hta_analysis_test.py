"""Tests TraceAnalysis: each table of a small job, by hand."""
import gzip
import json

import pytest

import hta_traces
from hta_traces import ADD, ALL_REDUCE, COPY, GEMM

pd = pytest.importorskip("pandas")
from stepscope.hta import TimeSeriesTypes, TraceAnalysis  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three steps of a rank, of which the last does not count."""
    path = tmp_path_factory.mktemp("job")
    hta_traces.write(path)
    return path


@pytest.fixture(scope="module", params=[False, True], ids=["reports", "strict"])
def job(request, folder):
    return TraceAnalysis(trace_dir=str(folder), strict=request.param)


def same(df, columns, *rows):
    expected = pd.DataFrame(rows, columns=columns)
    pd.testing.assert_frame_equal(df.reset_index(drop=True), expected, check_dtype=False, atol=1e-3)


def test_steps(job):
    assert job.get_profiler_steps() == [1, 2]


def test_last_step_counts_when_asked_for(folder):
    job = TraceAnalysis(trace_dir=str(folder), include_last_profiler_step=True)
    assert job.get_profiler_steps() == [1, 2, 3]
    assert job.get_temporal_breakdown(visualize=False)["kernel_time(us)"].tolist() == [255]


def test_temporal_breakdown(job):
    names = ["rank", "idle_time(us)", "compute_time(us)", "non_compute_time(us)", "kernel_time(us)", "idle_time_pctg",
             "compute_time_pctg", "non_compute_time_pctg"]
    same(job.get_temporal_breakdown(visualize=False), names, (0, 65, 56, 34, 155, 41.94, 36.13, 21.94))


def test_overlap(job):
    same(job.get_comm_comp_overlap(visualize=False), ["rank", "comp_comm_overlap_pctg"], (0, 60.0))


def test_kernel_types(job):
    types, _ = job.get_gpu_kernel_breakdown(visualize=False)
    same(types, ["kernel_type", "sum", "percentage"],
         ("COMPUTATION overlapping COMMUNICATION", 36, 40.0), ("COMMUNICATION", 24, 26.7), ("COMPUTATION", 20, 22.2),
         ("MEMORY", 10, 11.1))


def test_kernels(job):
    _, kernels = job.get_gpu_kernel_breakdown(visualize=False)
    names = ["name", "sum (us)", "max (us)", "min (us)", "stddev", "mean (us)", "kernel_type", "rank"]
    same(kernels, names, (ALL_REDUCE, 60, 30, 30, 0, 30, "COMMUNICATION", 0), (GEMM, 40, 20, 20, 0, 20, "COMPUTATION", 0),
         (ADD, 16, 8, 8, 0, 8, "COMPUTATION", 0), (COPY, 10, 5, 5, 0, 5, "MEMORY", 0))


def test_kernels_without_copies(job):
    types, kernels = job.get_gpu_kernel_breakdown(visualize=False, include_memory_kernels=False)
    assert "MEMORY" not in set(kernels["kernel_type"])
    assert types["sum"].tolist() == [36, 24, 20]


def test_kernels_beyond_the_limit_are_others(folder):
    job = TraceAnalysis(trace_dir=str(folder))
    _, kernels = job.get_gpu_kernel_breakdown(visualize=False, num_kernels=1, duration_ratio=1.0)
    others = kernels[kernels["name"] == "others"].iloc[0]
    assert others[["sum (us)", "max (us)", "min (us)", "mean (us)"]].tolist() == [16, 8, 8, 8]


def test_annotations(job):
    names = ["name", "sum (us)", "max (us)", "min (us)", "stddev", "mean (us)", "rank"]
    same(job.get_gpu_user_annotation_breakdown(visualize=False), names, ("forward", 60, 30, 30, 0, 30, 0))
    host = job.get_gpu_user_annotation_breakdown(visualize=False, use_gpu_annotation=False)
    assert host["name"].tolist() == ["ProfilerStep#1", "ProfilerStep#2"][:len(host)]


def test_kernels_with_annotations(job):
    df = job.get_gpu_kernels_with_user_annotations(rank=0)
    by_name = df.groupby("s_name")["s_user_annotation"].unique().map(list).to_dict()
    assert by_name == {GEMM: ["forward"], "add": ["forward"], ALL_REDUCE: [""], COPY: [""]}


def test_idle_time(job):
    df, none = job.get_idle_time_breakdown(visualize=False)
    assert none is None
    names = ["rank", "stream", "idle_category", "idle_time", "idle_time_ratio"]
    same(df, names, (0, 7, "host_wait", 85, 0.96), (0, 7, "kernel_wait", 4, 0.04), (0, 7, "other", 0, 0),
         (0, 20, "host_wait", 70, 1), (0, 20, "other", 0, 0))


def test_idle_intervals(job):
    _, df = job.get_idle_time_breakdown(visualize=False, show_idle_interval_stats=True, streams=[7])
    assert df.index.tolist() == ["host_wait", "kernel_wait", "other"]
    assert df.loc["host_wait", ["count", "mean", "min", "50%", "max"]].tolist() == [3, 28.33, 20, 20, 45]
    assert df.loc["other", "count"] == 0


def test_launches(job):
    df = job.get_cuda_kernel_launch_stats(visualize=False)[0].sort_values("correlation")
    same(df, ["correlation", "cpu_duration", "gpu_duration", "launch_delay"],
         (10, 3, 20, 17), (11, 3, 8, 24), (12, 3, 30, 3), (13, 3, 5, 7),
         (20, 3, 20, 17), (21, 3, 8, 24), (22, 3, 30, 3), (23, 3, 5, 7))


def test_launches_without_copies(job):
    df = job.get_cuda_kernel_launch_stats(visualize=False, include_memory_events=False)[0]
    assert sorted(df["correlation"]) == [10, 11, 12, 20, 21, 22]


def test_operators(job, monkeypatch):
    monkeypatch.setattr("stepscope.hta.figures.operators", lambda *_: None)
    names = ["aten_op_name", "kernel_sequence", "occurrence_count", "avg_aten_op_launch_delay", "avg_runtime_delay"]
    same(job.get_aten_op_kernels_and_delay()[0], names, ("aten::mm", f"{GEMM} -> {ADD}", 2, 10, 20))


def test_sequences_and_their_overlay(job, tmp_path):
    df = job.get_frequent_cuda_kernel_sequences("aten::mm", str(tmp_path), min_pattern_len=2)
    pattern = f"aten::mm|{GEMM}|{ADD}"
    same(df, ["pattern", "count", "GPU kernel duration (us)", "CPU op duration (us)"], (pattern, 2, 56, 60))
    with gzip.open(tmp_path / "overlaid_rank0.json") as file:
        events = json.load(file)["traceEvents"]
    marked = [e["name"] for e in events if (e.get("args") or {}).get("Patterns") == {pattern: 2}]
    assert sorted(set(marked)) == sorted({"aten::mm", "cudaLaunchKernel", GEMM, ADD})


def test_a_sequence_that_nothing_launches(job, tmp_path):
    assert job.get_frequent_cuda_kernel_sequences("aten::none", str(tmp_path)).empty
    assert not list(tmp_path.iterdir())


def test_queue_lengths(job):
    points = job.get_queue_length_time_series()
    df = points[0]
    ts = [20, 35, 40, 62, 80, 90, 120, 135, 140, 162, 180, 190]
    assert df.loc[df["stream"] == 7, "ts"].tolist() == ts
    assert df.loc[df["stream"] == 7, "queue_length"].tolist() == [1, 2, 1, 0, 1, 0] * 2
    full = job.get_time_spent_blocked_on_full_queue(points, max_queue_length=2)
    assert full[["rank", "stream", "duration_at_max_queue_length"]].values.tolist() == [[0, 7, 10]]


def test_queue_summary(job):
    summary = job.get_queue_length_summary()
    assert summary.index.tolist() == [(0, 7), (0, 20)]
    row = summary.loc[(0, 7), "queue_length"]
    assert row[["count", "min", "50%", "max"]].tolist() == [12, 0, 1, 2]
    of_series = job.get_queue_length_summary_from_time_series(job.get_queue_length_time_series())
    pd.testing.assert_frame_equal(summary, of_series, check_dtype=False)


def test_bandwidth(job):
    df = job.get_memory_bw_time_series()[0]
    same(df, ["ts", "pid", "name", "memory_bw_gbps"], *[(ts, 0, "Memcpy HtoD", gbps)
                                                       for ts, gbps in ((90, 2), (95, 0), (190, 2), (195, 0))])
    row = job.get_memory_bw_summary().loc[(0, "Memcpy HtoD"), "memory_bw_gbps"]
    assert row[["count", "mean", "max"]].tolist() == [2, 2, 2]


def test_counters_in_a_copy_of_the_trace(folder):
    job = TraceAnalysis(trace_dir=str(folder))
    job.generate_trace_with_counters(TimeSeriesTypes.QUEUE_LENGTH, output_suffix="_counted")
    path = folder / "rank0_counted.json.gz"
    with gzip.open(path) as file:
        counters = [e for e in json.load(file)["traceEvents"] if e["ph"] == "C"]
    path.unlink()
    assert {(e["name"], e["id"]) for e in counters} == {("Queue Length", 7), ("Queue Length", 20)}
    assert min(e["ts"] for e in counters) == hta_traces.START + 20


def test_critical_path(folder, tmp_path):
    job = TraceAnalysis(trace_dir=str(folder))
    path, found = job.critical_path_analysis(rank=0, annotation="ProfilerStep", instance_id=1)
    assert found
    assert path.summary().to_dict() == {"cpu_bound": 75, "gpu_kernel_launch_overhead": 19, "gpu_memory_bound": 5,
                                        "sync": 1}
    parts = path.get_critical_path_breakdown().set_index("bound_by")
    assert parts["duration"].sum() == pytest.approx(100)
    assert parts.loc["gpu_memory_bound", ["ts", "duration", "s_name", "stream"]].tolist() == [190, 5, COPY, 7]
    waiting = parts.loc["gpu_kernel_launch_overhead"].iloc[-1]
    assert waiting[["ts", "duration", "event_idx"]].tolist() == [183, 7, parts.loc["gpu_memory_bound", "event_idx"]]
    file = job.overlay_critical_path_analysis(0, path, str(tmp_path / "new"), only_show_critical_events=False)
    with gzip.open(file) as opened:
        marked = [e for e in json.load(opened)["traceEvents"] if (e.get("args") or {}).get("critical") and e["ph"] == "X"]
    assert {e["name"] for e in marked} == {"ProfilerStep#2", "aten::mm", "c10d::allreduce_", COPY, "cudaDeviceSynchronize"}
    assert all(hta_traces.START + 100 <= e["ts"] < hta_traces.START + 200 for e in marked)


def test_critical_path_of_several_instances(folder):
    job = TraceAnalysis(trace_dir=str(folder))
    path, found = job.critical_path_analysis(rank=0, annotation="ProfilerStep", instance_id=(0, 1))
    parts = path.get_critical_path_breakdown()
    assert found and parts["ts"].min() == 0 and parts["duration"].sum() == pytest.approx(200)
    of_one_name, _ = job.critical_path_analysis(0, "aten::mm", (0, 1))
    parts = of_one_name.get_critical_path_breakdown()
    assert parts["ts"].min() == 10 and parts["duration"].sum() == pytest.approx(160), "until the second has run"
    to_the_end, _ = job.critical_path_analysis(0, "ProfilerStep", (1, 99))
    assert to_the_end.get_critical_path_breakdown()["duration"].sum() == pytest.approx(200)
    assert job.critical_path_analysis(0, "ProfilerStep", (3, 4)) is None
    assert job.critical_path_analysis(0, "ProfilerStep", (1, 0)) is None


def test_instances_of_several_names_where_one_is_the_annotation(tmp_path):
    events = hta_traces.step(1) + [hta_traces.host("user_annotation", name, ts, 10)
                                   for name, ts in (("eval", 10), ("eval of all", 30), ("eval", 50))]
    hta_traces.write(tmp_path, events=events)
    job = TraceAnalysis(trace_dir=str(tmp_path), include_last_profiler_step=True)
    path, _ = job.critical_path_analysis(0, "eval", (0, 1))
    assert path.get_critical_path_breakdown()["ts"].min() == 10
    starts = path.get_critical_path_breakdown()["ts"] + path.get_critical_path_breakdown()["duration"]
    assert starts.max() >= 40, "to the end of the second, whose name is another"


def test_critical_path_of_what_is_not_there(folder):
    assert TraceAnalysis(trace_dir=str(folder)).critical_path_analysis(0, "no such range", 0) is None


def test_no_hardware_counters(job):
    assert job.get_cupti_counter_data_with_operators() == []


def test_a_rank_that_is_not_there(job):
    with pytest.raises(ValueError, match="no trace of rank 5.*: 0"):
        job.get_queue_length_summary(ranks=[5])
