"""Tests Trace, TraceDiff, MemoryAnalysis, stragglers, and HTA's imports."""
import gzip
import json
import subprocess
import sys

import pytest

import hta_traces
from hta_traces import ALL_REDUCE, COPY, GEMM

pd = pytest.importorskip("pandas")
from stepscope.hta import DeviceType, LabeledTrace, MemoryAnalysis, Trace, TraceAnalysis, TraceDiff  # noqa: E402

HTA_COLUMNS = {"index", "cat", "name", "pid", "tid", "ts", "dur", "stream", "correlation", "bytes", "memory_bw_gbps",
               "wait_on_stream", "wait_on_cuda_event_record_corr_id", "input_dims", "input_type", "input_strides",
               "external_id", "python_id", "python_parent_id", "collective_name", "in_msg_nelems", "out_msg_nelems",
               "msg_dtype", "group_size", "process_rank", "in_split_size", "out_split_size", "index_correlation",
               "iteration", "end"}


def test_frame_of_a_rank(tmp_path):
    hta_traces.write(tmp_path)
    trace = Trace(trace_dir=str(tmp_path))
    trace.load_traces()
    trace.decode_symbol_ids()
    frame = trace.get_trace(0)
    assert set(frame.columns) == HTA_COLUMNS | {"s_name", "s_cat"}
    gemm = frame[frame["s_name"] == GEMM].iloc[1]
    assert gemm[["ts", "dur", "end", "stream", "iteration", "s_cat"]].tolist() == [140, 20, 160, 7, 2, "kernel"]
    call = frame.loc[gemm["index_correlation"]]
    assert call[["s_name", "ts", "correlation", "index_correlation"]].tolist() == ["cudaLaunchKernel", 120, 20, gemm["index"]]


def test_the_last_step_is_left_out_of_frames(tmp_path):
    hta_traces.write(tmp_path)
    trace = Trace(trace_dir=str(tmp_path))
    trace.load_traces()
    assert trace.get_iterations(0) == [1, 2]
    trace.load_traces(include_last_profiler_step=True)
    assert trace.get_iterations(0) == [1, 2, 3]
    assert trace.get_ranks() == [0]
    assert trace.get_trace_duration(0) == 290


def test_work_without_a_launch_is_left_out(tmp_path):
    alone = hta_traces.device("kernel", "lonely", 20, 5, 7)
    hta_traces.write(tmp_path, events=[*hta_traces.step(1), alone, *hta_traces.step(2)])
    trace = Trace(trace_dir=str(tmp_path))
    trace.load_traces()
    trace.decode_symbol_ids()
    assert "lonely" not in set(trace.get_trace(0)["s_name"])


def test_ranks_that_the_caller_gives(tmp_path):
    paths = {3: hta_traces.write(tmp_path, rank=0), 8: hta_traces.write(tmp_path, rank=1)}
    job = TraceAnalysis(trace_files=paths)
    assert job.get_temporal_breakdown(visualize=False)["rank"].tolist() == [3, 8]
    assert list(job.get_queue_length_time_series(ranks=[8])) == [8]


def test_a_directory_that_is_not_there(tmp_path, caplog):
    job = TraceAnalysis(trace_dir=str(tmp_path / "none"))
    assert "no directory" in caplog.text
    assert job.t.get_ranks() == []
    with pytest.raises(ValueError, match="no trace of rank 0"):
        job.get_idle_time_breakdown(visualize=False)


def test_stragglers(tmp_path):
    for rank in (0, 1):
        events = [event for number in range(1, 5) for event in hta_traces.step(number, late=20 * rank)]
        hta_traces.write(tmp_path, rank=rank, events=events)
    job = TraceAnalysis(trace_dir=str(tmp_path))
    seen = {}

    def latest(df, symbols, most, visualize):
        seen.update(ranks=sorted(df["rank"].unique()), steps=sorted(df["iteration"].unique()), most=most)
        return pd.Series({0: 0, 1: 1})

    assert job.get_potential_stragglers([1, 2], 1, straggler_identification_impl=latest) == [1]
    assert seen == {"ranks": [0, 1], "steps": [1, 2], "most": 1}
    with pytest.raises(ValueError, match="none of the steps"):
        job.get_potential_stragglers([77])


@pytest.fixture()
def before_and_after(tmp_path):
    for name, changed in (("before", {}), ("after", {GEMM: "hopper_gemm"})):
        (tmp_path / name).mkdir()
        events = [{**event, "name": changed.get(event["name"], event["name"])} for event in hta_traces.step(1)]
        hta_traces.write(tmp_path / name, events=events)
    return str(tmp_path / "before"), str(tmp_path / "after")


