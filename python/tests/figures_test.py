"""Tests that figures show what tables hold: values, units, colors and names."""
import json

import pytest

import stepscope

pytest.importorskip("plotly")
from stepscope.figures import look, timeline  # noqa: E402
from stepscope.plots import report_figure  # noqa: E402


@pytest.fixture(scope="module")
def after(tmp_path_factory, run_program):
    """The same job without its slow rank."""
    folder = tmp_path_factory.mktemp("jobs") / "after"
    made = run_program("demo", folder, "--slow-rank", "-1", "--exposed", "0.2")
    assert made.returncode == 0, made.stderr
    return folder


def table_of(report, key=None):
    return report.table(key).to_dict()


def by_name(figure):
    return {trace.name: trace for trace in figure.data}


def test_units():
    scale = look.Scale("ns", [1200, 3_000_000, None])
    assert (scale.unit, scale.of(1500), scale.of(None)) == ("ms", 0.0015, None)
    assert look.Scale("ns", []).unit == "ns"
    assert look.Scale("ns", [7.2e12]).title("time") == "time (h)"
    assert (look.Scale("ratio", [0.2]).of(0.2), look.Scale("ratio", [0.2]).unit) == (pytest.approx(20), "%")
    assert look.Scale("count", [5]).title("calls") == "calls"


def test_names_are_cut_in_the_middle_and_hold_no_markup():
    assert look.cut("a" * 40) == "a" * 40
    assert look.cut("begin" + "x" * 60 + "end", 20) == "begin" + "x" * 8 + "…xxxend"
    assert look.shown("f<int>\x1b") == "f&lt;int&gt;\N{REPLACEMENT CHARACTER}"
    assert look.shades("compute", 3)[0] == look.KINDS["compute"] and len(set(look.shades("compute", 3))) == 3


def test_colors_are_those_of_the_page():
    from pathlib import Path

    palette = Path(__file__).parents[2] / "ui/src/shell/palette.ts"
    text = palette.read_text()
    for kind, color in look.KINDS.items():
        assert f'{kind}: look("{color}"' in text
    assert ", ".join(f'"{color}"' for color in look.CURVES) in text


def test_temporal_bars(run):
    report = run.temporal_breakdown()
    rows, figure = table_of(report), report.plot()
    assert figure.layout.barmode == "stack" and figure.layout.yaxis.title.text == "share (%)"
    for trace, key, kind in zip(figure.data, ("compute_ratio", "non_compute_ratio", "idle_ratio"),
                                ("compute", "communication", "idle")):
        assert list(trace.x) == rows["rank"]
        assert list(trace.y) == pytest.approx([100 * value for value in rows[key]])
        assert trace.marker.color == look.KINDS[kind]
    assert [sum(trace.y[0] for trace in figure.data)] == pytest.approx([100])


def test_overlap(run):
    rows, figure = table_of(run.comm_overlap()), run.comm_overlap().plot()
    assert figure.layout.yaxis.title.text == "time (ms)"
    assert [list(trace.y) for trace in figure.data] == [
        pytest.approx([value / 1e6 for value in rows[key]]) for key in ("overlapped", "exposed")]
    assert list(figure.data[0].text) == [f"{share:.1%}" for share in rows["overlap_ratio"]]


def test_a_ring_of_kinds(run):
    rows, figure = table_of(run.kernel_breakdown()), run.kernel_breakdown().plot()
    ring, every = figure.data[0], [place for place, rank in enumerate(rows["rank"]) if rank == "all"]
    told = dict(zip(ring.labels, ring.values))
    assert told == pytest.approx({rows["kinds"][row]: rows["time"][row] / 1e9 for row in every})
    assert dict(zip(ring.labels, ring.marker.colors))["compute + communication"] == look.KINDS["overlap"]


def test_rings_of_kernels(run):
    rows, figure = table_of(run.kernel_breakdown(), "top"), run.kernel_breakdown().plot("top")
    kinds = [note.text for note in figure.layout.annotations]
    assert set(kinds) == set(rows["kind"]) and len(figure.data) == len(kinds)
    for kind, ring in zip(kinds, figure.data):
        name = next(name for name, of in zip(rows["name"], rows["kind"]) if of == kind)
        assert ring.customdata[0] == look.shown(name) and ring.marker.colors[0] == look.KINDS[kind]


