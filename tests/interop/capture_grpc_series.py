"""Many captures of live JAX and TensorFlow processes at hostile moments:
`capture_grpc_series.py STEPSCOPE CAPTURES [SEED]`.

Prints counts as JSON: captures by kind, those with a trace, with a reason, with neither (must be 0),
ended by us on purpose, and training processes that ended (must be 0).
"""

import collections
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

from capture_grpc_jobs import Capture, Job, free_port

SCRIPTS = ["capture_jax.py", "capture_tensorflow.py"]


class Series:
    def __init__(self, stepscope, seed):
        self.stepscope = stepscope
        self.random = random.Random(seed)
        self.counts = collections.Counter()
        self.reasons = collections.Counter()
        self.small_disk = self.mount_small_disk()

    def mount_small_disk(self):
        folder = tempfile.mkdtemp(prefix="stepscope-small-")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", folder], capture_output=True)
        return folder if done.returncode == 0 else None

    def take(self, kind, one, ours=False):
        """Counts a capture that has ended; `ours`: we killed it on purpose."""
        self.counts["captures"] += 1
        self.counts[kind] += 1
        if ours:
            one.process.communicate()
            self.counts["killed on purpose"] += 1
        else:
            try:
                one.result()
            except Exception as error:  # noqa: BLE001: whatever it is, it is counted
                self.counts["neither"] += 1
                self.reasons[f"NEITHER {kind}: {error!r}"[:300]] += 1
                return one.remove()
            if one.files:
                self.counts["with a trace"] += 1
            if one.reasons or (not one.files and one.code == 2 and one.error):
                self.counts["with a reason"] += 0 if one.files else 1
                for reason in one.reasons or [one.error.strip().split("\n")[0]]:
                    self.reasons[reason[:90]] += 1
            elif not one.files:
                self.counts["neither"] += 1
                self.reasons[f"NEITHER {kind}: {one.out[:100]} {one.error[:200]}"] += 1
        one.remove()

    def start(self, *words):
        return Capture(self.stepscope, *words)

    def window(self):
        return f"{self.random.randint(1, 300)}ms"

    def pause(self, most):
        time.sleep(self.random.random() * most)

    # Each of these makes one capture or some, of this job.

    def plain(self, job):
        self.take("plain", self.start(job.address(), "--for", self.window()))

    def python_calls(self, job):
        self.take("python", self.start(job.address(), "--for", self.window(), "--python-level", "1", "--host-level", "3"))

    def two_at_once(self, job):
        first = self.start(job.address("localhost"), "--for", self.window(), "--patience", "2s")
        second = self.start(job.address("127.0.0.1"), "--for", self.window(), "--patience", "2s")
        self.take("two at once", first)
        self.take("two at once", second)

    def same_address(self, job):
        first = self.start(job.address(), "--for", self.window())
        self.take("same address", self.start(job.address(), "--for", self.window()))
        self.take("same address", first)

    def interrupted(self, job):
        one = self.start(job.address(), "--for", "5s")
        self.pause(1.5)
        one.interrupt()
        self.take("interrupted", one)

    def killed(self, job):
        one = self.start(job.address(), "--for", "5s")
        self.pause(1.0)
        one.interrupt(signal.SIGKILL)
        self.take("killed", one, ours=True)

    def frozen(self, job):
        one = self.start(job.address(), "--for", self.window())
        self.pause(0.3)
        one.interrupt(signal.SIGSTOP)
        time.sleep(0.7)
        one.interrupt(signal.SIGCONT)
        self.take("frozen", one)

    def job_frozen(self, job):
        one = self.start(job.address(), "--for", self.window())
        self.pause(0.3)
        job.process.send_signal(signal.SIGSTOP)
        time.sleep(0.7)
        job.process.send_signal(signal.SIGCONT)
        self.take("job frozen", one)

    def snapshots(self, job):
        one = self.start(job.address(), "--for", "2s", "--snapshot-every", "1s")
        if self.random.random() < 0.5:
            self.pause(2.0)
            one.interrupt()
        self.take("snapshots", one)

    def with_a_missing_one(self, job):
        self.take("one missing", self.start(f"{job.address()},localhost:{free_port()}", "--for", self.window()))

    def wrong_port(self, job):
        self.take("wrong port", self.start(f"localhost:{free_port()}", "--for", self.window()))

    def garbage(self, job):
        with socket.create_connection(("127.0.0.1", job.port)) as other:
            other.sendall(os.urandom(100))
            self.take("beside garbage", self.start(job.address(), "--for", self.window()))

    def disk_full(self, job):
        if self.small_disk is None:
            return
        one = self.start(job.address(), "--for", "300ms")
        one.process.kill()
        one.process.communicate()
        one.process = subprocess.Popen(
            [self.stepscope, "capture", "grpc", job.address(), "--for", "300ms", "-o",
             f"{self.small_disk}/run", "--format", "json"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.take("disk full", one)
        subprocess.run(["rm", "-rf", f"{self.small_disk}/run"], check=False)


def main(stepscope, captures, seed="1"):
    series = Series(stepscope, int(seed))
    kinds = [series.plain, series.plain, series.python_calls, series.two_at_once, series.same_address,
             series.interrupted, series.killed, series.frozen, series.job_frozen, series.snapshots, series.with_a_missing_one,
             series.wrong_port, series.garbage, series.disk_full]
    jobs = [Job(script, 36000, more) for script in SCRIPTS for more in (None, "itself")]
    begun = time.time()
    try:
        while series.counts["captures"] < int(captures):
            series.random.choice(kinds)(series.random.choice(jobs))
            ended = [job.process.args[1] for job in jobs if not job.alive()]
            assert not ended, ended
            if series.counts["captures"] % 20 == 0:
                print(dict(series.counts), file=sys.stderr, flush=True)
    finally:
        series.counts["training processes"] = len(jobs)
        series.counts["training processes that ended"] = sum(not job.alive() for job in jobs)
        printed = "".join(job.end() for job in jobs)
        series.counts["errors of scripts' own profilers"] = printed.count("own profiler:")
        if series.small_disk:
            subprocess.run(["umount", series.small_disk], check=False)
            pathlib.Path(series.small_disk).rmdir()
        print(json.dumps({"seconds": round(time.time() - begun), "counts": dict(series.counts),
                          "reasons": dict(series.reasons.most_common())}, indent=1))
    return series.counts["neither"] + series.counts["training processes that ended"]


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
