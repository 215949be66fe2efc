"""Opening runs and asking them: paths, steps, ranks, parameters, progress, Ctrl-C."""
import gzip
import inspect
import threading
import time

import pytest

import stepscope


def test_opens_a_directory_a_file_a_list_and_a_glob(demo):
    files = sorted(demo.glob("*.json*"))
    traces = [path for path in files if "rank" in path.name]
    assert stepscope.open(demo).ranks == [0, 1, 2, 3]
    assert stepscope.open(str(demo)).ranks == [0, 1, 2, 3]
    assert stepscope.open(traces[1]).ranks == [1]
    assert stepscope.open([str(traces[0]), traces[3]]).ranks == [0, 3]
    assert stepscope.open(f"{demo}/*rank-[01]*").ranks == [0, 1]


def test_says_what_became_of_each_file(run):
    traces = [file for file in run.files if file["problem"] == ""]
    assert [file["rank"] for file in traces] == [0, 1, 2, 3]
    assert all(file["events"] > 0 for file in traces)
    assert [(file["rank"], file["path"].endswith("truth.json")) for file in run.files[4:]] == [(None, True)]


def test_every_analysis_is_a_method_with_a_signature_and_an_explanation(run):
    for name in stepscope.analyses():
        method = getattr(stepscope.Run, name)
        assert "**Question:**" in method.__doc__
        assert list(inspect.signature(method).parameters)[:3] == ["self", "steps", "ranks"]
    idle = inspect.signature(stepscope.Run.idle_time).parameters
    assert idle["consecutive_kernel_delay"].default == 30000
    assert stepscope.explain("idle_time") in stepscope.Run.idle_time.__doc__


def test_parameters_change_the_answer(run):
    usual = run.idle_time().table("streams").to_dict()
    longer = run.idle_time(consecutive_kernel_delay=10**9).table("streams").to_dict()
    assert sum(longer["kernel_wait"]) > sum(usual["kernel_wait"])
    assert run.idle_time(consecutive_kernel_delay="1s").table("streams").to_dict() == longer
    assert run.report("idle_time", params={"idle_time.consecutive_kernel_delay": 10**9}).table("streams").to_dict() == longer
    assert run.idle_time().table("streams").to_dict() == usual


def test_steps_and_ranks_select(run):
    assert set(run.temporal_breakdown(ranks=[2]).table()["rank"]) == {2}
    assert set(run.temporal_breakdown(ranks=1).table()["rank"]) == {1}
    assert set(run.steps(steps="4..5").table("steps")["step"]) == {4, 5}
    assert set(run.steps(steps=5).table("steps")["step"]) == {5}


def test_analyze_answers_all_or_these_in_order(run):
    assert list(run.analyze()) == stepscope.analyses()
    some = run.analyze(["stragglers", "overview"])
    assert list(some) == ["stragglers", "overview"]
    assert some.verdict


def test_parameters_and_groups_of_the_run(demo, tmp_path):
    with stepscope.open(demo, groups={"products": "nvjet*"}, params={"idle_time.consecutive_kernel_delay": "1s"}) as run:
        assert "products" in run.kernel_groups().table()["group"]
        longer = run.idle_time(consecutive_kernel_delay=10**9).table("streams").to_dict()
        assert run.idle_time().table("streams").to_dict() == longer
    toml = tmp_path / "groups.toml"
    toml.write_text('[groups]\nproducts = "nvjet*"\n')
    with stepscope.open(demo, groups=toml) as run:
        assert "products" in run.kernel_groups().table()["group"]


def test_progress_is_told(slow):
    told = []
    stepscope.open(slow, threads=1, progress=told.append).close()
    assert told and all(isinstance(one, stepscope.Progress) for one in told)
    assert told[-1].bytes_total == slow.stat().st_size
    assert [one.bytes_done for one in told] == sorted(one.bytes_done for one in told)


def test_what_a_progress_function_raises_stops_it(slow):
    def refuse(_):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        stepscope.open(slow, threads=1, progress=refuse)


def test_other_threads_go_on_while_it_reads(slow):
    counted, ended = [0], threading.Event()

    def count():
        while not ended.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        began = time.monotonic()
        stepscope.open(slow, threads=1, progress=False).close()
        took = time.monotonic() - began
    finally:
        ended.set()
        thread.join()
    assert counted[0] > 20 * took


def test_ctrl_c_stops_reading_soon(slow, seconds_to_stop):
    assert seconds_to_stop(lambda: stepscope.open(slow, threads=1, progress=False).close()) < 2


def test_a_file_that_inflates_to_more_than_max_input_is_refused(demo, tmp_path):
    trace = next(path for path in sorted(demo.glob("*.json*")) if "rank" in path.name).read_bytes()
    plain = gzip.decompress(trace) if trace[:2] == b"\x1f\x8b" else trace
    (tmp_path / "rank-0.json.gz").write_bytes(gzip.compress(plain))
    with pytest.raises(stepscope.InputError, match="inflates to more than"):
        stepscope.open(tmp_path, max_input=len(plain) // 4)
    assert stepscope.open(tmp_path, max_input=len(plain)).ranks == [0]
    for wrong in (0, -1, 10**19, 1.5, True, "1GB"):
        with pytest.raises(stepscope.QuestionError, match="max_input"):
            stepscope.open(tmp_path, max_input=wrong)


def test_most_names_cuts_tables_with_a_note(demo):
    def kernels(**limits):
        report = stepscope.open(demo, **limits).kernel_breakdown()
        return len(report.table("kernels")), [note for note in report.notes if "left out of table kernels" in note.message]

    everything, untold = kernels()
    few, told = kernels(most_names=2)
    assert few < everything and told and not untold
    assert kernels(most_names=0) == (everything, [])
    for wrong in (-1, 2**31, 1.5, None, "2"):
        with pytest.raises(stepscope.QuestionError, match="most_names"):
            stepscope.open(demo, most_names=wrong)
