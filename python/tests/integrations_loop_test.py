"""Job around plain Python loops: steps, spans, ends, signals. Needs no library."""
import os
import signal

import pytest

import integrations_support as support
from stepscope.goodput import Kind
from stepscope.integrations._wrap import Wraps
from stepscope.integrations.torch import Job

HEAD = """
    import signal
    from stepscope.integrations.torch import Job

    def loader(batches, seconds=0.02):
        for k in range(batches):
            spend("loading", seconds)
            yield k

    def train(batch):
        time.sleep(0.01)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A directory that Jobs of this process record into."""
    monkeypatch.setenv("STEPSCOPE_GOODPUT_DIR", str(tmp_path / "events"))
    monkeypatch.delenv("RANK", raising=False)
    return tmp_path


def test_times_and_steps_are_those_of_the_loop(tmp_path):
    support.run(tmp_path, HEAD + """
    with Job("j") as job:
        spend("preparation", 0.3)
        for epoch in range(2):
            for batch in job.steps(loader(10)):
                train(batch)
                if job.step % 5 == 4:
                    with job.checkpoint():
                        spend("save", 0.1)
            with job.evaluation():
                spend("eval", 0.2)
    """)
    answer = support.analyze(tmp_path)
    spent = support.check(tmp_path, answer)
    assert spent["loading"] >= 0.4 and spent["save"] >= 0.4 and spent["eval"] >= 0.4
    assert support.steps(tmp_path) == list(range(20)) == support.kinds(tmp_path, Kind.STEP_END)
    assert support.kinds(tmp_path, Kind.CHECKPOINT_SAVE_END) == [4, 9, 14, 19]
    assert answer.metrics["max_productive_step"] == 19 and answer.metrics["state"] == "ended"
    assert 0.18 <= answer.seconds[support.PRODUCTIVE] < 1  # more where sleeping takes longer
    assert answer.seconds["OTHER"] < 0.3 and answer.notes == []


def test_an_exception_is_the_end_and_its_cause(tmp_path):
    said = support.run(tmp_path, HEAD + """
    with Job("j") as job:
        for batch in job.steps(loader(10)):
            train(batch)
            if job.step == 6:
                raise ValueError("planted")
    """, exits=1)
    assert "ValueError: planted" in said and "stepscope" not in said.split("Traceback")[0]
    assert set(support.kinds(tmp_path, Kind.PROCESS_END)) == {"exception ValueError: planted"}
    assert support.kinds(tmp_path, Kind.JOB_END) == []
    assert support.kinds(tmp_path, Kind.STEP_END) == list(range(6))
    assert support.analyze(tmp_path).metrics["state"] == "failed"


def test_an_exception_of_the_loader_is_loading_until_it_comes(tmp_path):
    support.run(tmp_path, HEAD + """
    def broken():
        yield from loader(3)
        spend("loading", 0.3)
        raise OSError("disk")

    try:
        with Job("j") as job:
            for batch in job.steps(broken()):
                train(batch)
    except OSError as error:
        print(error)
    """)
    assert support.check(tmp_path, support.analyze(tmp_path))["loading"] >= 0.36
    assert support.kinds(tmp_path, Kind.PROCESS_END) == ["exception OSError: disk"]


def test_sigterm_ends_the_program_as_it_would_and_is_a_notice(tmp_path):
    support.preempt(tmp_path, HEAD + """
    with Job("j") as job:
        for batch in job.steps(loader(1000)):
            train(batch)
            print("step", job.step, flush=True)
    """, "step 5", -signal.SIGTERM)
    assert support.kinds(tmp_path, Kind.JOB_END, Kind.PROCESS_END) == []


def test_an_existing_handler_is_called_and_restored(tmp_path):
    support.preempt(tmp_path, HEAD + """
    stop = False

    def handler(*_):
        global stop
        stop = True

    signal.signal(signal.SIGTERM, handler)
    with Job("j") as job:
        for batch in job.steps(loader(1000)):
            train(batch)
            print("step", job.step, flush=True)
            if stop:
                with job.checkpoint():
                    spend("save", 0.1)
                break
    assert job.preempted and signal.getsignal(signal.SIGTERM) is handler
    """, "step 5")
    assert support.kinds(tmp_path, Kind.JOB_END, Kind.PROCESS_END) == []  # no planned end after a notice
    assert support.check(tmp_path, support.analyze(tmp_path))["save"] >= 0.1


