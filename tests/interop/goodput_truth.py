"""What the processes of a job did, by their own clocks, and the buckets that their time belongs to.

Each process appends marks to OUT/truth/ATTEMPT.PROCESS.jsonl, of which a kill loses none; whoever started them
appends when each died to OUT/truth/deaths.jsonl.
"""

import contextlib
import json
import os
import pathlib
import time

BUCKETS = {
    "init": "TPU_INITIALIZATION",
    "prep": "TRAINING_PREP",
    "restore": "UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME",
    "save": "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME",
    "load": "DATA_LOADING_SYNC",
    "eval": "CUSTOM",
    "compile": "PROGRAM_STARTUP",
    "kept": "PRODUCTIVE",
    "lost": "WASTED_PROGRESS_FROM_DISRUPTION",
    "slow": "SLOW_OR_HUNG",
    "hang": "SLOW_OR_HUNG",
    "recovery": "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION",
    "other": "OTHER",
}


class Truth:
    """Marks of one process."""

    def __init__(self, out, attempt, process):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._file = os.open(f"{out}/truth/{attempt}.{process}.jsonl", flags, 0o644)

    def mark(self, what, edge="at", number=None):
        mark = {"what": what, "edge": edge, "number": number, "pid": os.getpid(), "time": time.time_ns()}
        os.write(self._file, (json.dumps(mark) + "\n").encode())

    @contextlib.contextmanager
    def span(self, what, number=None):
        """Has no end if the process does not leave it as planned."""
        self.mark(what, "begin", number)
        yield
        self.mark(what, "end", number)


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Watcher:
    """Notes when processes died, from outside: call look() often."""

    def __init__(self, out):
        self._folder = pathlib.Path(out) / "truth"
        self._pids, self._dead, self._killed = {}, set(), {}

    def killed(self, pid):
        """Call when killing a process: on a loaded machine it takes a while to be gone."""
        self._killed[pid] = time.time_ns()

    def look(self):
        for path in self._folder.glob("*.*.jsonl"):
            if path not in self._pids and path.stat().st_size > 0:
                self._pids[path] = json.loads(path.read_text().splitlines()[0])["pid"]
        for path, pid in self._pids.items():
            if path in self._dead or alive(pid):
                continue
            self._dead.add(path)
            with open(self._folder / "deaths.jsonl", "a") as deaths:
                died = self._killed.get(pid, time.time_ns())
                deaths.write(json.dumps({"file": path.name, "time": died}) + "\n")


class Attempt:
    def __init__(self, marks, deaths):
        self.marks = marks  # by process
        first = marks[0]
        self.begin = min(m[0]["time"] for m in marks.values())
        ends = [m["time"] for m in first if m["what"] == "job_end"]
        self.end = ends[0] if ends else max(deaths.values())
        self.first_step = next((m["number"] for m in first if m["what"] == "step"), None)
        self.finished = {m["number"] for m in first if m["what"] == "step" and m["edge"] == "end"}
        self.hang = next((m["time"] for p in marks.values() for m in p if m["what"] == "hang"), None)


def read(out):
    """The attempts of the job in `out`."""
    folder = pathlib.Path(out) / "truth"
    marks, deaths = {}, {}
    for line in (folder / "deaths.jsonl").read_text().splitlines():
        death = json.loads(line)
        attempt, process = map(int, death["file"].split(".")[:2])
        deaths.setdefault(attempt, {})[process] = death["time"]
        lines = (folder / death["file"]).read_text().splitlines()
        marks.setdefault(attempt, {})[process] = [json.loads(mark) for mark in lines]
    return [Attempt(marks[attempt], deaths[attempt]) for attempt in sorted(marks)]


def pieces(attempt, begins_later):
    """Yields (what, begin, end) of an attempt; `begins_later` are the first steps of later ones."""
    inside, at = [("other", None)], attempt.begin
    for mark in [*attempt.marks[0], {"edge": "at", "time": attempt.end}]:
        what, number = inside[-1]
        time_ = min(mark["time"], attempt.end)
        if what == "step":
            kept = number in attempt.finished and all(number < first for first in begins_later)
            what = "kept" if kept else "lost"
            if attempt.hang is not None and time_ > attempt.hang:
                yield what, at, max(at, attempt.hang)
                what, at = "hang", max(at, attempt.hang)
        yield what, at, time_
        at = time_
        if mark["edge"] == "begin":
            inside.append((mark["what"], mark["number"]))
        elif mark["edge"] == "end":
            inside.pop()


def buckets(attempts):
    """Seconds by bucket."""
    seconds = dict.fromkeys(BUCKETS.values(), 0.0)
    for k, attempt in enumerate(attempts):
        later = [a.first_step for a in attempts[k + 1:] if a.first_step is not None]
        for what, begin, end in pieces(attempt, later):
            seconds[BUCKETS[what]] += (end - begin) / 1e9
        if k + 1 < len(attempts):
            seconds[BUCKETS["recovery"]] += (attempts[k + 1].begin - attempt.end) / 1e9
    return seconds
