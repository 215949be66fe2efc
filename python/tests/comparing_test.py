"""Comparing runs, and what changes would be worth."""
from pathlib import Path

import pyarrow
import pyarrow.compute
import pyarrow.parquet

import stepscope

PLANTED = Path(__file__).parents[2] / "tests" / "data" / "operations" / "trace-planted.parquet"


def test_compares_paths_runs_and_steps(demo, run):
    same = stepscope.compare(demo, run)
    assert same["compare"].status == "ok"
    assert "overview" in same
    steps = stepscope.compare(run, run, steps_before=4, steps_after=6)
    assert steps["compare"].table("ranks").to_dict()
    assert not run.closed


def test_compares_the_ranks_that_both_have(demo, tmp_path):
    for trace in sorted(demo.glob("*rank-[01]*")):
        (tmp_path / trace.name).write_bytes(trace.read_bytes())
    assert set(stepscope.compare(demo, tmp_path)["compare"].table("ranks")["rank"]) == {0, 1}


def test_tells_of_ranks_that_only_one_run_has(demo, tmp_path):
    for trace in sorted(demo.glob("*rank-[01]*")):
        (tmp_path / trace.name).write_bytes(trace.read_bytes())
    more = stepscope.compare(tmp_path, demo)
    assert "rank 2, which only the run after has" in (more.verdict + str(more["compare"].findings)).lower()


def test_two_ranks_of_one_run(run):
    assert stepscope.compare(run, run, ranks_before=0, ranks_after=2)["compare"].headline


def test_whatif_of_a_change(demo, run):
    by_path = stepscope.whatif(demo, "rank 2: all = median of ranks")
    by_run = stepscope.whatif(run, ["rank 2: all = median of ranks"])
    assert by_path.name == by_run.name == "whatif"
    assert by_path.metrics == by_run.metrics
    assert "rank 2: all = median of ranks" in str(by_run.table().to_dict())


def test_what_stragglers_cost(run):
    assert stepscope.whatif(run, stragglers=True).status in ("ok", "partial")


def test_ctrl_c_stops_the_question_for_stragglers(slow, tmp_path, seconds_to_stop):
    assert seconds_to_stop(lambda: stepscope.whatif(slow, stragglers=True, threads=1)) < 2
    operations = pyarrow.parquet.read_table(PLANTED)
    times = max(1, 1_000_000 // len(operations))
    long = pyarrow.concat_tables([operations.set_column(operations.column_names.index("step"), "step",
                                                        pyarrow.compute.add(operations["step"], 1000 * k))
                                  for k in range(times)])
    pyarrow.parquet.write_table(long, tmp_path / "trace-long.parquet")
    assert seconds_to_stop(lambda: stepscope.whatif(tmp_path / "trace-long.parquet")) < 2