def test_comparison(before_and_after):
    df = TraceDiff.compare_traces(*before_and_after, device_type=DeviceType.GPU, use_short_name=True)
    assert df.index.name == "short_name"
    assert df.columns.tolist() == ["Control_counts", "Control_total_duration", "Test_counts", "Test_total_duration",
                                   "diff_counts", "diff_duration", "counts_change_categories"]
    assert df.loc[GEMM].tolist() == [1, 20, 0, 0, -1, -20, "-"]
    assert df.loc[COPY].tolist() == [1, 5, 1, 5, 0, 0, "="]
    assert "add" in df.index


def test_names_that_changed(before_and_after):
    control, test = (LabeledTrace(label="x", trace_dir=folder) for folder in before_and_after)
    found = TraceDiff.ops_diff(control, test, device_type=DeviceType.GPU)
    assert found["added"] == ["hopper_gemm"]
    assert found["deleted"] == [GEMM]
    assert ALL_REDUCE in found["unchanged"]
    assert (control.label, test.label) == ("x_control", "x_test")


def test_events_of_the_host(before_and_after):
    ops = LabeledTrace(trace_dir=before_and_after[0])
    assert ops.ranks() == [0] and ops.iterations() == [1]
    summary = ops.get_ops_summary(ops.extract_ops(device_type=DeviceType.CPU)).set_index("name")
    assert summary.loc["cudaLaunchKernel", ["cat", "counts", "total_duration"]].tolist() == ["cuda_runtime", 2, 6]
    with pytest.raises(ValueError, match="no iteration 9"):
        ops.extract_ops(iteration=9)


def test_memory(tmp_path):
    path = tmp_path / "timeline.raw.json.gz"
    with gzip.open(path, "wt") as file:
        json.dump([[-1, 0, 100, 0], [50, 1, 30, 4], [50, 1, 5, 5], [70, 2, -30, 4]], file)
    moments, sizes = MemoryAnalysis(str(path))._process_raw_events()
    assert moments == [50, 50, 70]
    assert [s[0] for s in sizes] == [100, 100, 100]
    assert [s[4:6] for s in sizes] == [[0, 0], [30, 5], [0, 5]]


IMPORTS = """
import stepscope.hta
stepscope.hta.install()
from hta.trace_analysis import TraceAnalysis, TimeSeriesTypes
from hta.trace_diff import TraceDiff, LabeledTrace, DeviceType
from hta.memory_analysis import MemoryAnalysis
from hta.common.trace import Trace
assert TraceAnalysis is stepscope.hta.TraceAnalysis
assert Trace is stepscope.hta.Trace
try:
    import hta.configs.parser_config
except ModuleNotFoundError as error:
    assert "cookbook-events" in str(error)
else:
    raise SystemExit("a parser configuration was found")
stepscope.hta.uninstall()
try:
    import hta.trace_analysis as theirs
except ImportError:
    pass
else:
    assert theirs.TraceAnalysis is not TraceAnalysis
"""


def test_imports_of_hta():
    subprocess.run([sys.executable, "-c", IMPORTS], check=True, timeout=120)


def test_import_is_light():
    code = "import sys, stepscope.hta; print([m for m in ('pandas', 'plotly', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("strict, expected", [(False, [40.4, 19.9]), (True, [41, 19])])
def test_fractions_of_microseconds(tmp_path, strict, expected):
    events = hta_traces.step(1)
    for event in events:
        if event["name"] == GEMM:
            event.update(ts=event["ts"] + 0.4, dur=19.9)
    hta_traces.write(tmp_path, events=events)
    trace = Trace(trace_dir=str(tmp_path), strict=strict)
    trace.load_traces()
    trace.decode_symbol_ids()
    frame = trace.get_trace(0)
    assert frame.loc[frame["s_name"] == GEMM, ["ts", "dur"]].iloc[0].tolist() == pytest.approx(expected)


def test_overlapping_work_of_a_stream(tmp_path):
    """HTA's gap before a kernel begins where the kernel before it ended; here where all before it have ended."""
    long = hta_traces.launched("cudaLaunchKernel", "kernel", "long", 15, 39, 60, 7, 99)
    hta_traces.write(tmp_path, events=[*hta_traces.step(1), *long])
    waits = {strict: TraceAnalysis(trace_dir=str(tmp_path), strict=strict).get_idle_time_breakdown(visualize=False)[0]
             for strict in (False, True)}
    kernel_wait = {strict: df.query("stream == 7 and idle_category == 'kernel_wait'")["idle_time"].sum()
                   for strict, df in waits.items()}
    assert kernel_wait == {False: 0, True: -57}  # 40 - 99 and 62 - 60


def test_strict_by_default(tmp_path):
    from stepscope.hta import install, uninstall

    hta_traces.write(tmp_path)
    install(strict=True)
    try:
        assert TraceAnalysis(trace_dir=str(tmp_path)).t.strict
        assert not TraceAnalysis(trace_dir=str(tmp_path), strict=False).t.strict
    finally:
        uninstall()
    assert not TraceAnalysis(trace_dir=str(tmp_path)).t.strict
