"""torch_traces in real loops of PyTorch: what is written, where, by which rank, and what failures do."""
import os
import re

import profiler_support as support
import pytest

support.need("torch")

LOOP = """
    import logging, torch
    logging.basicConfig(format="%(message)s")
    from stepscope.profiler import torch_traces

    def train(model, steps, handler, **schedule):
        schedule = torch.profiler.schedule(**{"wait": 1, "warmup": 1, "active": 3, "repeat": 1, **schedule})
        with torch.profiler.profile(schedule=schedule, on_trace_ready=handler) as profiler:
            for step in range(steps):
                for _ in range(20):
                    model(torch.ones(4, 64)).sum().backward()
                profiler.step()
                print("step", step, flush=True)

    model = torch.nn.Linear(64, 64)
"""


def test_one_process_writes_a_window_that_opens(tmp_path):
    support.run(tmp_path, LOOP + """
    train(model, 8, torch_traces("runs/today"))
    """, STEPSCOPE_JOB="llm", STEPSCOPE_LABELS="team=nlp", STEPSCOPE_ATTEMPT="second")
    [name] = support.traces(tmp_path / "runs/today")
    assert re.fullmatch(r"\w[\w.-]*_\d+\.w0\.\d{8}T\d{6}Z\.json\.gz", name)
    trace = support.read_json(tmp_path / "runs/today" / name)
    assert trace["PT_PROFILER_JOB_NAME"] == "nlp/llm" and trace["PT_PROFILER_JOB_ATTEMPT_INDEX"] == "second"
    assert trace["stepscope"]["window"] == 0 and trace["host_name"]
    assert trace["distributedInfo"] == {"rank": 0, "world_size": 1}
    answer = support.analyze(tmp_path / "runs/today")
    assert answer["run"]["ranks"] == 1 and answer["run"]["notes"] == []


def test_windows_of_a_process_without_a_launcher_are_of_one_rank(tmp_path):
    support.run(tmp_path, LOOP + """
    train(model, 20, torch_traces("runs"), wait=0, repeat=2)
    """)
    files = support.analyze(tmp_path / "runs")["run"]["files"]
    assert [(file["rank"], file["window"]) for file in files] == [(0, 0), (0, 1)]


def test_processes_of_multiprocessing_are_not_all_rank_0(tmp_path):
    support.run(tmp_path, """
    import multiprocessing
    from stepscope.profiler._who import alone_or_same, this_process

    def child(results):
        results.put(alone_or_same(this_process()).rank)

    context = multiprocessing.get_context("fork")
    results = context.Queue()
    process = context.Process(target=child, args=(results,))
    process.start()
    assert results.get() is None and alone_or_same(this_process()).rank == 0
    process.join()
    """)


def test_windows_are_numbered_and_the_oldest_goes(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/rank3.w0.mine.json").write_text("mine")
    support.run(tmp_path, LOOP + """
    handler = torch_traces("runs", keep=2, compress=False)
    train(model, 20, handler, wait=0, repeat=4)
    assert handler.wait() and len(handler.files) == 2
    assert oct(os.stat(handler.files[0]).st_mode & 0o777) == "0o600"
    """, RANK="3", WORLD_SIZE="8")
    mine, *names = support.traces(tmp_path / "runs")
    windows = [name.split(".")[1] for name in [*names, mine]]
    assert sorted(windows) == ["w0", "w2", "w3"]  # w0 is not of the program
    (tmp_path / "runs/rank3.w0.mine.json").unlink()
    files = support.analyze(tmp_path / "runs")["run"]["files"]
    assert [(file["rank"], file["window"]) for file in files] == [(3, 0), (3, 1)]


RANKS = LOOP + """
    import torch.distributed as dist
    rank = int(sys.argv[1])
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:" + sys.argv[2], rank=rank, world_size=2)
    train(torch.nn.parallel.DistributedDataParallel(model), 8, torch_traces("runs", job="llm"))
    dist.destroy_process_group()
"""


def test_two_ranks_are_one_run(tmp_path):
    support.run_ranks(tmp_path, RANKS, 2)
    names = support.traces(tmp_path / "runs")
    assert [name.split(".")[:2] for name in names] == [["rank0", "w0"], ["rank1", "w0"]]
    for rank, name in enumerate(names):
        trace = support.read_json(tmp_path / "runs" / name)
        info = trace["distributedInfo"]  # PyTorch's own, once
        assert (info["rank"], info["world_size"], info["backend"]) == (rank, 2, "gloo")
        assert trace["PT_PROFILER_JOB_NAME"] == "llm"
    run = support.analyze(tmp_path / "runs")["run"]
    assert run["ranks"] == 2 and [file["rank"] for file in run["files"]] == [0, 1]
    assert not [note for note in run["notes"] if "rank" in note["name"]]


def test_ranks_that_only_the_launcher_knows(tmp_path):
    """Without a process group PyTorch does not say the rank. One of three is missing, and the reader knows."""
    support.run_ranks(tmp_path, LOOP + "    train(model, 6, torch_traces('runs'))", 2,
                      lambda rank, port: {"RANK": rank, "WORLD_SIZE": "3"})
    run = support.analyze(tmp_path / "runs")["run"]
    assert [file["rank"] for file in run["files"]] == [0, 1]
    assert ["ranks of this job have no trace: its world size is 3"] == [
        note["message"] for note in run["notes"] if note["name"] == "missing_ranks"]


def test_a_restart_keeps_what_the_first_attempt_wrote(tmp_path):
    for _ in range(2):
        support.run(tmp_path, LOOP + "    train(model, 6, torch_traces('runs'))", RANK="0", WORLD_SIZE="1")
    assert len(support.traces(tmp_path / "runs")) == 2


def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path):
    (tmp_path / "runs").write_text("a file")
    said = support.run(tmp_path, LOOP + "    train(model, 8, torch_traces('runs'))")
    assert "step 7" in said and said.count("stepscope: ") == 1 and "runs" in said


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if os.system("mount -t tmpfs -o size=64k tmpfs '{}' 2>/dev/null".format(folder)) != 0:
        pytest.skip("no small file system can be mounted here: this needs root")
    yield folder
    os.system("umount '{}'".format(folder))


def test_a_full_disk_is_a_warning_and_leaves_nothing(tmp_path, small_disk):
    said = support.run(tmp_path, LOOP + "    train(model, 8, torch_traces('small/runs'))")
    assert "step 7" in said and "is the disk full?" in said
    assert os.listdir(str(small_disk / "runs")) == []


@pytest.mark.parametrize("own", ["profile()", "profile(schedule=torch.profiler.schedule(wait=0, warmup=20, active=1))"],
                         ids=["recording", "warming_up"])
def test_steps_are_left_out_while_the_program_profiles_itself(tmp_path, own):
    """Two profilers at once would end the process with SIGSEGV."""
    said = support.run(tmp_path, LOOP + """
    from stepscope.profiler._steps import Windows
    from stepscope.profiler._torch import TorchSteps
    steps = TorchSteps(torch_traces("runs"), Windows(range(2, 4), every=12), {{}})
    with torch.profiler.{} as profiler:
        for step in range(20):
            steps.step(step)
            if step == 8:
                profiler.__exit__(None, None, None)
            model(torch.ones(4, 64)).sum().backward()
        profiler.__enter__()
    steps.close()
    """.format(own))
    assert "the steps from 2 are not profiled" in said and len(support.traces(tmp_path / "runs")) == 1
