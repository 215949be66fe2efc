#!/usr/bin/env python3
"""Asks the questions of deploy/fleet on every engine that is here: the same rows, and those of `goodput fleet`.

    fleet_engines_test.py STEPSCOPE    exit 77: no engine is here, and why

Publishing is tested on each server: again, at the same time, killed, after a change, and with months dropped.
"""
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import engines
import grafana
import jobs

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = sorted((ROOT / "deploy/fleet/questions").glob("*.sql"))
TABLES = ("jobs", "goodput_days", "goodput_buckets", "disruptions")
STEPSCOPE = str(Path(sys.argv.pop(1)).resolve()) if len(sys.argv) > 1 else "stepscope"


def run(*arguments):
    done = subprocess.run([STEPSCOPE, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def publish(ledger, engine, *more):
    answer = json.loads(run("goodput", "publish", "--store", ledger, "--to", engine.address, "--format", "json", *more))
    return {metric["key"]: metric["value"] for metric in answer["reports"][0]["metrics"]}


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def same(one, other):
    """Whether two cells are one: sums of fractions depend on their order in the last digits."""
    a, b = number(one), number(other)
    return one == other if a is None or b is None else math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def key(row):
    return [(cell is None, f"{number(cell):.6e}" if number(cell) is not None else cell or "") for cell in row]


class FleetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = engines.scratch()
        base = Path(cls.folder.name)
        jobs.write_events(base / "events.jsonl")
        cls.ledger = base / "ledger"
        run("goodput", "import", base / "events.jsonl", "--store", cls.ledger)
        cls.servers, cls.missing = engines.servers(base)
        try:
            cls.local = engines.DuckDb(STEPSCOPE, cls.ledger)
            cls.local.ask("SELECT 1")
        except engines.Missing as why:
            cls.local = None
            cls.missing.append(f"DuckDB: {why}")
        print("\n".join(f"not tested: {line}" for line in cls.missing))
        if not cls.servers and cls.local is None:
            print("skipped: no engine is here")
            sys.exit(77)

    @classmethod
    def tearDownClass(cls):
        engines.stop(cls.servers)
        cls.folder.cleanup()

    def current(self):
        """Servers that know today's SQL."""
        return [server for server in self.servers if server.name != "ClickHouse 18.16"]

    def expect_rows(self, rows, expected, what):
        self.assertEqual(len(rows), len(expected), what)
        for row, other in zip(sorted(rows, key=key), sorted(expected, key=key)):
            self.assertTrue(len(row) == len(other) and all(map(same, row, other)), f"{what}: {row} is not {other}")

    def contents(self, server):
        return [[row for row in server.ask(f"SELECT * FROM {table}")] for table in TABLES]

    def test_engines_answer_alike(self):
        for server in self.servers:
            server.clear()
            self.assertEqual(publish(self.ledger, server)["published"], jobs.JOBS, server.name)
        for question in QUESTIONS:
            sql = question.read_text()
            expected = None
            for engine in [self.local] * (self.local is not None) + self.current():
                rows = engine.ask(sql)
                self.assertTrue(rows, f"{question.name} on {engine.name}")
                expected = expected or rows
                self.expect_rows(rows, expected, f"{question.name} on {engine.name}")

    def test_rows_are_those_of_the_ledger(self):
        name = {"ledger": str(self.ledger.resolve())}
        for server in self.servers:
            server.clear()
            publish(self.ledger, server)
            if self.local is None:
                continue
            for table in TABLES:
                expected = self.local.ask(f"SELECT '{name['ledger']}', * EXCLUDE (ledger) FROM {table}")
                self.expect_rows(server.ask(f"SELECT * FROM {table}"), expected, f"{table} on {server.name}")

    def fleet_table(self, key, *more):
        """Rows of a table of `goodput fleet`, by column; the group without a label is None, as in SQL."""
        answer = json.loads(run("goodput", "fleet", "--store", self.ledger, *more, "--format", "json"))
        table = next(t for t in answer["reports"][0]["tables"] if t["key"] == key)
        columns = [column["key"] for column in table["columns"]]
        rows = [dict(zip(columns, cells)) for cells in table["rows"]]
        return [{**row, "group": None if row.get("group") == "(none)" else row.get("group")} for row in rows]

    def each_engine(self):
        """Every engine of today with the ledger's rows."""
        for engine in [self.local] * (self.local is not None) + self.current():
            if engine is not self.local:
                engine.clear()
                publish(self.ledger, engine)
            yield engine

    def expect_like_fleet(self, name, table, columns, *more):
        """The question's columns are these of a table of `goodput fleet`, None where it has no value."""
        expected = [[None if row[column] is None else str(row[column]) for column in columns]
                    for row in self.fleet_table(table, *more)]
        sql = (ROOT / f"deploy/fleet/questions/{name}.sql").read_text()
        for engine in self.each_engine():
            self.expect_rows(engine.ask(sql), expected, f"{name} on {engine.name}")

    def test_teams_are_those_of_goodput_fleet(self):
        columns = ["group", "week", "jobs", "chip_hours", "goodput_ratio", "badput_chip_hours"]
        self.expect_like_fleet("teams", "groups", columns, "--by", "team", "--week")
        rows = self.fleet_table("groups", "--by", "team")
        self.assertEqual({row["group"]: row["jobs"] for row in rows},
                         {None: 2, "-": 1, "ads": 4, "nlp": 5, "tpu": 1, "vision": 4})
        self.assertEqual({row["group"] for row in rows if row["chip_hours"] is not None}, {"-", "tpu"})

    def test_worst_jobs_are_those_of_goodput_fleet(self):
        self.expect_like_fleet("worst_jobs", "worst", ["job", "group", "chip_hours", "largest_badput"])

    def test_losses_are_those_of_goodput_fleet(self):
        expected = {row["bucket"]: row for row in self.fleet_table("mend")}
        sql = (ROOT / "deploy/fleet/questions/losses.sql").read_text()
        for engine in self.each_engine():
            rows = {row[0]: row[1:] for row in engine.ask(sql)}
            self.assertEqual(set(rows), set(expected), engine.name)
            for bucket, (hours, chip_hours, gain, count) in rows.items():
                row = expected[bucket]
                self.assertTrue(same(hours, str(row["time"] / 3.6e12)), f"{bucket} on {engine.name}")
                self.assertEqual((chip_hours, int(count)), (row["chip_hours"], row["jobs"]), f"{bucket} on {engine.name}")
                self.assertTrue(same(gain, str(row["points"])), f"{bucket} on {engine.name}")

    def test_chip_hours_are_unknown_where_chips_are(self):
        for engine in self.each_engine():
            known = {}
            for name, group, column in (("fleet", 0, 5), ("trend", 0, 2), ("causes", 0, 4), ("nodes", 0, 4)):
                rows = engine.ask((ROOT / f"deploy/fleet/questions/{name}.sql").read_text())
                known[name] = {row[group] for row in rows if row[column] is not None}
                self.assertIn(None, [row[column] for row in rows], f"{name} on {engine.name}")
            # Of teams, clusters and chips together some have no job of unknown chips; nor have some days.
            self.assertEqual(known["fleet"], {"-", "ads", "nlp", "tpu", "vision"}, engine.name)
            self.assertTrue(known["trend"], engine.name)

    def test_times_are_those_of_goodput_fleet(self):
        expected = {(row["group"], row["week"]): row for row in self.fleet_table("groups", "--by", "team", "--week")}
        for engine in self.each_engine():
            times = engine.ask("SELECT team, week, sum(counted_ns), sum(lost_ns) FROM goodput_days GROUP BY team, week")
            self.assertEqual({(team, week) for team, week, *_ in times}, set(expected), engine.name)
            for team, week, counted, lost in times:
                self.assertEqual((int(counted), int(lost)),
                                 (expected[team, week]["time"], expected[team, week]["badput_time"]), engine.name)

    def test_panels_have_rows(self):
        for server in self.current():
            server.clear()
            publish(self.ledger, server)
            board = grafana.Board(server)
            self.assertEqual(sorted(board.options("team")), ["(none)", "-", "ads", "nlp", "tpu", "vision"])
            for title, rows in board.panels(team=["nlp", "vision"], cluster=["c0", "c1"]):
                self.assertTrue(rows or title.startswith("Nodes"), f"{title} on {server.name}")
                self.assertNotIn("ads", str(rows), title)

    def test_panels_select_teams_of_any_name(self):
        teams = ["o'brien", "\\N", "a\\'b", "\\", "\u00e9quipe \u30c7\u30fc\u30bf", "x') OR 1=1 --", "-", "(none)", '"', "${team}"]
        with engines.scratch() as name:
            base = Path(name)
            (base / "events.jsonl").write_text("".join(
                "".join(jobs.job_events(f"job{k}", {"team": team, "cluster": team, "nodes": 2}, 8, 0, 1, [None]))
                for k, team in enumerate(teams)), encoding="utf-8")
            run("goodput", "import", base / "events.jsonl", "--store", base / "ledger")
            for server in self.current():
                server.clear()
                self.assertEqual(publish(base / "ledger", server)["published"], len(teams))
                board = grafana.Board(server)
                self.assertEqual(sorted(board.options("team")), sorted(teams), server.name)
                for team in teams:
                    for title, rows in board.panels(team=[team], cluster=[team]):
                        self.assertTrue(rows or title.startswith("Nodes"), f"{title} of {team} on {server.name}")
                        if title.startswith("Scheduling"):
                            self.assertEqual({row[0] for row in rows}, {team}, server.name)
                        if title.startswith("Jobs"):
                            self.assertEqual({row[0] for row in rows}, {f"job{teams.index(team)}"}, server.name)
                for title, rows in board.panels(team=teams, cluster=teams):
                    if title.startswith("Scheduling"):
                        self.assertEqual({row[0] for row in rows}, set(teams), server.name)

    def test_publishing_again_changes_nothing(self):
        for server in self.servers:
            server.clear()
            publish(self.ledger, server)
            before = self.contents(server)
            publish(self.ledger, server)
            self.assertEqual([len(rows) for rows in self.contents(server)], [len(rows) for rows in before])

    def test_publishing_at_the_same_time_doubles_nothing(self):
        for server in self.servers:
            server.clear()
            command = [STEPSCOPE, "goodput", "publish", "--store", self.ledger, "--to", server.address]
            runs = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(3)]
            for one in runs:
                self.assertEqual((one.wait(), one.stderr.read()), (0, b""), server.name)
                one.stderr.close()
            once = self.contents(server)
            server.clear()
            publish(self.ledger, server)
            for rows, expected in zip(once, self.contents(server)):
                self.expect_rows(rows, expected, server.name)

    def test_a_killed_publication_loses_and_doubles_nothing(self):
        chance = random.Random(20261130)
        for server in self.servers:
            server.clear()
            command = [STEPSCOPE, "goodput", "publish", "--store", self.ledger, "--to", server.address]
            for _ in range(4):
                one = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(chance.uniform(0.02, 0.6))
                one.send_signal(signal.SIGKILL)
                one.wait()
            publish(self.ledger, server)
            killed = self.contents(server)
            server.clear()
            publish(self.ledger, server)
            for rows, expected in zip(killed, self.contents(server)):
                self.expect_rows(rows, expected, server.name)

    def test_readers_never_see_half_a_job(self):
        for server in self.servers:
            server.clear()
            publish(self.ledger, server)
            sql = "SELECT count(*), sum(ns) FROM goodput_buckets"
            whole = server.ask(sql)
            command = [STEPSCOPE, "goodput", "publish", "--store", self.ledger, "--to", server.address]
            for _ in range(3):
                one = subprocess.Popen(command, stdout=subprocess.DEVNULL)
                while one.poll() is None:
                    self.assertEqual(server.ask(sql), whole, server.name)
                self.assertEqual(one.returncode, 0, server.name)

    def test_only_jobs_that_changed_are_written(self):
        with engines.scratch() as name:
            base = Path(name)
            jobs.write_events(base / "events.jsonl")
            run("goodput", "import", base / "events.jsonl", "--store", base / "ledger")
            self.make_old(base / "ledger")
            for server in self.servers:
                server.clear()
                self.assertEqual(publish(base / "ledger", server)["published"], jobs.JOBS, server.name)
                again = publish(base / "ledger", server)
                self.assertEqual((again["published"], again["unchanged"]), (0, jobs.JOBS), server.name)
                chips = publish(base / "ledger", server, "--chips-per-job", "8")
                self.assertEqual(chips["published"], jobs.JOBS, server.name)
                publish(base / "ledger", server)
            (base / "more.jsonl").write_text("".join(jobs.job_events("nlp/new", {}, 8, 0, 1, [])))
            run("goodput", "import", base / "more.jsonl", "--store", base / "ledger")
            run("goodput", "delete", "--store", base / "ledger", "--job", "ads/job-2", "--yes")
            for server in self.servers:
                changed = publish(base / "ledger", server)
                self.assertEqual((changed["published"], changed["unchanged"], changed["removed"]), (1, jobs.JOBS - 1, 1),
                                 server.name)
                names = [row[0] for row in server.ask("SELECT job FROM jobs")]
                self.assertEqual((len(names), "nlp/new" in names, "ads/job-2" in names), (jobs.JOBS, True, False), server.name)
                for table in TABLES[1:]:
                    self.assertEqual(server.ask(f"SELECT count(*) FROM {table} WHERE job = 'ads/job-2'"), [["0"]])

    @staticmethod
    def make_old(ledger):
        """As if imported ten minutes ago: nobody writes any more."""
        for file in ledger.rglob("*"):
            os.utime(file, (time.time() - 600, time.time() - 600))

    def test_a_ledger_under_two_names_is_refused(self):
        for server in self.servers:
            server.clear()
            publish(self.ledger, server)
            done = subprocess.run([STEPSCOPE, "goodput", "publish", "--store", self.ledger, "--to", server.address,
                                   "--ledger-name", "other"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, server.name)
            self.assertIn("that began at the same moment is published", done.stderr)

    def test_ledgers_are_asked_beside_traces_and_each_other(self):
        if self.local is None:
            self.skipTest("no DuckDB")
        base = Path(self.folder.name)
        run("demo", base / "traces", "--ranks", "2", "--steps", "3")
        both = engines.DuckDb(STEPSCOPE, base / "traces")
        both.command.append(str(self.ledger))
        self.assertEqual(both.ask("SELECT (SELECT count(*) FROM jobs), (SELECT count(DISTINCT rank) FROM kernels)"),
                         [[str(jobs.JOBS), "2"]])

    def test_a_ledger_in_postgresql_has_the_same_rows(self):
        store = next((server for server in self.servers if server.name == "PostgreSQL"), None)
        if store is None or self.local is None:
            self.skipTest("no PostgreSQL or no DuckDB")
        store.run("DROP SCHEMA IF EXISTS stepscope CASCADE")
        run("goodput", "import", Path(self.folder.name) / "events.jsonl", "--store", store.address)
        for table in TABLES:
            sql = f"SELECT * EXCLUDE (ledger) FROM {table}"
            self.expect_rows(engines.DuckDb(STEPSCOPE, store.address).ask(sql), self.local.ask(sql), table)
        store.clear()
        self.assertEqual(publish(store.address, store)["published"], jobs.JOBS)
        store.run("DROP SCHEMA stepscope CASCADE")

    def test_old_months_go_and_stay_away(self):
        for server in self.servers:
            server.clear()
            self.assertEqual(publish(self.ledger, server)["dropped_months"], 0)
            months = 1  # events are of 2026-05 and 2026-06, and later months keep nothing of them
            dropped = publish(self.ledger, server, "--keep-months", months)["dropped_months"]
            today = time.gmtime()
            age = (today.tm_year - 2026) * 12 + today.tm_mon - 5
            self.assertEqual(dropped, min(2, max(0, age - months)), server.name)
            publish(self.ledger, server)
            left = int(server.ask("SELECT count(*) FROM goodput_days WHERE day < '2026-06-01'")[0][0])
            self.assertEqual(left == 0, age > months, server.name)


if __name__ == "__main__":
    unittest.main()
