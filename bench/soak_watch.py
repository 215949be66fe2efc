"""Samples servers while a soak test runs, asks them questions, and sums up what was seen."""
import json
import os
import statistics
import subprocess
import threading
import time

EVERY = 5  # seconds
TICKS = os.sysconf("SC_CLK_TCK")


def memory_of(pid):
    """Bytes: resident, of which anonymous (files that are mapped are the rest)."""
    found = {}
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(("VmRSS", "RssAnon")):
            found[line.split(":")[0]] = int(line.split()[1]) * 1024
    return found.get("VmRSS", 0), found.get("RssAnon", 0)


def cpu_of(pid, children=False):
    """Seconds of CPU time; with `children`, also of those it waited for."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15 if children else 13])) / TICKS


def cpu_of_family(pid):
    """Of a process, and the children it has and had."""
    total = cpu_of(pid, children=True)
    for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
        try:
            total += cpu_of(child)
        except OSError:
            pass  # it is gone
    return total


class Watch:
    """Samples every five seconds, on a thread of its own; and questions, on another."""

    def __init__(self, folder):
        self.began = time.monotonic()
        self.samples, self.answers, self.stop = [], [], threading.Event()
        self.lock = threading.Lock()
        self.log = open(folder / "samples.jsonl", "w")
        self.threads = []

    def seconds(self):
        return time.monotonic() - self.began

    def every(self, pause, what):
        """Calls `what` again and again until the end."""
        def run():
            while not self.stop.wait(pause):
                what()
        self.threads.append(threading.Thread(target=run, daemon=True))
        self.threads[-1].start()

    def sample(self, server, page, disk, postgres):
        one = {"seconds": round(self.seconds(), 1), "load": os.getloadavg()[0], "store": disk.used()}
        for name, who in (("server", server), ("page", page)):
            try:
                one[f"{name}_pid"] = who.pid
                one[f"{name}_rss"], one[f"{name}_anon"] = memory_of(who.pid)
                one[f"{name}_cpu"] = cpu_of(who.pid)
                one[f"{name}_files"] = len(os.listdir(f"/proc/{who.pid}/fd"))
            except OSError:
                pass  # it does not run
        try:
            if postgres:
                one["postgres_cpu"] = cpu_of_family(postgres.pid())
        except OSError:
            pass
        self.note(self.samples, one)

    def note(self, to, one):
        with self.lock:
            to.append(one)
            print(json.dumps(one), file=self.log, flush=True)

    def ask(self, name, question):
        """Notes how long `question` takes, and whether it was answered; returns what it returns."""
        began, answer, error = self.seconds(), None, ""
        try:
            answer = question()
        except Exception as problem:  # a server that was killed gives all kinds of them
            error = f"{type(problem).__name__}: {problem}"[:200]
        one = {"question": name, "at": round(began, 1), "took": self.seconds() - began, "error": error}
        self.note(self.answers, one)
        return answer

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(120)


def run_command(words):
    """Runs a command that must succeed; its output."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or done.stdout[:200])
    return done.stdout


def slope(samples, key, begin, end, quiet):
    """Least squares of samples[key] between two times, bytes per minute, within the lives of the process: a start
    gives memory back. Without `quiet` seconds after each."""
    lives, since, name = {}, {}, key.split("_")[0] + "_pid"
    for one in samples:
        if key not in one:
            continue
        first = since.setdefault(one[name], one["seconds"])
        if begin <= one["seconds"] <= end and one["seconds"] - first >= quiet:
            lives.setdefault(one[name], []).append((one["seconds"] / 60, one[key]))
    above = below = 0
    for points in lives.values():
        x, y = (statistics.mean(point[k] for point in points) for k in (0, 1))
        above += sum((point[0] - x) * (point[1] - y) for point in points)
        below += sum((point[0] - x) ** 2 for point in points)
    return above / below if below else None


def cpu_seconds(samples, key):
    """CPU time over all lives of a process."""
    total = last = 0
    for one in samples:
        if key in one:
            total += one[key] - last if one[key] >= last else one[key]
            last = one[key]
    return total


def percentiles(values):
    """(p50, p99, max); Nones: no values."""
    if not values:
        return None, None, None
    ordered = sorted(values)
    return ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], ordered[-1]