def test_a_handler_installed_later_decides(tmp_path):
    support.run(tmp_path, HEAD + """
    with Job("j") as job:
        below = signal.getsignal(signal.SIGTERM)
        signal.signal(signal.SIGTERM, lambda *call: below(*call))  # as libraries chain
        above = signal.getsignal(signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)  # does not end the program, as without Job
        assert job.preempted
    assert signal.getsignal(signal.SIGTERM) is above
    """)
    assert support.kinds(tmp_path, Kind.PREEMPTION_NOTICE) == ["SIGTERM"]


def test_an_ignored_sigterm_stays_ignored(tmp_path):
    support.run(tmp_path, HEAD + """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with Job("j") as job:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.1)
        assert job.preempted
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    """)


def test_sigterm_of_a_forked_worker_is_no_notice(tmp_path):
    support.run(tmp_path, HEAD + """
    with Job("j") as job:
        up, said = os.pipe()
        child = os.fork()
        if child == 0:  # a signal before Python has seen the fork would be lost
            os.write(said, b"x")
            time.sleep(60)
            os._exit(1)
        os.read(up, 1)
        os.kill(child, signal.SIGTERM)
        assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGTERM
        assert not job.preempted
    """)
    assert support.kinds(tmp_path, Kind.PREEMPTION_NOTICE) == []
    assert len(support.kinds(tmp_path, Kind.JOB_END)) == 1


def test_a_job_outside_the_main_thread_records_without_signals(here):
    import threading
    before = signal.getsignal(signal.SIGTERM)

    def train():
        with Job("j") as job:
            list(job.steps(range(3)))

    thread = threading.Thread(target=train)
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGTERM) is before
    assert support.steps(here) == [0, 1, 2]


def test_a_second_process_goes_on_with_the_numbers(tmp_path):
    code = HEAD + """
    with Job("j") as job:
        if os.path.exists("state"):
            with job.restore():
                spend("restore", 0.2)
                last = int(open("state").read())
            job.resume(last + 1)
        for batch in job.steps(loader(10)):
            train(batch)
            if job.step == 6:
                with job.checkpoint():
                    open("state", "w").write(str(job.step))
            if job.step == 9 and len(sys.argv) > 1:
                os._exit(1)
    """
    support.run(tmp_path, code, "die", exits=1)
    support.run(tmp_path, code)
    assert support.steps(tmp_path) == [*range(10), *range(7, 17)]
    assert support.kinds(tmp_path, Kind.RESUME_FROM) == [7]
    answer = support.analyze(tmp_path)
    assert 0.2 <= answer.seconds[support.RESTORE] < 1
    assert (answer.metrics["attempts"], answer.metrics["disruptions"]) == (2, 1)
    assert answer.metrics["max_productive_step"] == 16
    assert 0.015 < answer.seconds[support.WASTED] < 0.5  # steps 7 and 8, without their loading


def test_gradients_are_accumulated_over_batches(here):
    with Job("j") as job:
        batches = job.steps(range(10), accumulate=4)
        assert len(batches) == 10 and list(batches) == list(range(10))
    assert support.steps(here) == [0, 1, 2] == support.kinds(here, Kind.STEP_END)
    assert len(support.kinds(here, Kind.DATA_LOADING_BEGIN)) == 11
    with pytest.raises(ValueError, match="accumulate must be 1 or more"):
        job.steps([], accumulate=0)


def test_loaders_that_end_and_loops_that_are_left(here):
    with Job("j", first_step=5) as job:
        assert list(job.steps([])) == []
        for batch in job.steps(range(100)):
            if batch == 2:
                break
        assert job.step == 7
        assert list(job.steps("ab")) == ["a", "b"]
    assert support.steps(here) == [5, 6, 7, 8, 9] == support.kinds(here, Kind.STEP_END)
    assert support.kinds(here, Kind.RESUME_FROM) == [5]
    begun, ended = (len(support.kinds(here, kind)) for kind in (Kind.DATA_LOADING_BEGIN, Kind.DATA_LOADING_END))
    assert begun == ended == 7