def test_rings_name_their_kernels_and_their_whole(run):
    rows, figure = table_of(run.kernel_breakdown(), "top"), run.kernel_breakdown().plot("top")
    copies = figure.data[[note.text for note in figure.layout.annotations].index("memory")]
    whole = sum(time for time, of in zip(rows["sum"], rows["kind"]) if of == "memory")
    assert copies.title.text == f"{whole / 1e3:,.3g} µs"
    assert len({ring.legend for ring in figure.data}) == len(figure.data) and figure.layout.showlegend


def test_rings_keep_what_they_do_not_name(run):
    rows, figure = table_of(run.kernel_breakdown(), "top"), run.kernel_breakdown().plot("top")
    compute = [value for value, of in zip(rows["sum"], rows["kind"]) if of == "compute"]
    ring = figure.data[[note.text for note in figure.layout.annotations].index("compute")]
    assert len(compute) > 9 and ring.labels[-1] == f"{len(compute) - 8} others"
    whole, scale = sum(compute), sum(ring.values)
    assert ring.values[0] / scale == pytest.approx(max(compute) / whole)
    assert ring.values[-1] / scale == pytest.approx(sum(sorted(compute)[:-8]) / whole)


def test_rings_do_not_add_up_what_is_cut_alike():
    names = ["kernel<" + "a" * 40 + f"{n}" + "b" * 40 + ">" for n in range(3)]
    assert len(set(look.distinct(names, 34))) == 3 and look.distinct(["gemm", "copy"], 34) == ["gemm", "copy"]


def test_kernel_durations_over_ranks(run):
    rows, figure = table_of(run.kernel_breakdown(), "kernels"), run.kernel_breakdown().plot("kernels")
    assert len(figure.data) == 6
    for panel, axis in zip(figure.data, figure.select_yaxes()):
        name = panel.customdata[0][0]
        mine = [row for row, one in enumerate(rows["name"]) if look.shown(one) == name]
        by = {"ms": 1e6, "µs": 1e3}[axis.title.text.split("(")[1][:-1]]
        assert list(panel.x) == [rows["rank"][row] for row in mine]
        assert list(panel.y) == pytest.approx([rows["mean"][row] / by for row in mine])
        assert [y + up for y, up in zip(panel.y, panel.error_y.array)] == pytest.approx(
            [rows["max"][row] / by for row in mine])
        assert [y - down for y, down in zip(panel.y, panel.error_y.arrayminus)] == pytest.approx(
            [rows["min"][row] / by for row in mine])


def test_kernels_by_pattern(run):
    figure = run.kernel_breakdown().plot("kernels", name="*AllReduce*")
    assert [panel.marker.color for panel in figure.data] == [look.KINDS["communication"]]


def test_spread_over_ranks(run):
    rows, bar = table_of(run.kernel_distribution()), run.kernel_distribution().plot().data[0]
    assert list(bar.x) == pytest.approx([value / 1e6 for value in rows["mean"][:20]])
    assert run.kernel_distribution().plot().layout.title.text.endswith(f", 20 of {len(rows['mean'])}")
    assert bar.x[0] + bar.error_x.array[0] == pytest.approx(rows["max"][0] / 1e6)
    assert bar.customdata[0][4] == rows["slowest_rank"][0] == 2


def test_launch_histograms(run):
    report = run.launch_stats()
    figure, delays = report.plot(), report.series["delay_histogram"]
    assert list(figure.data[0].y) == delays.y
    assert list(figure.data[0].x)[1:] == [edge / 1000 for edge in delays.x[1:]]
    assert figure.layout.xaxis.type == "log" and figure.layout.xaxis.title.text == "launch delay (µs)"
    assert sum(figure.data[1].y) == sum(report.table("ranks")["short_kernels"])


