"""What tests of the installed package share: synthetic jobs with known faults, and the package itself.

It is imported here first, so that tests which put the source tree on the path do not bring that one in.
"""
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import stepscope


def pytest_collection_modifyitems(items):
    """Tests marked `plain` do not run under sanitizers (./dev wheel --asan): skipped with their reasons, so counted."""
    if "STEPSCOPE_SANITIZED" in os.environ:
        for item in items:
            mark = item.get_closest_marker("plain")
            if mark:
                item.add_marker(pytest.mark.skip(reason="under sanitizers: " + mark.args[0]))


def program(*words, **options):
    """Runs `python -m stepscope` and returns what came of it."""
    return subprocess.run([sys.executable, "-m", "stepscope", *map(str, words)], capture_output=True, text=True,
                          timeout=300, **options)


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """The traces of a synthetic job of four ranks: rank 2 computes slower."""
    folder = tmp_path_factory.mktemp("jobs") / "demo"
    made = program("demo", folder)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture(scope="session")
def run(demo):
    with stepscope.open(demo) as opened:
        yield opened


@pytest.fixture(scope="session")
def run_program():
    return program


def write_operators(path, blocks):
    """Writes a plain trace of blocks of 50,000 operators, 7 MB each."""
    event = ('{"ph":"X","cat":"cpu_op","name":"aten::op%d","pid":1,"tid":1,"ts":%d.5,"dur":1,'
             '"args":{"External id":%d,"Input Dims":[[4,5],[5,6]]}}')
    with open(path, "w") as out:
        out.write('{"schemaVersion":1,"traceEvents":[')
        for block in range(blocks):
            first = block * 50_000
            out.write(",\n".join(event % (n % 100, n * 2, n) for n in range(first, first + 50_000)) + ",\n")
        out.write(event % (0, 10**8, 1) + "]}")


@pytest.fixture(scope="session")
def operators_writer():
    return write_operators


@pytest.fixture(scope="session")
def slow(tmp_path_factory):
    """A trace of 150 MB, which takes some tenths of a second to read."""
    path = tmp_path_factory.mktemp("slow") / "rank0.json"
    write_operators(path, 20)
    return path


@pytest.fixture
def seconds_to_stop():
    """How long work() goes on after a Ctrl-C 0.3 s from now: 0.2 s at most on a machine with nothing else to do."""

    def measured(work):
        sent = []

        def interrupt():
            time.sleep(0.3)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let background jobs ignore it
        thread = threading.Thread(target=interrupt)
        thread.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                while not sent or time.monotonic() < sent[0] + 60:
                    work()
        finally:
            signal.signal(signal.SIGINT, before)
        took = time.monotonic() - sent[0]
        thread.join()
        return took

    return measured
