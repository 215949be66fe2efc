"""For tests of stepscope.profiler: training programs of real libraries, and what the reader says of their traces."""
import gzip
import json
import os
import subprocess
import sys
import textwrap

import pytest

import integrations_support
from integrations_support import BINARY, PYTHON, finish, free_port, need, start, terminate_at  # noqa: F401


def run(folder, code, *arguments, exits=0, **environment):
    """Runs a program in `folder` to its end; returns what it printed."""
    return integrations_support.run(folder, code, *arguments, exits=exits, **environment)


def run_ranks(folder, code, count, environment=lambda rank, port: {}):
    """Runs a program as several ranks in `folder`, which get their rank and a free port as arguments."""
    port = free_port()
    programs = []
    for rank in range(count):
        own = folder / "program{}".format(rank)
        own.mkdir()
        programs.append(start(own, "os.chdir('..')\n" + textwrap.dedent(code), rank, port, **environment(str(rank), str(port))))
    return [finish(program) for program in programs]


def traces(folder):
    """Names of the files in a folder, in order; drafts are none."""
    return sorted(os.listdir(str(folder))) if os.path.isdir(str(folder)) else []


def read_json(path):
    """What a trace of PyTorch says."""
    with (gzip.open if str(path).endswith(".gz") else open)(str(path), "rt") as file:
        return json.load(file)


def analyze(folder, *options):
    """What `stepscope analyze` says of a folder, as JSON."""
    if not os.path.exists(BINARY):
        pytest.skip("no binary at {}; set STEPSCOPE_BINARY".format(BINARY))
    done = subprocess.run([BINARY, "analyze", str(folder), "--format", "json", *options], capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def steps_of(folder):
    """The numbers of the steps that the reader finds."""
    [report] = analyze(folder, "--only", "steps")["reports"]
    [table] = [table for table in report["tables"] if table["key"] == "steps"]
    at = [column["key"] for column in table["columns"]].index("step")
    return sorted({row[at] for row in table["rows"]})


def python(code, *arguments, timeout=120, cwd=None, **environment):
    """Runs code that needs no framework; returns the finished process."""
    return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True,
                          timeout=timeout, cwd=cwd, env={**os.environ, "PYTHONPATH": PYTHON, **environment})
