"""report(): the reports of `stepscope goodput analyze`, whatever form the events have."""
import importlib.util
import io
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path
from unittest import mock

from goodput_support import JobTest, at
from stepscope.goodput import Recorder, _binary, report


@unittest.skipUnless(importlib.util.find_spec("stepscope._core"), "the extension module is not here: install the wheel")
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
        with self.assertRaises(ValueError) as refused:
            report("ftp://me:secret@host/events.jsonl?signature=secret")
        self.assertIn("ftp://host/events.jsonl", str(refused.exception))
        url = "https://me:secret@host/x?signature=secret"
        for given in ({"traces": url}, {"scheduler": [url]}, {"events": Path(url)}):
            with self.assertRaises(ValueError) as other:
                report(**{"events": self.entries(), **given})
            self.assertNotIn("secret", str(refused.exception) + str(other.exception))

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
        with self.assertRaisesRegex(OSError, "(?s)[Nn]o such file.*spelling"):
            report("/no/such/file.jsonl")
        with self.assertRaisesRegex(ValueError, "(?s)unknown option '--chps'.*did you mean '--chips'"):
            report(self.entries(), chps=8)
        with self.assertRaisesRegex(ValueError, "no such job|cannot find job"):
            report(self.entries(), job="nobody")
        with self.assertRaisesRegex(ValueError, "nothing to report on"):
            report()
        with self.assertRaisesRegex(ValueError, "(?s)cannot parse time 'then'.*window"):
            report(self.entries(), window=("then", at(3)))
        with self.assertRaisesRegex(ValueError, "(?s)no table in goodput 'bucket'.*did you mean 'buckets'"):
            report(self.entries())["goodput"].table("bucket")

    def test_it_is_a_report_as_of_traces(self):
        import stepscope

        answers = report(self.entries())
        answer = answers["goodput"]
        self.assertIsInstance(answer, stepscope.Report)
        self.assertEqual(answers.verdict[:7], "Goodput")
        self.assertIn("<table", answer._repr_html_())
        table = answer.arrow("segments")
        self.assertEqual(table.column_names[:3], ["attempt", "segment", "start"])
        self.assertEqual(sum(table["duration"].to_pylist()), answer.metrics["total"])
        self.assertEqual({c.key: c.kind for c in answer.table("segments").columns}["kind"], "")
        self.assertEqual(answer.series["goodput"].y_unit, "ratio")
        self.assertEqual(answer.df("buckets")["time"].sum(), answer.metrics["total"])
        self.assertEqual({trace.name for trace in answer.plot("segments").data}, set(answer.df("segments")["bucket"]))

    def test_an_offset_west_of_greenwich_is_no_option(self):
        table = Path(self.folder, "sacct.txt")
        table.write_text("JobID|JobName|State|Submit|Start|End|AllocTRES\n"
                         "7|llm|COMPLETED|2026-05-28T15:26:20|2026-05-28T15:26:40|2026-05-28T15:27:30|gres/gpu=8\n")
        answers = report(self.entries(), scheduler=[table], utc_offset="-5h")
        self.assertEqual(answers["goodput"].metrics["total"], 70_000_000_000, "with 20 s in the queue")

    def test_traces_of_the_same_job(self):
        import stepscope

        made = subprocess.run([sys.executable, "-m", "stepscope", "demo", os.path.join(self.folder, "demo")], check=False)
        self.assertEqual(made.returncode, 0)
        told = []
        answers = report(self.entries(), traces=os.path.join(self.folder, "demo"), progress=told.append)
        self.assertEqual((answers["walk"].status, answers["idle_time"].status), ("unavailable", "ok"))
        self.assertTrue(all(isinstance(one, stepscope.Progress) for one in told))

    def test_importing_it_loads_no_extension(self):
        code = "import sys, stepscope.goodput as g; g.report; g.Recorder; print([m for m in sys.modules if '_core' in m])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertNotIn("stepscope._core", done.stdout)

    def test_ctrl_c_stops_it(self):
        path = Path(self.folder, "long.jsonl")
        with path.open("w") as file:
            file.write('{"job_name": "llm", "job_start_time": 1780000000.0}\n')
            for first in range(0, 4_000_000, 100_000):
                file.write("".join('{"job_name": "llm", "step_count": %d, "step_start_time": %d.5}\n'
                                   % (k, 1780000000 + k) for k in range(first, first + 100_000)))
        code = textwrap.dedent("""
            import signal, sys, time
            from stepscope.goodput import report
            signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it in what they run beside them
            report([{"job_name": "first", "job_start_time": 1780000000.0}])  # imports what it needs
            print("now", flush=True)
            try:
                report(sys.argv[1])
            except KeyboardInterrupt:
                print(time.time())
        """)
        with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as child:
            child.stdout.readline()
            time.sleep(0.3)
            sent = time.time()
            child.send_signal(signal.SIGINT)
            stopped = child.stdout.readline()
        self.assertTrue(stopped, "it was done before")
        self.assertLess(float(stopped) - sent, 1, "0.2 s where nothing else runs")


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