def test_steps_have_what_the_loader_has(here):
    class Loader(list):
        batch_size = 4

    with Job("j") as job:
        batches = job.steps(Loader([1, 2]))
        assert batches.batch_size == 4 and len(batches) == 2
        assert [list(batches), list(batches)] == [[1, 2], [1, 2]]  # once per epoch
        with pytest.raises(AttributeError):
            batches.missing
        with pytest.raises(TypeError):
            len(job.steps(iter([])))


def test_a_save_that_fails_or_goes_on_commits_nothing(here):
    with Job("j") as job:
        for _ in job.steps(range(3)):
            if job.step == 0:
                with pytest.raises(OSError), job.checkpoint():
                    raise OSError("full")
            if job.step == 1:
                with job.checkpoint(commit=False):
                    pass
        job.committed(1)
    ends = [event.step for event in support.events(here) if event.kind == Kind.CHECKPOINT_SAVE_END]
    assert ends == [(1 << 40) - 1] * 2  # no step
    assert support.kinds(here, Kind.CHECKPOINT_COMMIT) == [1]


@pytest.mark.parametrize("code, ends", [("None", []), ("0", []), ("3", ["exit 3"])])
def test_sys_exit_ends_as_its_code_says(tmp_path, code, ends):
    support.run(tmp_path, HEAD + """
    with Job("j") as job:
        for batch in job.steps(loader(2)):
            sys.exit({})
    """.format(code), exits=int(code) if code != "None" else 0)
    assert support.kinds(tmp_path, Kind.PROCESS_END) == ends
    assert len(support.kinds(tmp_path, Kind.JOB_END)) == (0 if ends else 1)


def test_without_a_directory_to_write_to_training_goes_on(tmp_path):
    (tmp_path / "file").write_text("")
    said = support.run(tmp_path, HEAD + """
    with Job("j") as job:
        done = 0
        for batch in job.steps(loader(50)):
            train(batch)
            done += 1
        with job.checkpoint():
            pass
    print("done", done)
    """, STEPSCOPE_GOODPUT_DIR=str(tmp_path / "file" / "events"))
    assert "done 50" in said
    assert said.count("cannot create a segment") == 1 and said.count("\n") == 2, said


def test_imports_count_from_the_start_of_the_process(tmp_path):
    support.run(tmp_path, """
    spend("preparation", 0.5)
    from stepscope.integrations.torch import Job
    with Job("j", from_process_start=True) as job:
        list(job.steps(range(3)))
    """)
    support.check(tmp_path, support.analyze(tmp_path), preparation=1)


def test_a_wrapped_method_works_as_before(here):
    class Saver:
        def save(self, path, fail=False):
            """Saves."""
            if fail:
                raise OSError(path)
            return path

    problems, calls = [], []

    def before(*arguments, **_):
        calls.append(arguments)
        raise RuntimeError("recording is broken")

    saver, wraps = Saver(), Wraps(problems.append)
    assert wraps.put(saver, "save", before, calls.append)
    assert not wraps.put(saver, "missing", before, calls.append)
    assert saver.save("a") == "a" and saver.save.__doc__ == "Saves."
    with pytest.raises(OSError):
        saver.save("b", fail=True)
    assert calls[:2] == [("a",), None] and isinstance(calls[3], OSError)
    assert [str(problem) for problem in problems] == ["recording is broken"] * 2
    wraps.undo()
    assert vars(saver) == {}


@pytest.mark.plain("it measures time")
def test_the_cost_of_a_step_is_microseconds(here):
    import time
    with Job("j") as job:
        list(job.steps(range(1000)))
        begun = time.thread_time()
        for _ in job.steps(range(10000)):
            pass
        cost = (time.thread_time() - begun) / 10000
    print("cost of a step: {:.1f} us".format(cost * 1e6))
    assert cost < 100e-6  # 8 us are usual


def test_nothing_heavy_is_imported(tmp_path):
    support.run(tmp_path, """
    import sys
    import stepscope.integrations.torch, stepscope.integrations.jax
    heavy = {"torch", "jax", "numpy", "pandas", "stepscope._core"} & set(sys.modules)
    assert not heavy, heavy
    """)
