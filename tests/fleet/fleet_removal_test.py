#!/usr/bin/env python3
"""Which published jobs go: those that the ledger says were deleted or renamed. What is merely missing stays.

    fleet_removal_test.py STEPSCOPE    exit 77: no database is here, and why
"""
import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import engines
import jobs

STEPSCOPE = str(Path(sys.argv.pop(1)).resolve()) if len(sys.argv) > 1 else "stepscope"
TABLES = ("jobs", "goodput_days", "goodput_buckets", "disruptions")
NAMES = ["a/one", "a/two", "b/three"]


def stepscope(*arguments):
    return subprocess.run([STEPSCOPE, "goodput", *map(str, arguments)], capture_output=True, text=True)


class RemovalTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = engines.scratch()
        cls.base = Path(cls.folder.name)
        cls.servers, missing = engines.servers(cls.base)
        print("\n".join(f"not tested: {line}" for line in missing))
        if not cls.servers:
            print("skipped: no database is here")
            sys.exit(77)

    @classmethod
    def tearDownClass(cls):
        engines.stop(cls.servers)
        cls.folder.cleanup()

    def setUp(self):
        self.ledger = self.base / "ledger"
        shutil.rmtree(self.ledger, ignore_errors=True)
        for server in self.servers:
            server.clear()

    def done(self, *arguments):
        done = stepscope(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def add(self, names=tuple(NAMES)):
        events = self.base / "events.jsonl"
        events.write_text("".join("".join(jobs.job_events(name, {}, 8, 0, 1, [None])) for name in names))
        self.done("import", events, "--store", self.ledger)

    def publish(self, server, *more):
        answer = json.loads(self.done("publish", "--store", self.ledger, "--to", server.address, "--format", "json",
                                      *more))
        metrics = {metric["key"]: metric["value"] for metric in answer["reports"][0]["metrics"]}
        return {**metrics, "verdict": answer["verdict"], "text": json.dumps(answer)}

    def expect(self, server, names, what):
        for table in TABLES:
            found = sorted(row[0] for row in server.ask(f"SELECT DISTINCT job FROM {table}"))
            self.assertEqual(found, sorted(names), f"{what}: {table} on {server.name}")

    def each(self):
        """Every server, with the three jobs published."""
        for server in self.servers:
            shutil.rmtree(self.ledger, ignore_errors=True)
            self.add()
            self.assertEqual(self.publish(server)["published"], 3)
            self.expect(server, NAMES, "at first")
            yield server

    def test_a_folder_without_a_ledger_is_an_error(self):
        for server in self.each():
            shutil.rmtree(self.ledger)
            self.ledger.mkdir()
            for more in ((), ("--remove-absent",)):
                done = stepscope("publish", "--store", self.ledger, "--to", server.address, *more)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn("there is no ledger in this directory", done.stderr)
                self.expect(server, NAMES, "an empty folder")

    def test_absent_jobs_stay_until_a_user_says_otherwise(self):
        for server in self.each():
            shutil.rmtree(self.ledger)
            self.add(["a/new"])
            answer = self.publish(server)
            self.assertEqual((answer["absent"], answer["removed"], answer["published"]), (3, 0, 1))
            self.assertIn("in the database, but not in the ledger", answer["text"])
            self.assertIn("`remove_absent`", answer["text"])  # people read --remove-absent
            self.expect(server, NAMES + ["a/new"], "another ledger")
            answer = self.publish(server, "--remove-absent")
            self.assertEqual((answer["absent"], answer["removed"]), (0, 3))
            self.assertIn("3 were removed", answer["verdict"])
            self.expect(server, ["a/new"], "by the user's word")

    def test_a_job_that_is_deleted_or_renamed_goes(self):
        for server in self.each():
            self.done("delete", "--store", self.ledger, "--job", "a/one", "--yes")
            self.done("rename", "--store", self.ledger, "--job", "a/two", "--new-name", "a/2")
            answer = self.publish(server)
            self.assertEqual((answer["removed"], answer["absent"], answer["lost"]), (2, 0, 0))
            self.assertIn("2 were removed", answer["verdict"])
            self.expect(server, ["a/2", "b/three"], "deleted and renamed")

    def test_what_came_back_after_a_deletion_and_is_missing_stays(self):
        for server in self.each():
            self.done("delete", "--store", self.ledger, "--job", "a/one", "--yes")
            self.add(["a/one"])
            self.publish(server)
            shutil.copy(self.ledger / "ledger.db", self.base / "ledger.db")
            shutil.rmtree(self.ledger)
            self.ledger.mkdir()
            shutil.move(self.base / "ledger.db", self.ledger / "ledger.db")
            answer = self.publish(server)
            self.assertEqual((answer["removed"], answer["absent"]), (0, 3))
            self.expect(server, NAMES, "only the database is left")

    def test_a_job_whose_segments_are_missing_stays(self):
        for server in self.each():
            for segment in self.ledger.rglob("*"):
                if segment.is_file() and b"a/two" in segment.read_bytes() and segment.suffix not in (".manifest", ".db"):
                    segment.unlink()
            for more in ((), ("--remove-absent",)):
                answer = self.publish(server, *more)
                self.assertEqual((answer["removed"], answer["lost"]), (0, 1), answer["text"])
                self.assertIn("their events are lost", answer["text"])
                self.expect(server, NAMES, "a segment is missing")

    def test_a_missing_manifest_leads_the_answer(self):
        for server in self.each():
            self.assertNotIn("manifest", self.publish(server)["verdict"], server.name)
            (self.ledger / "ledger.manifest").unlink()
            self.assertTrue(self.publish(server)["verdict"].startswith("The manifest of the ledger is missing"), server.name)


if __name__ == "__main__":
    unittest.main()
