"""Maps traces as tasks of the real Ray, of which one worker is killed; skipped where Ray is not installed."""
import os
import signal
import subprocess
import threading
import time
from contextlib import contextmanager

import pytest

import stepscope

pytestmark = pytest.mark.plain("Ray's workers do not load the sanitizers' runtime")


@pytest.fixture(scope="module")
def ray():
    real = pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
    real.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    yield real
    real.shutdown()


@pytest.fixture(scope="module")
def traces(tmp_path_factory, run_program):
    """Eight traces that take half a second each: their workers are met at work."""
    folder = tmp_path_factory.mktemp("ray") / "traces"
    made = run_program("demo", folder, "--ranks", 8, "--layers", 2, "--steps", 3, "--no-stacks", "--min-raw-bytes",
                       100_000_000)
    assert made.returncode == 0, made.stderr
    return folder


def merged(run_program, part):
    """The bytes of all partials as one file: the same for any shards."""
    file = part.with_suffix(".ranks.parquet")
    made = run_program("merge", part, "-o", file)
    assert made.returncode == 0, made.stderr
    return file.read_bytes()


def kill_a_worker(killed, ended):
    """Kills the first process of this machine that maps, as soon as it does, and waits for none after the end."""
    while not ended.is_set() and not killed:
        found = subprocess.run(["pgrep", "-x", "-f", "ray::_map_task"], capture_output=True, text=True).stdout.split()
        time.sleep(0.1)
        for pid in found[:1]:
            os.kill(int(pid), signal.SIGKILL)
            killed.append(int(pid))


@contextmanager
def one_worker_killed():
    killed, ended = [], threading.Event()
    killer = threading.Thread(target=kill_a_worker, args=(killed, ended))
    killer.start()
    try:
        yield
    finally:
        ended.set()
        killer.join()
    assert killed


def test_a_worker_that_is_killed_changes_nothing(ray, traces, tmp_path, run_program):
    with one_worker_killed():
        reports = stepscope.ray_map(traces, tmp_path / "part", shards=4)
    one = tmp_path / "one" / "part"  # by whose name reports call the run
    stepscope.map_ranks(traces, one)
    assert merged(run_program, tmp_path / "part") == merged(run_program, one)
    with stepscope.open(one) as run:
        assert str(reports) == str(run.summary())


def test_a_shard_that_is_not_tried_again_is_told_and_the_same_call_maps_it(ray, traces, tmp_path):
    part = tmp_path / "part"
    with one_worker_killed(), pytest.raises(stepscope.InputError, match="1 of 4 shards are missing"):
        stepscope.ray_map(traces, part, shards=4, retries=0)
    before = {file: file.stat().st_mtime_ns for file in part.glob("*.parquet")}
    assert len(before) == 3
    stepscope.ray_map(traces, part, shards=4)
    after = {file: file.stat().st_mtime_ns for file in part.glob("*.parquet")}
    assert len(after) == 4 and before.items() <= after.items()


def test_shards_of_another_number_are_refused(ray, tmp_path, run_program):
    assert run_program("demo", tmp_path / "traces", "--ranks", 3).returncode == 0
    stepscope.map_ranks(tmp_path / "traces", tmp_path / "part", shard=(0, 2))
    with pytest.raises(stepscope.QuestionError, match="partials of 2 shards, not of 3"):
        stepscope.ray_map(tmp_path / "traces", tmp_path / "part", shards=3)
    with pytest.raises(stepscope.QuestionError, match="for 9 shards"):
        stepscope.ray_map(tmp_path / "traces", tmp_path / "part", shards=9)
