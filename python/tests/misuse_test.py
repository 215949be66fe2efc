"""Bad use is an exception that says what to do, and never ends or hangs the process."""
import copy
import gzip
import os
import pickle
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import stepscope


def test_a_path_that_leads_nowhere(tmp_path):
    with pytest.raises(OSError) as raised:
        stepscope.open(tmp_path / "nowhere")
    assert isinstance(raised.value, stepscope.Error) and raised.value.what
    with pytest.raises(stepscope.InputError, match="no file matches"):
        stepscope.open(str(tmp_path / "*.json"))
    with pytest.raises(stepscope.InputError):
        stepscope.open(tmp_path)


@pytest.mark.parametrize("paths", [None, 7, b"x"[0], [None]])
def test_what_is_no_path(paths):
    with pytest.raises(ValueError, match="cannot open"):
        stepscope.open(paths)


def test_no_path_at_all():
    with pytest.raises(stepscope.Error, match="nothing to open"):
        stepscope.open([])


def test_wrong_questions(run):
    with pytest.raises(ValueError, match="comm_overlap"):
        run.report("comm_overlapp")
    with pytest.raises(AttributeError, match="did you mean 'comm_overlap'"):
        run.comm_overlapp()
    with pytest.raises(TypeError, match="did you mean 'long_wait'"):
        run.idle_time(long_wat=1)
    with pytest.raises(ValueError, match="no step 99"):
        run.steps(steps=99)
    with pytest.raises(ValueError, match="rank 17"):
        run.steps(ranks=[17])
    with pytest.raises(ValueError, match="idle_time"):
        run.report("idle_time", params={"idle_time.nothing": 1})
    with pytest.raises(ValueError):
        run.idle_time(long_wait="soon")
    with pytest.raises(ValueError):
        stepscope.explain("nothing")
    with pytest.raises(stepscope.QuestionError, match="did you mean 'comm_overlap'"):
        run.analyze(["coms"])
    with pytest.raises(stepscope.QuestionError, match="analyses.. lists all"):
        run.analyze(["zzzzzzzzzz"])


@pytest.mark.parametrize("asked", [{"ranks": "0"}, {"ranks": 1.5}, {"ranks": [None]}, {"ranks": 2**70}, {"steps": 5.0},
                                   {"steps": [5.5]}, {"steps": "soon"}, {"steps": -1}, {"only": 5}, {"only": [5]}, {"params": 5}])
def test_arguments_of_a_wrong_kind_say_which(run, asked):
    with pytest.raises(stepscope.QuestionError) as raised:
        run.analyze(**{"only": ["steps"], **asked})
    assert raised.value.where == f"`{next(iter(asked))}`" and raised.value.hint


def test_timeline_of_steps(run):
    pytest.importorskip("plotly")
    known = run.steps().table("steps")["step"]
    assert len(run.timeline(ranks=0, step=[known[0], known[1]]).data[0].x) > len(run.timeline(ranks=0, step=known[0]).data[0].x)
    for wrong in (700, "soon", "700..701"):
        with pytest.raises(stepscope.QuestionError, match="step"):
            run.timeline(step=wrong)


def test_what_cannot_be_pickled_says_what_to_send(run):
    reports = run.analyze(["steps"])
    for one in (reports, reports["steps"], reports["steps"].table()):
        with pytest.raises(stepscope.UseError, match="cannot be pickled(.|\n)*df"):
            pickle.dumps(one)
        assert copy.deepcopy(one) is one


def test_a_run_of_one_rank_says_so(demo):
    with stepscope.open(sorted(demo.glob("*rank*.json*"))[0]) as run:
        assert "1 rank, 1 file>" in repr(run)


def test_a_closed_run(demo):
    run = stepscope.open(demo)
    report = run.steps()
    run.close()
    run.close()
    assert run.closed and "closed" in repr(run)
    assert report.table("steps")["step"]
    for ask in (run.steps, run.analyze, run.serve, lambda: run.ranks, lambda: run.files):
        with pytest.raises(stepscope.UseError, match="closed"):
            ask()


def test_two_threads_on_one_run(run):
    expected = run.steps().metrics
    answers, failed = [], []

    def ask():
        try:
            for _ in range(5):
                answers.append(run.steps().metrics)
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not failed and answers == [expected] * 20


