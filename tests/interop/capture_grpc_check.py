"""Captures real JAX and TensorFlow processes while they train: `capture_grpc_check.py STEPSCOPE`.

Each check has processes of its own, which must all go on training afterwards.
"""

import http.server
import importlib.metadata
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time

from capture_grpc_jobs import Capture, Job, capture, free_port

SCRIPTS = {"jax": "capture_jax.py", "tensorflow": "capture_tensorflow.py"}


def check_one(stepscope, script):
    """One process, and the run opens."""
    with Job(script) as job:
        one = capture(stepscope, job.address(), "--for", "500ms")
        assert one.code == 0 and len(one.files) == 1, (one.rows, one.error)
        assert one.files[0].parts[-4:-2] == ("plugins", "profile"), one.files
        done = subprocess.run(
            [stepscope, "analyze", str(one.run), "--format", "json"], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        reports = json.loads(done.stdout)["reports"]
        overview = next(report for report in reports if report["analysis"] == "overview")
        steps = next(metric["value"] for metric in overview["metrics"] if metric["key"] == "steps")
        assert steps > 3, steps
        assert job.alive()
        return f"{one.files[0].stat().st_size} bytes and {steps} steps in {one.seconds:.1f} s"


def check_two(stepscope, script):
    """Two processes start together."""
    with Job(script) as a, Job(script) as b:
        two = capture(stepscope, f"{a.address()},http://{b.address('127.0.0.1')}/", "--for", "500ms")
        assert two.code == 0 and len(two.files) == 2, (two.rows, two.error)
        apart = re.search(r"begin ([0-9.]+) ms apart", two.out)
        assert apart and float(apart[1]) < 20, two.out
        assert a.alive() and b.alive()
        return f"they began {apart[1]} ms apart"


def check_busy(stepscope, script):
    """A second capture is told that the server is busy, or waits for it."""
    with Job(script) as job:
        first = Capture(stepscope, job.address("127.0.0.1"), "--for", "3s")
        time.sleep(1)
        second = capture(stepscope, job.address(), "--for", "200ms", "--patience", "0s")
        assert "another profile is under way" in second.reasons[0], second.rows
        third = capture(stepscope, job.address(), "--for", "200ms", "--patience", "20s")
        assert third.files, third.rows
        assert first.result().files and job.alive()
        return second.reasons[0]


def check_itself(stepscope, script):
    """A script that profiles itself goes on, whatever its own profiler says."""
    with Job(script, more="itself") as job:
        some = [capture(stepscope, job.address(), "--for", "200ms") for _ in range(5)]
        for one in some:
            assert one.files or one.reasons, one.rows
        assert job.alive()
        return f"{sum(bool(one.files) for one in some)} of 5 captures have a trace"


def check_killed(stepscope, script):
    """A process that ends within the window."""
    with Job(script) as job, Job(script) as other:
        both = Capture(stepscope, job.address(), other.address(), "--for", "3s")
        time.sleep(1.5)
        job.kill()
        both.result()
        assert len(both.files) == 1 and "connection broke" in both.reasons[0], both.rows
        assert both.seconds < 10 and other.alive()
        return both.reasons[0]


def check_interrupted(stepscope, script):
    """Ctrl-C ends the session, keeps what was recorded, and frees the server."""
    with Job(script) as job:
        one = Capture(stepscope, job.address(), "--for", "30s")
        time.sleep(2)
        one.interrupt()
        stopped = time.time()
        one.result()
        assert one.files and time.time() - stopped < 5, (one.rows, one.error)
        assert capture(stepscope, job.address(), "--for", "100ms", "--patience", "0s").files
        assert job.alive()
        return f"{time.time() - stopped:.1f} s with the next capture"


def check_our_end(stepscope, script):
    """A capture that is killed leaves a free server."""
    with Job(script) as job:
        one = Capture(stepscope, job.address(), "--for", "30s")
        time.sleep(2)
        one.interrupt(signal.SIGKILL)
        one.process.communicate()
        assert capture(stepscope, job.address("127.0.0.1"), "--for", "100ms").files
        assert job.alive()


def check_snapshots(stepscope, script):
    """Continuous profiling, fetched each second, and stopped: one run of one rank."""
    with Job(script) as job:
        one = capture(stepscope, job.address(), "--for", "4s", "--snapshot-every", "1s")
        files = list(one.run.glob("plugins/profile/*/*.xplane.pb"))
        assert len(files) >= 3, (one.rows, one.error, files)
        after = capture(stepscope, job.address(), "--for", "100ms", "--patience", "0s")
        assert after.files and job.alive(), after.rows
        stop = subprocess.run([stepscope, "capture", "grpc", job.address(), "--stop-snapshots"],
                              capture_output=True, text=True)
        assert stop.returncode == 2 and "NOT_FOUND" in stop.stdout, stop
        done = subprocess.run(
            [stepscope, "analyze", str(one.run), "--format", "json"], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        run = json.loads(done.stdout)["run"]
        used = [file["window"] for file in run["files"] if file["rank"] == 0]
        assert run["ranks"] == 1 and used == list(range(len(files))), run
        return f"{len(files)} windows of one rank"


def check_monitor(stepscope, script):
    """Only servers of TPUs can be monitored."""
    with Job(script) as job:
        done = subprocess.run([stepscope, "capture", "grpc", job.address(), "--monitor"],
                              capture_output=True, text=True)
        assert done.returncode == 2 and "has no Monitor" in done.stdout, done
        return done.stdout.strip()


def check_wrong_ports(stepscope, script):
    """Ports of other kinds say what they are."""
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    silent = socket.create_server(("127.0.0.1", 0))
    ports = {
        web.server_address[1]: "HTTP/1 server",
        silent.getsockname()[1]: "answers nothing",
        free_port(): "nothing listens",
    }
    if script == SCRIPTS["jax"]:
        coordinator = free_port()
        ports[coordinator] = "no such call"
        job = Job(script, more=coordinator)
    else:
        job = Job(script)
    with job:
        for port, words in ports.items():
            one = capture(stepscope, f"127.0.0.1:{port}", "--for", "100ms")
            assert one.code == 2 and words in one.reasons[0], (port, words, one.rows)
        web.shutdown()
        silent.close()
        assert job.alive()
    return ", ".join(ports.values())


CHECKS = [check_one, check_two, check_busy, check_itself, check_killed, check_interrupted,
          check_our_end, check_snapshots, check_monitor, check_wrong_ports]


def main(stepscope, *only):
    failed = 0
    for framework, script in SCRIPTS.items():
        version = importlib.metadata.version("tensorflow-cpu" if framework == "tensorflow" else framework)
        for check in CHECKS:
            if only and check.__name__ not in only and framework not in only:
                continue
            name = f"capture: {framework} {version}: {check.__doc__.strip().rstrip('.')}"
            try:
                print(f"{name}: ok ({check(stepscope, script) or 'as it should'})", flush=True)
            except (AssertionError, subprocess.TimeoutExpired, IndexError, KeyError) as error:
                print(f"{name}: FAILED: {error!r}", flush=True)
                failed += 1
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
