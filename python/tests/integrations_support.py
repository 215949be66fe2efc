"""Runs training programs under the integrations and reads what was recorded, for the tests of integrations.

The programs run in processes of their own, with the real libraries, and the binary of $STEPSCOPE_BINARY accounts for
their time. They call `spend("loading", seconds)`, which sleeps and measures how long that really took.
"""
import collections
import glob
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time

import pytest

import segments
from stepscope.goodput import Kind

PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BINARY = os.environ.get("STEPSCOPE_BINARY", os.path.join(os.path.dirname(PYTHON), "build/release/stepscope"))
LOADING, SAVE = "DATA_LOADING_SYNC", "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME"
RESTORE, EVAL, PREPARATION = "UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME", "CUSTOM", "TRAINING_PREP"
WASTED, PRODUCTIVE = "WASTED_PROGRESS_FROM_DISRUPTION", "PRODUCTIVE"

# Put before each program.
SPEND = """
import atexit, collections, json, os, sys, time
spent = collections.Counter()

def spend(name, seconds):
    begun = time.perf_counter()
    time.sleep(seconds)
    spent[name] += time.perf_counter() - begun

def keep(process=os.getpid()):
    if os.getpid() == process:
        with open("spent-%d.json" % process, "w") as file:
            json.dump(spent, file)

atexit.register(keep)
"""

Answer = collections.namedtuple("Answer", "seconds metrics verdict notes")


def need(*modules):
    """Skips the test file if a library is missing, saying which."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip("{} is not installed".format(module), allow_module_level=True)


def start(folder, code, *arguments, **environment):
    """Starts a Python program that records into `folder`/events."""
    path = os.path.join(str(folder), "program.py")
    with open(path, "w") as file:
        file.write(SPEND + textwrap.dedent(code))
    given = {**os.environ, "PYTHONPATH": PYTHON, "STEPSCOPE_GOODPUT_DIR": os.path.join(str(folder), "events"),
             "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu", "OMP_NUM_THREADS": "1", **environment}
    return subprocess.Popen([sys.executable, path, *map(str, arguments)], env=given, cwd=str(folder),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(program, code=0, seconds=300):
    """Waits for the program, checks its exit code and returns what it printed on both streams."""
    out, err = program.communicate(timeout=seconds)
    assert program.returncode == code, "exit {}\n{}\n{}".format(program.returncode, out, err)
    return out + err


def run(folder, code, *arguments, exits=0, **environment):
    """Runs a program to its end."""
    return finish(start(folder, code, *arguments, **environment), exits)


def terminate_at(program, word):
    """Sends SIGTERM once the program has printed `word`."""
    for line in program.stdout:
        if word in line:
            time.sleep(0.05)
            program.send_signal(signal.SIGTERM)
            return
    raise AssertionError(program.stderr.read())


def preempt(folder, code, word, exits=0, **environment):
    """Runs a program that gets SIGTERM once it has printed `word`, to its end; checks that this is the one notice."""
    program = start(folder, code, **environment)
    terminate_at(program, word)
    finish(program, exits)
    assert kinds(folder, Kind.PREEMPTION_NOTICE) == ["SIGTERM"]


def run_two_ranks(folder, code, environment=lambda rank, port: {}):
    """Runs a program as two ranks that record into `folder`/events, each in `folder`/RANK, to their ends; checks that
    they have their ranks. It gets its rank and a free port as arguments, and in variables what `environment` says."""
    port = free_port()
    programs = []
    for rank in range(2):
        own = folder / str(rank)
        own.mkdir()
        programs.append(start(own, code, rank, port, STEPSCOPE_GOODPUT_DIR=str(folder / "events"),
                              **environment(str(rank), str(port))))
    for program in programs:
        finish(program)
    assert ranks(folder) == {"0", "1"}


def events(folder):
    """All recorded events, in the order of their times."""
    found = []
    for path in glob.glob(os.path.join(str(folder), "events", "*.goodput")):
        found += segments.read_file(path)[0]
    return sorted(found, key=lambda event: event.time)


def kinds(folder, *wanted):
    """The steps or texts of all events of these kinds."""
    return [event.text or event.step for event in events(folder) if event.kind in wanted]


def steps(folder):
    """The steps that began."""
    return kinds(folder, Kind.STEP_START)


def ranks(folder):
    """The ranks that recorded events."""
    return {event.writer.split("/")[1] for event in events(folder)}


def analyze(folder):
    """What `stepscope goodput analyze` says of the events."""
    if not os.path.exists(BINARY):
        pytest.skip("no binary at {}; set STEPSCOPE_BINARY".format(BINARY))
    done = subprocess.run([BINARY, "goodput", "analyze", "--events", os.path.join(str(folder), "events"),
                           "--format", "json"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    report = answer["reports"][0]
    seconds = collections.defaultdict(float)
    for row in report["tables"][0]["rows"]:
        seconds[row[0]] += row[1] / 1e9
    metrics = {metric["key"]: metric["value"] for metric in report["metrics"]}
    return Answer(seconds, metrics, answer["verdict"], answer["run"]["notes"] + report["notes"])


def check(folder, answer, less=0, **extra):
    """Checks all that the programs in `folder` spent: the answer has it, and at most a tenth and 0.1 s more.

    `less`: seconds that may lie outside the job. `extra`: seconds more that a bucket may have, as a library's own
    work in a save.
    """
    names = {"loading": LOADING, "save": SAVE, "restore": RESTORE, "eval": EVAL, "preparation": PREPARATION}
    spent = collections.Counter()
    for path in glob.glob(os.path.join(str(folder), "spent-*.json")):
        with open(path) as file:
            spent.update(json.load(file))
    assert spent
    for name, seconds in spent.items():
        told = answer.seconds[names[name]]
        assert seconds * 0.99 - less <= told <= seconds * 1.1 + 0.1 + extra.get(name, 0), (
            name, dict(spent), dict(answer.seconds))
    return spent


def free_port():
    """A port of this machine on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
