"""report(): the reports of `stepscope goodput analyze`, whatever form the events have."""
import io
import json
import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from goodput_support import JobTest, at
from stepscope.goodput import Recorder, _binary, report


class ReportTest(JobTest):
    def events(self):
        return os.environ["STEPSCOPE_GOODPUT_DIR"]

    def entries(self):
        return [{"job_name": "llm", "job_start_time": at(0).timestamp()},
                *({"job_name": "llm", "step_count": k, "step_start_time": at(10 * k).timestamp()} for k in range(4)),
                {"job_name": "llm", "job_end_time": at(50).timestamp()}]

    def test_a_recorders_folder(self):
        self.record_job()
        answer = report(self.events())["goodput"]
        self.assertEqual((answer.status, answer.metrics["goodput_ratio"], answer.metrics["total"]),
                         ("ok", 0.6, 100_000_000_000))
        buckets = answer.table("buckets").to_dict()
        self.assertEqual(dict(zip(buckets["bucket"], buckets["time"]))["TRAINING_PREP"], 10_000_000_000)
        self.assertIn("buckets", repr(answer.table("buckets")))
        self.assertEqual([c.unit for c in answer.table("buckets").columns][:3], ["", "ns", "ratio"])
        self.assertIn("60.0%", repr(answer))

    def test_an_object_with_read_and_no_url(self):
        lines = "".join(json.dumps(entry) + "\n" for entry in self.entries())
        for given in (io.BytesIO(lines.encode()), [io.StringIO(lines)]):
            self.assertEqual(report(given)["goodput"].metrics, report(self.entries())["goodput"].metrics)
        with self.assertRaisesRegex(ValueError, "object with read"):
            report("s3://bucket/goodput/")

    def test_a_path_object_a_list_and_a_recorder(self):
        self.record_job()
        recorder = Recorder("unused", enabled=False)
        ratios = [report(events)["goodput"].metrics["goodput_ratio"]
                  for events in (Path(self.events()), [self.events()], recorder)]
        self.assertEqual(ratios, [0.6] * 3)

    def test_entries(self):
        answer = report(self.entries())["goodput"]
        self.assertEqual((answer.metrics["goodput_ratio"], answer.metrics["total"]), (1.0, 50_000_000_000))
        self.assertEqual(report(self.entries()[0], at=at(50))["goodput"].metrics["total"], 50_000_000_000)

    def test_a_file_and_options(self):
        path = Path(self.folder, "job.jsonl")
        path.write_text("".join(json.dumps(entry) + "\n" for entry in self.entries()))
        window = report(path, window=(at(10), at(20)))["goodput"]
        self.assertEqual(window.metrics["total"], 10_000_000_000)
        excluded = report(path, exclude=[(at(10).timestamp(), at(30))])["goodput"]
        self.assertIn("EXCLUDED", excluded.table("buckets").to_dict()["bucket"])
        paid = report(str(path), chips=8, price_per_chip_hour=2.5)
        self.assertIn("productivity", paid)
        ml = report(path, mode="ml-goodput")["goodput"]
        self.assertEqual(ml.metrics["ideal_step_time"], 10_000_000_000)

    def test_errors_say_what_to_try(self):
        with self.assertRaisesRegex(ValueError, "(?s)[Nn]o such file.*spelling"):
            report("/no/such/file.jsonl")
        with self.assertRaisesRegex(ValueError, "unknown option '--chps'"):
            report(self.entries(), chps=8)
        with self.assertRaisesRegex(KeyError, "no table 'bucket'; it has: .*buckets"):
            report(self.entries())["goodput"].table("bucket")

    def test_a_data_frame(self):
        frame = mock.Mock()
        with mock.patch.dict(sys.modules, {"pandas": mock.Mock(DataFrame=frame)}):
            report(self.entries())["goodput"].df("buckets")
        self.assertIn("bucket", frame.call_args.args[0])
        with mock.patch.dict(sys.modules, {"pandas": None, "polars": None}):
            with self.assertRaisesRegex(ImportError, "pip install pandas"):
                report(self.entries())["goodput"].df()


class BinaryTest(unittest.TestCase):
    def test_none_anywhere(self):
        with mock.patch.dict(os.environ, {"PATH": "/nowhere"}), mock.patch.object(sys, "executable", "/nowhere/python"):
            os.environ.pop("STEPSCOPE_BINARY", None)
            with self.assertRaisesRegex(FileNotFoundError, "STEPSCOPE_BINARY"):
                _binary.binary()

    def test_the_one_that_is_named_must_run(self):
        with mock.patch.dict(os.environ, {"STEPSCOPE_BINARY": "/no/such/stepscope"}):
            with self.assertRaisesRegex(FileNotFoundError, "/no/such/stepscope cannot be run"):
                _binary.binary()

    def test_one_beside_python_goes_before_path(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ):
            os.environ.pop("STEPSCOPE_BINARY", None)
            beside = Path(folder, "stepscope")
            beside.write_text("#!/bin/sh\n")
            beside.chmod(beside.stat().st_mode | stat.S_IXUSR)
            with mock.patch.object(sys, "executable", str(Path(folder, "python"))):
                self.assertEqual(_binary.binary(), str(beside))


if __name__ == "__main__":
    unittest.main()
