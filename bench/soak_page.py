"""The page's server in a soak test: 20 clients ask what the page asks, while runs are added to the folder."""
import itertools
import json
import random
import shutil
import subprocess
import threading
import time

from soak_store import Server
from soak_watch import EVERY, Watch

CLIENTS = 20
EVERY_RUN = 15  # seconds between two new runs
MOST_RUNS = 40


class Client:
    """Somebody who opens a run, reads its answers, and moves about in its timeline."""

    def __init__(self, server, watch, number):
        self.server, self.watch = server, watch
        self.chance = random.Random(number)

    def get(self, name, path):
        """Asks as the page does: again after 202, not yet."""
        def ask():
            while True:
                body = self.server.get(path)
                if body or self.watch.stop.is_set():
                    return body
                time.sleep(0.4)
        return self.watch.ask(name, ask)

    def look(self):
        """One visit."""
        state = self.get("state", "api/state")
        runs = json.loads(state)["runs"] if state else []
        if not runs:
            return time.sleep(1)
        run = self.chance.choice(runs[-8:])["id"]  # mostly the latest
        self.get("answer", f"api/runs/{run}/answer")
        self.get("answer_brief", f"api/runs/{run}/answer?brief=1")
        info = self.get("timeline", f"api/runs/{run}/timeline")
        if info:
            self.move(run, json.loads(info))
        if len(runs) > 1:
            other = self.chance.choice(runs)["id"]
            if other != run:
                self.get("compare", f"api/compare?base={other}&with={run}&brief=1")
        return None

    def move(self, run, info):
        """Some frames of the timeline: tiles of 16 tracks from coarse to fine, and a search."""
        tracks = [track["id"] for track in info["tracks"][:16]]
        whole = max(0, (max(info["end"], 1) >> 9).bit_length())
        for _ in range(8):
            level = self.chance.randint(max(0, whole - 8), whole)
            last = info["end"] >> (9 + level)
            first = self.chance.randint(0, max(0, last - 2))
            names = (f"{track}.{level}.{index}" for track in tracks for index in range(first, min(first + 3, last + 1)))
            self.get("tiles", f"api/runs/{run}/timeline/tiles?list={','.join(names)}")
            time.sleep(self.chance.uniform(0.05, 0.5))
        self.get("longest", f"api/runs/{run}/timeline/longest?track={self.chance.choice(tracks)}&from=0&to={info['end']}")


def new_runs(options, folder):
    """Calls that add a run each."""
    if options.traces:
        kinds = itertools.cycle(sorted(path for path in options.traces.iterdir() if path.is_dir()))
        return ((number, lambda where, kind=kind: shutil.copytree(kind, where)) for number, kind in enumerate(kinds))
    return ((number, lambda where, seed=number: subprocess.run(
        [options.stepscope, "demo", where, "--seed", str(seed)], check=True, stdout=subprocess.DEVNULL)) for number in itertools.count())


class Growth:
    """Adds runs, and notes when the server tells of each."""

    def __init__(self, options, folder, server, watch):
        self.folder, self.server, self.watch = folder, server, watch
        self.runs, self.added, self.appeared = new_runs(options, folder), {}, {}

    def add(self):
        number, make = next(self.runs)
        if number >= MOST_RUNS:
            return
        name = f"run{number:03}"
        make(self.folder / name)
        self.added[name] = self.watch.seconds()

    def look(self):
        told = self.watch.ask("state", lambda: self.server.get("api/state"))
        for run in json.loads(told)["runs"] if told else []:
            if run["state"] != "ready":
                continue
            self.appeared.setdefault(run["name"].split("/")[-1], self.watch.seconds())


def run(options, minutes):
    """Returns all that was seen, by name."""
    here = options.folder / "page"
    shutil.rmtree(here, ignore_errors=True)
    runs = here / "runs"
    runs.mkdir(parents=True)
    server = Server([options.stepscope, "serve", runs], here / "page.log")
    first = next(new_runs(options, runs))[1]
    first(runs / "first")
    server.start()
    watch = Watch(here)
    growth = Growth(options, runs, server, watch)

    def visit(client):
        while not watch.stop.is_set():
            try:
                client.look()
            except Exception as problem:
                watch.note(watch.answers, {"question": "visit", "at": watch.seconds(), "took": 0, "error": repr(problem)[:200]})
                time.sleep(1)

    watch.threads += [threading.Thread(target=visit, args=(Client(server, watch, k),), daemon=True) for k in range(CLIENTS)]
    for thread in watch.threads:
        thread.start()
    watch.every(EVERY_RUN, growth.add)
    watch.every(1, growth.look)
    watch.every(EVERY, lambda: watch.sample(server, server, NoDisk, None))
    time.sleep(minutes * 60)
    watch.end()
    ended = server.ended_by_itself()
    if not ended:
        server.stop()
    shutil.rmtree(runs, ignore_errors=True)
    return {"store": "page", "minutes": minutes, "samples": watch.samples, "answers": watch.answers,
            "added": growth.added, "appeared": growth.appeared, "own_ends": server.own_ends}


class NoDisk:
    """What a sample asks of a disk, where there is none."""

    @staticmethod
    def used():
        return 0
