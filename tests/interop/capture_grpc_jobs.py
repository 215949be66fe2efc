"""Jobs with profiler servers, and `stepscope capture grpc` beside them: for capture_grpc_check.py and
capture_grpc_series.py."""

import json
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Job:
    """A training process; killed when the block ends. It prints little: nobody reads it meanwhile."""

    def __init__(self, script, seconds=600, more=None):
        self.port = free_port()
        command = [sys.executable, str(HERE / script), str(self.port), str(seconds)]
        self.process = subprocess.Popen(
            command + ([str(more)] if more else []), stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL
        )
        line = self.process.stdout.readline()
        while line and line.strip() != "ready":
            line = self.process.stdout.readline()
        assert line, f"{script} did not start: {self.process.wait()}"

    def address(self, host="localhost"):
        return f"{host}:{self.port}"

    def alive(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()

    def __enter__(self):
        return self

    def end(self):
        """Kills it; returns what it printed since it was ready."""
        self.process.kill()
        return self.process.communicate()[0]

    def __exit__(self, *_):
        self.end()


class Capture:
    """One `stepscope capture grpc`, running until result() is asked for."""

    def __init__(self, stepscope, *words):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stepscope-capture-"))
        self.run = self.folder / "run"
        self.begun = time.time()
        self.process = subprocess.Popen(
            [stepscope, "capture", "grpc", *words, "-o", str(self.run), "--format", "json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def interrupt(self, number=signal.SIGINT):
        self.process.send_signal(number)

    def result(self):
        self.out, self.error = self.process.communicate(timeout=200)
        self.seconds = time.time() - self.begun
        self.code = self.process.returncode
        assert self.code in (0, 2), (self.code, self.error)
        self.rows = []
        if self.out.startswith("{"):
            table = json.loads(self.out)["reports"][0]["tables"][0]
            keys = [column["key"] for column in table["columns"]]
            self.rows = [dict(zip(keys, row)) for row in table["rows"]]
        self.reasons = [row["reason"] for row in self.rows if row["reason"]]
        self.files = [self.run / row["file"] for row in self.rows if row["file"]]
        return self

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def capture(stepscope, *words):
    return Capture(stepscope, *words).result()