def test_queue_length(run):
    report = run.queue_length()
    figure, rows = report.plot(), table_of(report, "streams")
    assert [trace.name for trace in figure.data] == [f"rank {rank}, stream 7" for rank in range(4)]
    most = {rank: most for rank, stream, most in zip(rows["rank"], rows["stream"], rows["max"]) if stream == 7}
    assert figure.layout.yaxis.title.text == "activities" and figure.layout.xaxis.title.text.startswith("time (")
    for rank, trace in enumerate(figure.data):
        assert trace.line.shape == "hv" and 0.9 * most[rank] <= max(trace.y) <= most[rank]


def test_steps_are_stacked_by_part(run):
    rows, figure = table_of(run.overview(), "steps"), run.overview().plot("steps")
    compute = by_name(figure)["device compute"]
    assert list(compute.x) == pytest.approx([value / 1e6 for value in rows["device_compute"]])
    assert compute.marker.color == look.KINDS["compute"] and compute.customdata[0] == "rank 0, step 3"
    assert "compilation" not in by_name(figure)


def test_phases_are_stacked_by_rank(run):
    rows, figure = table_of(run.phases()), run.phases().plot()
    forward = [busy for busy, phase in zip(rows["busy"], rows["phase"]) if phase == "forward"]
    assert list(by_name(figure)["forward"].y) == pytest.approx([value / 1e6 for value in forward])


def test_a_heat_map_of_ranks_and_steps(run):
    rows, figure = table_of(run.imbalance(), "matrix"), run.imbalance().plot("matrix", column="compute")
    heat = figure.data[0]
    for rank, step, value in zip(rows["rank"], rows["step"], rows["compute"]):
        assert heat.z[list(heat.y).index(rank)][list(heat.x).index(step)] == pytest.approx(value / 1e6)


def test_trace_diff(run, after):
    report = stepscope.compare(run, after)["compare"]
    rows, figure = table_of(report, "kernels"), report.plot("kernels")
    before, changed = by_name(figure)["before"], by_name(figure)["after"]
    assert list(before.x) == pytest.approx([value / 1e9 for value in rows["gpu_time_a"][:12]])
    assert list(changed.x) == pytest.approx([value / 1e9 for value in rows["gpu_time_b"][:12]])
    assert changed.text[0] == f"{rows['gpu_time_change_ratio'][0]:+.1%}"
    assert list(before.customdata) == list(map(look.shown, rows["name"][:12]))
    shares = stepscope.compare(run, after)["comm_overlap"].plot("ranks", column="overlap_ratio")
    assert all(text.startswith("+2") and text.endswith(" pp") for text in shares.data[1].text)
    counts = report.plot("kernels", column="count")
    assert list(counts.data[0].x) == rows["count_a"][:12] and set(counts.data[1].text) == {"="}


def test_each_table_of_a_comparison_is_drawn_or_says_why_not(run, after):
    drawn = 0
    for report in stepscope.compare(run, after).values():
        for key, table in report.tables.items():
            for column in (None, *(one.key for one in table.columns)):
                try:
                    drawn += bool(report.plot(key, column=column).data)
                except stepscope.QuestionError as error:
                    assert error.hint or "nothing to draw" in error.what
    assert drawn > 100


def test_timeline_over_ranks(run):
    figure = run.timeline(step=4)
    assert "step 4" in figure.layout.title.text and figure.layout.xaxis.title.text == "time (ms)"
    compute = by_name(figure)["compute"]
    lanes = {f"rank {rank}, stream 7" for rank in range(4)}
    assert set(compute.y) == lanes and compute.marker.color == look.KINDS["compute"]
    events = run.events(2, ["start", "duration"], "compute", 4).to_dict()
    busy = sum(events["duration"]) / 1e6
    drawn = sum(width for lane, width in zip(compute.y, compute.x) if lane == "rank 2, stream 7")
    assert busy <= drawn * (1 + 1e-9) and drawn <= 1.1 * busy + 1


