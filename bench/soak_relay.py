"""A relay and a central collector under load, while the central one's database is stopped: what grows, how long answers take,
and whether every event arrives once.

    soak_relay.py STEPSCOPE FOLDER [--minutes N] [--rate N] [--jobs N]

Prints a line every ten seconds, and JSON at the end. A third of the minutes is before the stop, a third is the stop, but at
least --stopped minutes, and the rest is after it. Counts are those of the database, by its own SQL and by `export`.
"""
import argparse
import http.client
import json
import shutil
import subprocess
import threading
import time
from pathlib import Path

from soak_store import Postgres, Server

BATCH = 40  # events of one job


class Job(threading.Thread):
    """Posts the events of some jobs evenly, each batch until it is acknowledged."""

    def __init__(self, port, names, rate):
        super().__init__(daemon=True)
        self.port, self.names, self.rate = port, names, rate
        self.acknowledged = dict.fromkeys(names, 0)
        self.latencies, self.failures, self.stopped = [], 0, threading.Event()
        self.connection = None

    def run(self):
        began, sent = time.monotonic(), 0
        while not self.stopped.is_set():
            name = self.names[sent % len(self.names)]
            self.post(name, self.acknowledged[name])
            self.acknowledged[name] += BATCH
            sent += 1
            time.sleep(max(0, began + sent * BATCH / self.rate - time.monotonic()))

    def post(self, name, first):
        now = time.time_ns()
        body = "".join(json.dumps({"job_name": name, "event": "step_start", "time_ns": now + k, "step": k, "writer": name,
                                   "sequence": k}) + "\n" for k in range(first, first + BATCH))
        while True:
            began = time.monotonic()
            try:
                self.connection = self.connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
                self.connection.request("POST", "/v1/events", body)
                answer = self.connection.getresponse()
                answer.read()
                if answer.status == 200:
                    self.latencies.append(time.monotonic() - began)
                    return
            except (OSError, http.client.HTTPException):
                self.connection = None
            self.failures += 1
            time.sleep(0.1)


def memory(server):
    """Resident MB."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def disk(folder):
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file()) / 1e6


def metric(port, name):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    found = [line.split()[-1] for line in text.splitlines() if line.startswith(f"stepscope_goodput_{name}{{}} ")]
    return float(found[0]) if found else None


def percentiles(values):
    values = sorted(values)
    return [round(1000 * values[int(share * (len(values) - 1))], 1) for share in (0.5, 0.99, 1)] if values else []


class Soak:
    def __init__(self, options):
        shutil.rmtree(options.folder, ignore_errors=True)
        options.folder.mkdir(parents=True)
        self.options, self.postgres = options, Postgres(options.folder / "postgres")
        self.central = self.server("central", "--store", self.postgres.address)
        self.relay = self.server("relay", "--to", self.central.address)
        self.samples, self.began = [], time.monotonic()

    def server(self, name, *more):
        made = Server([self.options.stepscope, "goodput", "collect", self.options.folder / name, "--port", "0", *more],
                      self.options.folder / f"{name}.log")
        assert made.start(), made.log.read_text()
        return made

    @staticmethod
    def port(server):
        return int(server.address.rpartition(":")[2])

    def sample(self, phase, jobs):
        done = [latency for job in jobs for latency in job.latencies]
        for job in jobs:
            job.latencies = []
        one = {"s": round(time.monotonic() - self.began), "phase": phase,
               "events": sum(sum(job.acknowledged.values()) for job in jobs), "latency_ms": percentiles(done),
               "relay_mb": round(memory(self.relay), 1), "central_mb": round(memory(self.central), 1),
               "relay_disk_mb": round(disk(self.options.folder / "relay"), 1),
               "central_disk_mb": round(disk(self.options.folder / "central"), 1),
               "lag_s": metric(self.port(self.relay), "relay_lag_seconds"),
               "lag_bytes": metric(self.port(self.relay), "relay_lag_bytes")}
        self.samples.append(one)
        print(json.dumps(one), flush=True)

    def phase(self, name, minutes, jobs):
        until = time.monotonic() + 60 * minutes
        while time.monotonic() < until:
            time.sleep(min(10, max(0.1, until - time.monotonic())))
            self.sample(name, jobs)

    def run(self):
        options = self.options
        names = [f"job-{k}" for k in range(options.jobs)]
        jobs = [Job(self.port(self.relay), names[k::options.threads], options.rate / options.threads)
                for k in range(options.threads)]
        for job in jobs:
            job.start()
        rest = max(0, options.minutes - options.stopped) / 2
        self.phase("before", rest, jobs)
        self.postgres.kill()
        self.phase("stopped", options.stopped, jobs)
        self.postgres.start()
        self.phase("after", rest, jobs)
        for job in jobs:
            job.stopped.set()
        for job in jobs:
            job.join()
        return self.count({name: count for job in jobs for name, count in job.acknowledged.items()},
                          sum(job.failures for job in jobs))

    def count(self, acknowledged, failures):
        """Once both have ended, which send what is left."""
        began = time.monotonic()
        for server in (self.relay, self.central):
            server.process.terminate()
            server.process.wait()
        wrong = {}
        for name, count in acknowledged.items():
            told = subprocess.run([self.options.stepscope, "goodput", "export", "--store", self.postgres.address, "--job", name,
                                   "--format", "jsonl"], capture_output=True, text=True)
            steps = [json.loads(line)["step"] for line in told.stdout.splitlines() if '"step_start"' in line]
            if sorted(steps) != list(range(count)):
                wrong[name] = [count, len(steps), len(set(steps))]
        return {"acknowledged": sum(acknowledged.values()), "failures": failures, "wrong_jobs": wrong,
                "ending_s": round(time.monotonic() - began, 1)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("stepscope")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=14)
    parser.add_argument("--stopped", type=float, default=10)
    parser.add_argument("--rate", type=float, default=3000)
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--threads", type=int, default=8)
    soak = Soak(parser.parse_args())
    try:
        print(json.dumps(soak.run()))
    finally:
        soak.relay.process.kill()
        soak.central.process.kill()
        soak.postgres.kill()
