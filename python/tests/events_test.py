"""Events as columns: values, links, selection, frames."""
import json

import pandas
import polars
import pyarrow
from pathlib import Path

import pytest

import stepscope
from stepscope.events import column_names


def event(category, name, thread, start, length, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": start, "dur": length, "args": args}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Two steps; in the first an operator in an operator launches a kernel, which runs when the step is over."""
    path = tmp_path_factory.mktemp("small") / "rank0.json"
    device = {"device": 0, "stream": 7}
    events = [
        event("user_annotation", "ProfilerStep#3", 1, 0, 100),
        event("cpu_op", "aten::linear", 1, 10, 50, **{"Input Dims": [[2, 3]], "External id": 5}),
        event("cpu_op", "aten::addmm", 1, 20, 30),
        event("cuda_runtime", "cudaLaunchKernel", 1, 30, 5, correlation=77),
        event("user_annotation", "ProfilerStep#4", 1, 100, 100),
        {**event("kernel", "gemm", 7, 110, 40, correlation=77, **device), "pid": 0},
        {**event("gpu_memcpy", "Memcpy HtoD", 7, 160, 5, correlation=99, bytes=4096, **device), "pid": 0},
        event("cpu_op", "aten::relu", 2, 120, 5),
    ]
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    with stepscope.open(path) as run:
        yield run


def test_columns_have_what_the_trace_says(small):
    events = small.events(columns=["index", "rank", "name", "kind", "start", "duration", "end", "device", "stream",
                                   "thread", "correlation", "bytes", "input_shapes"])
    rows = dict(zip(events.to_dict()["name"], zip(*events.to_dict().values())))
    assert len(events) == 8
    assert rows["gemm"] == (5, 0, "gemm", "compute", 110_000, 40_000, 150_000, 0, 7, None, 77, None, None)
    assert rows["Memcpy HtoD"][3] == "memcpy" and rows["Memcpy HtoD"][11] == 4096
    assert rows["aten::linear"][7:9] == (None, None) and rows["aten::linear"][9] == "1"
    assert rows["aten::linear"][12] == "[[2,3]]" or rows["aten::linear"][12] == "[[2, 3]]"


def test_links_join_launch_step_operator_and_parent(small):
    linked = small.events(columns=["name", "launch", "operator", "parent", "depth", "step"]).to_dict()
    by_name = {name: dict(zip(linked, row)) for name, row in zip(linked["name"], zip(*linked.values()))}
    names = linked["name"]
    assert names[by_name["gemm"]["launch"]] == "cudaLaunchKernel"
    assert names[by_name["gemm"]["operator"]] == "aten::addmm"
    assert by_name["gemm"]["parent"] is None
    assert by_name["gemm"]["step"] == 3, "it was launched in step 3, and ran in step 4"
    assert by_name["Memcpy HtoD"]["launch"] is None and by_name["Memcpy HtoD"]["step"] is None
    assert names[by_name["cudaLaunchKernel"]["parent"]] == "aten::addmm"
    assert names[by_name["aten::addmm"]["operator"]] == "aten::linear"
    assert names[by_name["aten::linear"]["parent"]] == "ProfilerStep#3"
    assert by_name["cudaLaunchKernel"]["depth"] == 3
    assert (by_name["aten::relu"]["parent"], by_name["aten::relu"]["step"]) == (None, 4)


def test_selects_by_kind_and_step(small):
    assert small.events(columns=["name"], kind="kernel").to_dict()["name"] == ["gemm"]
    assert small.events(columns=["name"], kind="device").to_dict()["name"] == ["gemm", "Memcpy HtoD"]
    assert small.events(columns=["name"], kind=["runtime", "memcpy"]).to_dict()["name"] == ["cudaLaunchKernel", "Memcpy HtoD"]
    assert small.events(columns=["name"], step=4).to_dict()["name"] == ["ProfilerStep#4", "aten::relu"]
    assert small.events(columns=["index", "launch"], kind="kernel", step=3).to_dict() == {"index": [5], "launch": [3]}
    with pytest.raises(stepscope.QuestionError, match="no step 17(.|\n)*3..4"):
        small.events(step=17)
    assert len(small.events(step=4, kind="memcpy")) == 0  # such a step there is


def test_overlapping_ranges_are_not_around_one_another(tmp_path):
    events = [event("cpu_op", "a", 1, 0, 10), event("cpu_op", "b", 1, 5, 10), event("cpu_op", "c", 1, 6, 3),
              event("cpu_op", "d", 1, 15, 0), event("cpu_op", "e", 1, 15, 5)]
    (tmp_path / "rank0.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    with stepscope.open(tmp_path) as run:
        parents = run.events(columns=["name", "parent"], kind="operator").to_dict()
    assert dict(zip(parents["name"], parents["parent"])) == {"a": None, "b": None, "c": 1, "d": 4, "e": None}


def test_frames_and_arrow_agree(run):
    events = run.events(rank=2, columns=column_names())
    arrow = events.arrow()
    arrow.validate(full=True)
    assert pyarrow.types.is_dictionary(arrow.schema.field("name").type)
    assert arrow.num_rows == len(events) == polars.DataFrame(events).height
    assert arrow.to_pydict() == events.to_dict()
    frame = events.df()
    assert isinstance(frame["name"].dtype, pandas.CategoricalDtype)
    assert frame["start"].tolist() == events.to_dict()["start"]
    assert set(events.to_dict()["rank"]) == {2}


def test_events_sum_up_to_the_reports(run):
    for rank in run.ranks:
        kernels = run.events(rank, ["name", "duration", "device"], kind="device").df()
        reported = run.kernel_breakdown(ranks=[rank]).table("kernels").df()
        assert kernels["duration"].sum() == reported["sum"].sum()


def test_several_ranks_are_one_table(run):
    columns = ["rank", *(column for column in column_names() if column != "rank")]
    both = run.events([2, 0], columns)
    parts = [run.events(rank, columns) for rank in (2, 0)]
    assert both.to_dict() == {key: [*parts[0].to_dict()[key], *parts[1].to_dict()[key]] for key in columns}
    both.arrow().validate(full=True)
    names = both.arrow()["name"].chunk(0).dictionary.to_pylist()
    assert len(names) == len(set(names)), "each name stands once"
    assert both.df()["kind"].cat.categories.tolist() == parts[0].df()["kind"].cat.categories.tolist()
    everything = run.events(None, ["rank", "duration"], kind="kernel").df()
    assert everything["rank"].unique().tolist() == run.ranks
    assert len(run.events(range(4), ["start"])) == len(run.events(None, ["start"]))
    assert len(run.events([1, 1], ["start"])) == len(run.events(1, ["start"])), "a rank is there once"


def test_no_rank_is_read_twice(demo, monkeypatch):
    with stepscope.open(demo) as run:
        read = []
        core = run._recorded._core

        class Spy:
            def __getattr__(self, name):
                return getattr(core, name)

            def read_events(self, ranks):
                read.extend(ranks)
                return core.read_events(ranks)

        monkeypatch.setattr(run._recorded, "_core", Spy())
        run.events(1, ["start"])
        run.events([0, 1, 2], ["start"])
        run.events(None, ["name"])
        assert sorted(read) == [0, 1, 2, 3]
        monkeypatch.setattr(type(run._recorded), "MOST", 1)
        run.events([3, 2], ["start"])
        assert list(run._recorded._kept) == [2], "no more is kept than fits, but one"


def test_streams_of_one_rank_need_more_bits(tmp_path):
    for rank, stream in ((0, 7), (1, 1 << 40)):
        kernel = {**event("kernel", f"gemm{rank}", stream, 10, 5, device=0, stream=stream), "pid": 0}
        trace = {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": [kernel]}
        (tmp_path / f"rank{rank}.json").write_text(json.dumps(trace))
    with stepscope.open(tmp_path) as run:
        events = run.events(None, ["rank", "name", "stream", "bytes"])
    assert events.to_dict() == {"rank": [0, 1], "name": ["gemm0", "gemm1"], "stream": [7, 1 << 40], "bytes": [None, None]}


def test_memory_is_shared_and_small(run):
    events = run.events(kind="device")
    start = events.numpy("start")
    address = events.arrow()["start"].chunk(0).buffers()[1].address
    assert start.ctypes.data == address and not start.flags.writeable
    everything = run.events()
    assert everything.nbytes <= 40 * len(everything) + 100_000


def test_wrong_questions(run):
    with pytest.raises(ValueError, match="no column 'durations'(.|\n)*did you mean 'duration'"):
        run.events(columns=["durations"])
    with pytest.raises(ValueError, match="no kind of events 'kernels'(.|\n)*did you mean 'kernel'"):
        run.events(kind="kernels")
    with pytest.raises(ValueError, match="rank 9"):
        run.events(rank=9)
    with pytest.raises(ValueError, match="rank 9"):
        run.events(rank=[0, 9])
    with pytest.raises(ValueError, match="no rank was asked for"):
        run.events(rank=[])
    with pytest.raises(ValueError, match="no column 'nothing'"):
        run.events(columns=["start"]).numpy("nothing")


def test_files_that_are_gone_and_a_closed_run(demo, tmp_path):
    import shutil

    shutil.copytree(demo, tmp_path / "job")
    with stepscope.open(tmp_path / "job") as run:
        kept = run.events(0, ["start"])
        shutil.rmtree(tmp_path / "job")
        assert len(run.events(0, ["name"])) == len(kept)
        with pytest.raises(stepscope.InputError):
            run.events(1)
    assert len(kept.to_dict()["start"]) == len(kept)
    with pytest.raises(stepscope.UseError, match="closed"):
        run.events(0)


@pytest.mark.parametrize("steps", ["3..4", "3, 4", [3, 4], range(3, 5), {4, 3}, ["3", 4], "3..99"])
def test_several_steps_however_they_are_named(small, run, steps):
    both = [name for step in (3, 4) for name in small.events(columns=["name"], step=step).to_dict()["name"]]
    assert small.events(columns=["name"], step=steps).to_dict()["name"] == both
    if steps != "3..99":
        assert set(run.steps(steps=steps).table("steps")["step"]) == {3, 4}


def test_all_steps_are_all_events(small):
    assert len(small.events(step="all")) == len(small.events()) > len(small.events(step="3..4"))


@pytest.mark.parametrize("asked", [{"step": "soon"}, {"step": "4..3"}, {"step": []}, {"step": 3.0}, {"step": True}, {"step": "70..90"},
                                   {"step": "complete"}, {"columns": [1]}, {"columns": 5}, {"kind": 5}, {"kind": [None]},
                                   {"rank": "0"}, {"rank": 2**70}, {"rank": 0.5}])
def test_what_does_not_fit_is_a_question_error(small, asked):
    with pytest.raises(stepscope.QuestionError) as raised:
        small.events(**asked)
    assert raised.value.where == f"`{next(iter(asked))}`" and raised.value.hint


def test_the_documentation_lists_every_column():
    documented = (Path(__file__).parents[2] / "docs/python.md").read_text()
    assert [name for name in stepscope.events.column_names() if f"`{name}`" not in documented] == []
