"""Soak test: servers under load for long, with faults; what is lost, how long answers take, whether memory grows.

    soak.py STEPSCOPE SOAK_WRITERS FOLDER [--minutes N] [--stores own,postgres,page] [--rate N] [--jobs N]

`./dev soak` builds what it needs and runs it. FOLDER gets a directory per store with all samples and logs. The event
server takes the events of soak_writers.cc with its own ledger, then with PostgreSQL; meanwhile it is killed, its disk
is full, the database is killed, and clocks of jobs jump. Last, `stepscope serve` answers 20 clients (soak_page.py).
"""
import argparse
import itertools
import json
import resource
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import soak_count
import soak_page
import soak_report
from soak_store import Disk, Postgres, Server
from soak_watch import EVERY, Watch, run_command

CONNECTIONS = 40
FAULTS = {"own": ("kill", "full", "kill_full"), "postgres": ("kill", "database", "full", "kill_full")}
DISK = 16       # GB; the file has holes
SPARE = 8       # GB that stay free on the real disk


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Soak:
    """One store: its servers, its load, its faults."""

    def __init__(self, options, store):
        self.options, self.store = options, store
        self.folder = options.folder / store
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.disk = Disk(self.folder / "disk.img", self.folder / "disk", DISK)
        self.ledger = self.disk.where / "ledger"
        self.postgres = Postgres(self.folder / "postgres") if store == "postgres" else None
        self.address = self.postgres.address if self.postgres else str(self.ledger)
        self.port = free_port()
        command = [options.stepscope, "goodput", "collect", self.ledger, "--port", self.port]
        self.server = Server(command + (["--store", self.address] if self.postgres else []), self.folder / "server.log")
        self.page = Server([options.stepscope, "serve", self.address], self.folder / "page.log")
        self.watch, self.intervals, self.faults = None, [], []
        self.refused_starts, self.ended_early, self.gave_up = 0, False, False
        self.acknowledged = self.folder / "acknowledged.tsv"

    # Load and questions

    def load(self):
        """Starts the writers; returns their process, whose output is read by a thread."""
        options = self.options
        writers = subprocess.Popen(
            [str(word) for word in (options.writers, self.port, CONNECTIONS, options.jobs, options.rate,
                                    options.minutes * 60, options.batch, self.acknowledged)],
            stdout=subprocess.PIPE, text=True)

        def read():
            with open(self.folder / "intervals.jsonl", "w") as log:
                for line in writers.stdout:
                    one = json.loads(line) | {"at": self.watch.seconds()}
                    self.intervals.append(one)
                    print(json.dumps(one), file=log, flush=True)
        self.reader = threading.Thread(target=read)
        self.reader.start()
        return writers

    def start_questions(self):
        watch, jobs = self.watch, (f"job{7 * k % self.options.jobs}" for k in itertools.count())

        def one_job():
            job = next(jobs)
            watch.ask("metrics", lambda: self.server.get("metrics"))
            watch.ask("analyze_job", lambda: run_command(
                [self.options.stepscope, "goodput", "analyze", "--store", self.address, "--job", job, "--format", "json"]))

        watch.every(15, one_job)
        watch.every(max(20, self.options.minutes * 6), lambda: watch.ask("page_of_job", lambda: self.page_of(next(jobs))))
        watch.every(max(20, self.options.minutes * 12), lambda: watch.ask("jobs", self.jobs))
        if self.postgres:
            watch.every(20, self.note_lag)
        watch.every(EVERY, lambda: watch.sample(self.server, self.page, self.disk, self.postgres))

    def page_of(self, job):
        """What the page shows of a job; the ledger is there once it has events."""
        ledger = json.loads(self.page.get("api/state"))["ledgers"][0]["id"]
        return self.page.get(f"api/ledgers/{ledger}?job={job}", timeout=600)

    def jobs(self):
        """{job: events} as the product tells it."""
        told = json.loads(run_command([self.options.stepscope, "goodput", "jobs", "--store", self.address, "--format", "json"]))
        table = told["reports"][0]["tables"][0]
        keys = [column["key"] for column in table["columns"]]
        rows = [dict(zip(keys, row)) for row in table["rows"]]
        return {row["job"]: row["events"] for row in rows}

    def note_lag(self):
        """How many events the database lacks, about: 32 bytes each, and as many again for each whose clock is ahead."""
        before = self.intervals[-1]["confirmed"] if self.intervals else 0
        rows = self.postgres.ask("SELECT sum(octet_length(bytes)) - 8192 * count(DISTINCT segment), "
                                 "pg_database_size('postgres') FROM stepscope.pieces")
        if rows:
            used, size = (int(word or 0) for word in rows[0].split("|"))
            self.watch.note(self.watch.samples, {"seconds": self.watch.seconds(), "database": size,
                                                 "behind": before - used * 7 // 8 // 32})

    # Faults

    def run_faults(self, writers):
        """A fault every few minutes, until two minutes before the end."""
        total = self.options.minutes * 60
        pause = min(180, max(15, total / 8))
        for number, fault in zip(itertools.count(1), itertools.cycle(FAULTS[self.store])):
            while self.watch.seconds() < number * pause - 8 and writers.poll() is None:
                time.sleep(0.2)
                self.look_after(writers)
            if writers.poll() is not None or self.watch.seconds() > total - min(120, pause):
                break
            if "full" in fault and not self.disk.mounted:
                continue
            begin = self.watch.seconds()
            getattr(self, fault)(min(40, pause / 4))
            self.faults.append({"fault": fault, "begin": begin, "end": self.watch.seconds()})
            print(f"soak: {self.store}: {begin:.0f} s: {fault}, over after {self.watch.seconds() - begin:.1f} s", file=sys.stderr)
        while writers.poll() is None:
            time.sleep(0.2)
            self.look_after(writers)

    def look_after(self, writers):
        """Starts a server that ended by itself, which counts; ends the load early if the real disk gets full."""
        if self.server.ended_by_itself():
            print(f"soak: {self.store}: the server ended by itself: {self.server.own_ends[-1]}", file=sys.stderr)
            self.start_again()
        if self.gave_up:
            writers.terminate()
        elif shutil.disk_usage(self.folder).free < SPARE << 30:
            if not self.ended_early:
                print(f"soak: {self.store}: ended early, since less than {SPARE} GB are left on the disk of {self.folder}", file=sys.stderr)
            self.ended_early = True
            writers.terminate()

    def start_again(self):
        """Until it starts; after two minutes of refusals the load ends, and what is stored is counted."""
        began = time.monotonic()
        while not self.server.start():
            self.refused_starts += 1
            if time.monotonic() - began > 120:
                self.gave_up = True
                return
            time.sleep(1)

    def kill(self, _):
        self.server.kill()
        time.sleep(1)
        self.start_again()

    def full(self, hold):
        self.disk.fill()
        time.sleep(hold)
        self.disk.empty()

    def kill_full(self, hold):
        """Killed on a full disk, and started again there."""
        self.disk.fill()
        self.server.kill()
        starting = threading.Thread(target=self.start_again)
        starting.start()
        time.sleep(hold)
        self.disk.empty()
        starting.join()

    def database(self, hold):
        self.postgres.kill()
        time.sleep(hold)
        self.postgres.start()

    # The whole

    def run(self):
        """Returns all that was seen, by name."""
        try:
            self.ledger.mkdir()
            self.server.start()
            time.sleep(3 if self.postgres else 0)  # the forwarder makes the schema
            self.page.start()
            self.watch = Watch(self.folder)
            writers = self.load()
            self.start_questions()
            self.run_faults(writers)
            self.reader.join()
            self.watch.end()
            return self.verify()
        finally:
            self.close()

    def verify(self):
        """Ends the server, and counts by its own answers and from the bytes."""
        stopped = self.server.stop() if self.server.pid else (0, self.server.process.returncode)
        self.page.kill()
        seen = {"store": self.store, "rate": self.options.rate, "stopped": stopped,
                "starts": self.server.starts, "own_ends": self.server.own_ends, "refused_starts": self.refused_starts,
                "gave_up": self.gave_up, "files_allowed": resource.getrlimit(resource.RLIMIT_NOFILE)[1],
                "faults": self.faults, "intervals": self.intervals, "samples": self.watch.samples,
                "answers": self.watch.answers, "ended_early": self.ended_early, "cannot_fill": not self.disk.mounted}
        seen["minutes"] = self.intervals[-1]["seconds"] / 60
        seen["counted"] = soak_count.compare(soak_count.found_in_folder(self.ledger), self.acknowledged)
        if self.postgres:
            there = soak_count.found_in_postgres(self.postgres.bin / "psql", self.address)
            seen["counted_in_database"] = soak_count.compare(there, self.acknowledged)
        expected = soak_count.by_job(self.acknowledged)
        began = time.monotonic()
        told = self.jobs()
        seen["jobs_seconds"] = time.monotonic() - began
        seen["jobs_wrong"] = {job: (told.get(job), *bounds) for job, bounds in expected.items()
                              if not bounds[0] <= (told.get(job) or -1) <= bounds[1]}
        seen["checks"] = {where: self.check(where) for where in {str(self.ledger), self.address}}
        return seen

    def check(self, where):
        began = time.monotonic()
        done = subprocess.run([self.options.stepscope, "goodput", "check", where], capture_output=True, text=True)
        (self.folder / f"check{len(where)}.txt").write_text(done.stdout + done.stderr)
        return {"code": done.returncode, "seconds": time.monotonic() - began,
                "told": (done.stdout.splitlines() or done.stderr.splitlines() or [""])[0]}

    def close(self):
        for server in (self.server, self.page):
            if server.pid:
                server.kill()
        if self.postgres:
            try:
                self.postgres.kill()
            except subprocess.CalledProcessError:
                pass  # it does not run
        if not self.options.keep:
            self.disk.close()
            (self.folder / "disk.img").unlink(missing_ok=True)
            shutil.rmtree(self.folder / "postgres", ignore_errors=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stepscope", type=Path)
    parser.add_argument("writers", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("minutes_given", metavar="MINUTES", nargs="?", type=float, default=30)
    parser.add_argument("--stores", default="own,postgres,page")
    parser.add_argument("--rate", type=int, default=50_000, help="events a second, of all jobs")
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=100, help="events")
    parser.add_argument("--traces", type=Path, help="runs that the page's folder grows by (default: demos)")
    parser.add_argument("--keep", action="store_true", help="keep the stores")
    options = parser.parse_args()
    options.minutes = int(options.minutes_given)
    options.stepscope, options.writers, options.folder = (
        path.resolve() for path in (options.stepscope, options.writers, options.folder))
    return options


def main():
    options, good = parse(), True
    for store in options.stores.split(","):
        if store == "page":
            seen = soak_page.run(options, min(10, options.minutes))
        elif store == "postgres" and not Postgres.find():
            print("soak: postgres: SKIPPED: there is no PostgreSQL server (./dev services installs it)", file=sys.stderr)
            continue
        else:
            seen = Soak(options, store).run()
        (options.folder / store / "seen.json").write_text(json.dumps(seen, indent=1))
        good = soak_report.tell(seen) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