def test_a_timeline_of_many_ranks_has_a_row_for_each(tmp_path, run_program):
    assert run_program("demo", tmp_path / "job", "--ranks", 9, "--steps", 2, "--layers", 2,
                       "--clock-spread", "5ms").returncode == 0
    with stepscope.open(tmp_path / "job", progress=False) as job:
        figure = job.timeline()
        assert list(figure.layout.yaxis.categoryarray) == [f"rank {rank}" for rank in range(9)]
        assert [trace.name for trace in figure.data] == ["communication", "memory", "compute"]
        above, below = by_name(figure)["compute"], by_name(figure)["communication"]
        assert above.offset + above.width <= below.offset  # what overlaps in time is seen
        ends = {}
        for lane, begin, width in zip(figure.data[0].y, figure.data[0].base, figure.data[0].x):
            ends[lane] = max(ends.get(lane, 0), begin + width)
        assert max(ends.values()) - min(ends.values()) < 0.1  # ms: a collective ends everywhere at once
        assert set(job.timeline(ranks=[3]).data[0].y) == {"rank 3, stream 20"}


def test_boxes_closer_than_a_pixel_are_one():
    import numpy as np

    lane = timeline._Lane("rank 0", "compute", np.array([50, 0, 12, 100]), np.array([60, 10, 30, 101]),
                          np.array([0, 1, 0, 1]), ["short", "other"])
    drawn = [box[2:] for box in timeline.boxes(lane, 5)]
    assert drawn == [(0, 30, 2, "short"), (50, 60, 1, "short"), (100, 101, 1, "other")]


def test_curves_have_units(run):
    figure = run.memory_timeline().plot()
    assert figure.layout.yaxis.title.text == "memory (GB)" and len(figure.data) == 8
    series = next(iter(run.memory_timeline().series.values()))
    assert list(figure.data[0].y) == pytest.approx([value / 1e9 for value in series.y])


def test_attempts_of_a_job(tmp_path):
    from stepscope.goodput import Recorder, report

    recorder = Recorder("job", directory=tmp_path, rank=0, heartbeat_s=0)
    for step in range(10):
        recorder.record_step_start_time(step, 1_800_000_000 + 600 * step)
    recorder.record_job_end_time(1_800_000_000 + 6000)
    answer = report(tmp_path, job="job")["goodput"]
    bars = answer.plot()
    rows = answer.table("buckets").to_dict()
    assert list(bars.data[0].y) == pytest.approx([value / 3600e9 for value in rows["time"]])
    assert bars.data[0].marker.color[0] == look.KINDS["productive"]
    segments = answer.plot("segments")
    lasted = sum(answer.table("segments").to_dict()["duration"])
    assert sum(sum(trace.x) for trace in segments.data) == pytest.approx(lasted / 3600e9)


def test_every_table_of_every_report_is_drawn_or_says_why_not(run):
    drawn = 0
    for report in run.analyze().values():
        for key in report.tables:
            try:
                figure = report.plot(key)
            except stepscope.QuestionError as error:
                assert error.hint, (report.name, key)
                continue
            assert figure.data and figure.layout.title.text, (report.name, key)
            json.loads(figure.to_json())
            drawn += 1
    assert drawn > 60


def test_what_cannot_be_drawn(run):
    with pytest.raises(stepscope.QuestionError, match="no column 'nothing' to draw(.|\n)*name one of"):
        run.operators().plot("top", column="nothing")
    with pytest.raises(stepscope.QuestionError, match="there is no table"):
        run.operators().plot("nothing")
    with pytest.raises(stepscope.QuestionError):
        report_figure(run.kernel_groups())


def test_a_run_without_devices_has_no_timeline_but_says_where_to_look(tmp_path):
    (tmp_path / "rank0.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 50}]}))
    with stepscope.open(tmp_path) as run, pytest.raises(stepscope.QuestionError, match="run.show"):
        run.timeline()


def test_operators_without_kernels_are_an_empty_table_of_hta(tmp_path):
    from stepscope.hta import TraceAnalysis

    (tmp_path / "rank0.json").write_text(json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": 0}, "traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 50}]}))
    assert len(TraceAnalysis(trace_dir=str(tmp_path)).get_aten_op_kernels_and_delay()[0]) == 0
