"""What tests of the installed package share: synthetic jobs with known faults, and the package itself.

It is imported here first, so that tests which put the source tree on the path do not bring that one in.
"""
import subprocess
import sys

import pytest

import stepscope


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