def test_closing_while_another_thread_asks(demo):
    run = stepscope.open(demo)
    outcomes = []

    def ask():
        try:
            while True:
                run.analyze()
        except stepscope.UseError:
            outcomes.append("closed")

    thread = threading.Thread(target=ask)
    thread.start()
    run.steps()
    run.close()
    thread.join(120)
    assert outcomes == ["closed"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_run_in_a_forked_process_raises_and_does_not_hang(demo):
    run = stepscope.open(demo)
    run.events(0, ["start"])
    busy = threading.Event()

    def keep_busy():
        while not busy.is_set():
            run.analyze()

    thread = threading.Thread(target=keep_busy)
    thread.start()
    child = os.fork()
    if child == 0:
        for ask in (run.steps, lambda: run.events(0, ["start"])):
            try:
                ask()
                os._exit(3)
            except stepscope.UseError as error:
                if "another process" not in str(error):
                    os._exit(4)
            except BaseException:  # noqa: BLE001
                os._exit(5)
        run.close()
        os._exit(0)
    try:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        busy.set()
        thread.join(120)


def test_a_forked_process_can_open_for_itself(demo):
    script = ("import os, sys, stepscope\n"
              f"stepscope.open({str(demo)!r}).steps()\n"
              "child = os.fork()\n"
              f"code = 0 if stepscope.open({str(demo)!r}).steps().status == 'ok' else 1\n"
              "if child == 0: os._exit(code)\n"
              "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n")
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", script], timeout=120).returncode == 0


def test_a_trace_deleted_while_open(demo, tmp_path):
    copy = tmp_path / "job"
    shutil.copytree(demo, copy)
    with stepscope.open(copy) as run:
        shutil.rmtree(copy)
        assert run.steps().status == "ok"
        with pytest.raises(stepscope.InputError):
            run.serve()


def test_events_that_were_kept_need_no_file(demo, tmp_path):
    copy = tmp_path / "job"
    shutil.copytree(demo, copy)
    with stepscope.open(copy, events=True) as kept, stepscope.open(demo) as other:
        shutil.rmtree(copy)
        assert kept.events(None).df().equals(other.events(None).df())
        assert kept.summary().findings[0].message == other.summary().findings[0].message


def test_a_damaged_trace_among_others(demo, tmp_path):
    copy = tmp_path / "job"
    shutil.copytree(demo, copy)
    (copy / "rank9.json.gz").write_bytes(gzip.compress(b"no trace")[:-9])
    with stepscope.open(copy) as run:
        assert run.ranks == [0, 1, 2, 3]
        problems = {Path(file["path"]).name: file["rank"] for file in run.files if file["problem"]}
        assert problems == {"rank9.json.gz": None, "truth.json": None}


def test_exceptions_can_be_sent_to_other_processes():
    error = stepscope.InputError("cannot read", "here", "try that")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is stepscope.InputError
    assert (again.what, again.where, again.hint) == ("cannot read", "here", "try that")
    assert str(again) == "cannot read\n  where: here\n  try:   try that"


def test_importing_the_package_loads_no_extension():
    script = "import sys, stepscope; sys.exit('stepscope._core' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0


def test_modules_are_attributes_of_the_package():
    script = """
import sys, stepscope
assert not {"stepscope.goodput", "stepscope.hta", "stepscope.integrations"} & set(sys.modules)
assert {"goodput", "hta", "integrations", "open", "Run", "analyses"} <= set(dir(stepscope))
assert [name for name in dir(stepscope) if name[0] == "_" and name[:2] != "__"] == []
assert not {"TYPE_CHECKING", "import_module", "lazy_names", "annotations"} & set(dir(stepscope))
assert callable(stepscope.goodput.report) and stepscope.hta.TraceAnalysis and stepscope.integrations.torch.Job
assert callable(stepscope.events.column_names)
assert "stepscope._core" in sys.modules and "torch" not in sys.modules
try:
    stepscope.nothing
except AttributeError:
    sys.exit(0)
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0
    recording = "import sys, stepscope; stepscope.goodput.Recorder; sys.exit('stepscope._core' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", recording], timeout=60).returncode == 0


def test_integrations_say_which_library_is_missing():
    script = """
import sys, stepscope
for name in ("lightning", "keras", "transformers"):
    for library in (name, "lightning.pytorch"):
        sys.modules[library] = None  # as if it were not installed
    try:
        getattr(stepscope.integrations, name)
    except stepscope.MissingLibrary as error:
        assert "pip install" in error.hint and name in error.what
    else:
        sys.exit(1)
help(stepscope.integrations)
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=60, stdout=subprocess.DEVNULL).returncode == 0
