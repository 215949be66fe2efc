"""A long series of captures of live PyTorch jobs with hostile timing; counts what came of each.

    capture_series.py STEPSCOPE FOLDER [CAPTURES]    exit 1 if a process ended or a capture said nothing

Two jobs of several processes train throughout. Each round captures both and does one of: nothing else, a very short
window, steps instead of a time, two captures at once, Ctrl-C, SIGKILL of the capture, a daemon that starts, ends or is
killed meanwhile, workers that stop for some seconds, polls and garbage of a stranger on the same socket.
"""
import collections
import json
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

JOBS = pathlib.Path(__file__).parent / "capture_jobs.py"


class Job:
    """A job of `workers` processes behind torchrun, whose libkineto asks in `sockets`, or the abstract one."""

    def __init__(self, folder, workers, seconds, sockets=None, flags=()):
        self.ready = folder / "ready"
        self.ready.mkdir(parents=True, exist_ok=True)
        self.sockets, self.workers = sockets, workers
        environment = dict(os.environ, KINETO_USE_DAEMON="1", OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="")
        if sockets:
            sockets.mkdir(parents=True, exist_ok=True)
            environment["KINETO_IPC_SOCKET_DIR"] = str(sockets)
        command = [sys.executable]
        if workers > 1:
            command += ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(workers)]
        command += [str(JOBS), str(seconds), "--ready", str(self.ready), *flags]
        self.log = open(folder / "log", "w")
        self.process = subprocess.Popen(command, env=environment, stdout=self.log, stderr=self.log,
                                        start_new_session=True)

    def pids(self):
        return [int(path.name) for path in self.ready.iterdir()]

    def wait_until_ready(self, seconds=300):
        end = time.time() + seconds
        while len(self.pids()) < self.workers:
            if time.time() > end or self.process.poll() is not None:
                sys.exit(f"the job does not train: {self.log.name}")
            time.sleep(0.2)

    def alive(self):
        return [pid for pid in self.pids() if is_alive(pid)]

    def end(self):
        """torchrun ends its workers, which are in sessions of their own."""
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pid in self.alive():
            os.kill(pid, signal.SIGKILL)


def is_alive(pid):
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(") ")[2][0] not in "ZX"


def capture_command(stepscope, job, *options):
    command = [stepscope, "capture", "torch", "--pid", str(job.process.pid), "--format", "json", *options]
    return command + (["--socket-dir", str(job.sockets)] if job.sockets else [])


def rows_of(output):
    """The rows of the table of processes, by the names of its columns."""
    table = json.loads(output)["reports"][0]["tables"][0]
    keys = [column["key"] for column in table["columns"]]
    return [row if isinstance(row, dict) else dict(zip(keys, row)) for row in table["rows"]]


def stranger(job):
    """What a broken program of the same user could send."""
    stranger = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    name = "dynoconfigclient" + "f" * 8 + str(random.random())
    stranger.bind(str(job.sockets / name) if job.sockets else f"\0{name}\0")
    server = str(job.sockets / "dynolog") if job.sockets else "\0dynolog\0"
    stranger.setblocking(False)
    good = struct.pack("=Q32s", 20, b"req") + struct.pack("=iiqi", 2, 1, 0, os.getpid())
    for data in (good, good, good[:30], good + b"x", struct.pack("=Q32s", 1 << 40, b"req"), os.urandom(5000), b""):
        try:
            stranger.sendto(data, server)
        except OSError:
            pass
        time.sleep(random.random() / 5)
    stranger.close()
    if job.sockets:
        (job.sockets / name).unlink(missing_ok=True)


class Series:
    def __init__(self, stepscope, folder):
        self.stepscope, self.folder = stepscope, folder
        self.counts = collections.Counter()
        self.reasons = collections.Counter()
        self.actions = collections.Counter()
        self.silent = []
        self.lock = threading.Lock()

    def start(self, job, *options):
        environment = dict(os.environ, XDG_STATE_HOME=str(self.folder / "state"))
        return subprocess.Popen(capture_command(self.stepscope, job, *options), text=True, env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def count(self, job, process, killed=False):
        output, errors = process.communicate(timeout=240)
        with self.lock:
            if killed:
                self.counts["killed captures"] += 1
                return
            self.counts["capture commands"] += 1
            try:
                rows = rows_of(output)
            except (ValueError, LookupError):
                if errors.startswith("stepscope: "):
                    self.counts["captures"] += job.workers
                    self.reasons[errors.splitlines()[0].removeprefix("stepscope: ")] += job.workers
                else:
                    self.silent.append(f"{process.returncode}: {output[:200]!r} {errors[:200]!r}")
                return
            for row in rows:
                if row["state"] == "not chosen":
                    continue
                if (row["reason"] or "").startswith("an earlier capture may still run"):
                    self.counts["refused, to be sure"] += 1
                    continue
                self.counts["captures"] += 1
                if row["state"] == "traced":
                    self.counts["traces"] += 1
                elif row["reason"]:
                    self.reasons[row["reason"].split(": /")[0]] += 1
                else:
                    self.silent.append(str(row))

    def round(self, job):
        action = random.choices(
            ["plain", "short", "steps", "twice", "interrupt", "kill", "daemon", "daemon killed", "stop", "stranger"],
            [5, 3, 3, 2, 2, 0.3, 1, 1, 1, 2])[0]
        with self.lock:
            self.actions[action] += 1
        window = {"short": ["--for", "1ms"], "steps": ["--iterations", "5"]}.get(action, ["--for", "200ms"])
        daemon = None
        if action.startswith("daemon"):
            command = [self.stepscope, "capture", "daemon", "--port", "0"]
            command += ["--socket-dir", str(job.sockets)] if job.sockets else []
            daemon = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.random())
        first = self.start(job, *window)
        time.sleep(random.random() * (9 if action in ("interrupt", "kill", "daemon killed") else 1))
        second = self.start(job, *window) if action == "twice" else None
        if action == "interrupt":
            first.send_signal(signal.SIGINT)
        elif action == "kill":
            first.kill()
        elif action == "daemon killed":
            daemon.send_signal(random.choice([signal.SIGKILL, signal.SIGTERM]))
        elif action == "stop":
            pids = random.sample(job.pids(), 2)
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
            time.sleep(random.random() * 4)
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        elif action == "stranger":
            stranger(job)
        self.count(job, first, killed=action == "kill")
        if action in ("interrupt", "kill"):
            time.sleep(5)
        if second:
            self.count(job, second)
        if daemon:
            daemon.terminate()
            daemon.wait()

    def run(self, job, captures):
        while self.counts["captures"] < captures and len(job.alive()) == job.workers:
            self.round(job)
            self.report([])

    def report(self, ended):
        with self.lock:
            (self.folder / "series.json").write_text(json.dumps(
                {"counts": self.counts, "reasons": self.reasons, "actions": self.actions, "ended": ended,
                 "silent": self.silent[:20]}, indent=1))


def main():
    stepscope, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    captures = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    workers = int(os.environ.get("WORKERS", "8"))
    jobs = [Job(folder / "a", workers, 7200), Job(folder / "b", workers, 7200, pathlib.Path(f"/tmp/k{os.getpid()}"))]
    try:
        for job in jobs:
            job.wait_until_ready()
        series = Series(stepscope, folder)
        threads = [threading.Thread(target=series.run, args=(job, captures)) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ended = [pid for job in jobs for pid in job.pids() if pid not in job.alive()]
        series.report(ended)
        print((folder / "series.json").read_text())
        return 1 if ended or series.silent else 0
    finally:
        for job in jobs:
            job.end()


if __name__ == "__main__":
    sys.exit(main())
