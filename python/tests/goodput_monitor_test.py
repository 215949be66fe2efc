"""Monitors: what threads of a job upload, and that nothing of it disturbs the job."""
import glob
import logging
import os
import struct
import sys
import threading
import time
import unittest
from unittest import mock

from goodput_support import JobTest, at
from stepscope.goodput.ml_goodput import _tensorboard, goodput_utils, monitoring, monitoring_elastic

NO_CLOUD = goodput_utils.GCPOptions(enable_gcp_goodput_metrics=False, enable_gcp_step_deviation_metrics=False)


def varint(data, at_byte):
    value = shift = 0
    while True:
        byte = data[at_byte]
        value |= (byte & 0x7F) << shift
        at_byte, shift = at_byte + 1, shift + 7
        if byte < 0x80:
            return value, at_byte


def fields(data):
    """Yields (number, value) of a message."""
    at_byte = 0
    while at_byte < len(data):
        key, at_byte = varint(data, at_byte)
        kind = key & 7
        if kind == 0:
            value, at_byte = varint(data, at_byte)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if size is None:
                size, at_byte = varint(data, at_byte)
            value, at_byte = data[at_byte:at_byte + size], at_byte + size
        yield key >> 3, value


def scalars(folder):
    """Returns [(tag, step, value)] of all event files below."""
    found = []
    for path in sorted(glob.glob(folder + "/**/events.out.tfevents.*", recursive=True)):
        data, here = open(path, "rb").read(), 0
        while here < len(data):
            size, = struct.unpack_from("<Q", data, here)
            length, message = data[here:here + 8], data[here + 12:here + 12 + size]
            for part, after in ((length, here + 8), (message, here + 12 + size)):
                assert struct.unpack_from("<I", data, after)[0] == _tensorboard.masked_crc32c(part)
            here += 16 + size
            event = list(fields(message))
            step = dict(event).get(2, 0)
            for number, summary in event:
                for _, value in fields(summary) if number == 5 else ():
                    value = dict(fields(value))
                    found.append((value[1].decode(), step, struct.unpack("<f", value[2])[0]))
    return found


class MonitorTest(JobTest):
    def setUp(self):
        super().setUp()
        self.board = os.path.join(self.folder, "board")
        # Event files of our own, also where tensorboardX is installed.
        without = mock.patch.dict(sys.modules, {"tensorboardX": None})
        without.start()
        self.addCleanup(without.stop)

    def monitor(self, kind=monitoring.GoodputMonitor, **options):
        return kind(self.job, "log", self.board, options.pop("upload_interval", 0.05), True, gcp_options=NO_CLOUD,
                    include_badput_breakdown=True, **options)

    def wait_for(self, tag):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if any(name == tag for name, _, _ in scalars(self.board)):
                return
            time.sleep(0.05)
        self.fail("no {} in {}".format(tag, scalars(self.board)))

    def test_goodput_and_badput(self):
        self.record_job()
        monitor = self.monitor()
        monitor.start_goodput_uploader()
        self.wait_for("goodput/goodput")
        monitor.stop_goodput_uploader()
        found = {name: (step, value) for name, step, value in scalars(self.board)}
        self.assertEqual(found["goodput/goodput"], (5, 60.0))
        self.assertEqual(found["badput/training_prep"], (5, 10.0))
        self.assertEqual(found["badput/infrastructure_recovery_from_disruption"], (5, 20.0))
        self.assertTrue(glob.glob(self.board + "/goodput/events.out.tfevents.*"))

    def test_custom_badput_is_below_its_type(self):
        recorder = self.record_job()
        recorder.record_custom_badput_event_start_time(at(81), "Eval")
        recorder.record_custom_badput_event_end_time(at(86), "Eval")
        recorder.flush()
        monitor = self.monitor(upload_interval=60)
        monitor.start_goodput_uploader()
        monitor.stop_goodput_uploader()
        self.assertIn("badput/custom_badput_events/eval", [name for name, _, _ in scalars(self.board)])

    def test_stopping_uploads_once_more_unless_told_otherwise(self):
        self.record_job()
        for skip, many in ((True, 0), (False, 1)):
            monitor = self.monitor(upload_interval=60, skip_final_flush=skip)
            monitor.start_goodput_uploader()
            monitor.stop_goodput_uploader()
            self.assertEqual(sum(name == "goodput/goodput" for name, _, _ in scalars(self.board)), many)
            self.assertIsNone(monitor._goodput_process)

    def test_stopping_what_never_started_uploads(self):
        self.record_job()
        self.monitor().stop_goodput_uploader()
        monitor = self.monitor(include_step_deviation=True)
        monitor.stop_step_deviation_uploader()
        monitor._writer.close()
        names = {name for name, _, _ in scalars(self.board)}
        self.assertLess({"goodput/goodput", "step_deviation"}, names)

    def test_each_step_is_written_once(self):
        recorder = self.record_job()
        monitor = self.monitor(include_step_deviation=True, step_deviation_interval_seconds=0.05,
                               configured_ideal_step_time=8)
        monitor.start_step_deviation_uploader()
        self.wait_for("step_deviation")
        recorder.record_step_start_time(6, at(113))
        recorder.flush()
        time.sleep(0.3)
        monitor.stop_step_deviation_uploader()
        found = sorted((step, value) for name, step, value in scalars(self.board) if name == "step_deviation")
        self.assertEqual(found, [(step, 2.0) for step in range(5)] + [(5, 15.0)])

    def test_steps_are_uploaded_only_if_asked_for(self):
        monitor = self.monitor()
        monitor.start_step_deviation_uploader()
        self.assertIsNone(monitor._step_deviation_process)

    def test_windows_of_any_size_with_badput(self):
        recorder = self.recorder()
        now = time.time()
        recorder.record_job_start_time(now - 1000)
        recorder.record_training_preparation_start_time(now - 60)
        recorder.record_training_preparation_end_time(now - 40)
        for step in range(9):
            recorder.record_step_start_time(step, now - 1000 + 100 * step)
        recorder.record_step_start_time(9, now - 40)
        recorder.record_step_start_time(10, now - 10)
        recorder.flush()
        monitor = self.monitor()
        monitor.start_rolling_window_goodput_uploader([7200, 150])
        self.wait_for("rolling_window_150/goodput")
        monitor.stop_rolling_window_goodput_uploader()
        found = {name: value for name, _, value in scalars(self.board)}
        # From the first event in it to the last: 50 s, of which 20 are preparation.
        self.assertAlmostEqual(found["rolling_window_150/badput/training_prep"], 40, delta=0.1)
        self.assertAlmostEqual(found["rolling_window_7200/badput/training_prep"], 20 / 990 * 100, delta=0.1)
        self.assertGreater(found["rolling_window_7200/goodput"], 90)

    def test_a_job_without_events_is_logged_and_no_error(self):
        monitor = self.monitor()
        with self.assertLogs("stepscope.goodput.monitoring", logging.WARNING) as logs:
            monitor.start_goodput_uploader()
            time.sleep(0.3)
            monitor.stop_goodput_uploader()
        self.assertIn("no goodput of job llm", logs.output[0])
        self.assertEqual(scalars(self.board), [])

    def test_a_last_upload_that_hangs_does_not_hold_the_job_up(self):
        released = threading.Event()
        self.addCleanup(released.set)
        monitor = self.monitor(upload_interval=60, final_flush_timeout_seconds=0.2)
        with mock.patch.object(monitoring, "_query_and_upload_goodput_once", lambda *_: released.wait(20)):
            for started in (True, False):
                if started:
                    monitor.start_goodput_uploader()
                begin = time.monotonic()
                with self.assertLogs("stepscope.goodput.monitoring", logging.WARNING) as logs:
                    monitor.stop_goodput_uploader()
                self.assertLess(time.monotonic() - begin, 5)
                self.assertIn("the job goes on", logs.output[0])

    def test_starting_twice_starts_one(self):
        monitor = self.monitor(upload_interval=60)
        monitor.start_goodput_uploader()
        first = monitor._goodput_process
        with self.assertLogs("stepscope.goodput.monitoring", logging.WARNING):
            monitor.start_goodput_uploader()
        self.assertIs(monitor._goodput_process, first)
        monitor.stop_goodput_uploader(skip_final_flush=True)

    def test_switched_off_it_does_nothing(self):
        monitor = monitoring.GoodputMonitor(self.job, "log", self.board, 1)
        for what in ("goodput", "step_deviation"):
            getattr(monitor, "start_{}_uploader".format(what))()
            getattr(monitor, "stop_{}_uploader".format(what))()
        monitor.start_rolling_window_goodput_uploader([60])
        monitor.stop_rolling_window_goodput_uploader()
        self.assertFalse(os.path.exists(self.board))

    def test_no_binary_is_logged(self):
        self.record_job()
        monitor = self.monitor(upload_interval=60)
        with mock.patch.dict(os.environ, {"STEPSCOPE_BINARY": "/no/such"}):
            with self.assertLogs("stepscope.goodput.monitoring", logging.WARNING) as logs:
                monitor.stop_goodput_uploader()
        self.assertIn("/no/such cannot be run", logs.output[0])

    def test_elastic(self):
        self.record_job()
        monitor = self.monitor(monitoring_elastic.ElasticGoodputMonitor, upload_interval=60)
        monitor.start_goodput_uploader()
        monitor.stop_goodput_uploader()
        self.assertIn(("badput/elastic_scale_up", 5, 0.0), scalars(self.board))


class EventFileTest(unittest.TestCase):
    def test_checksums_are_crc32c(self):
        # Of RFC 3720, and then masked.
        crc = 0x8A9136AA
        self.assertEqual(_tensorboard.masked_crc32c(bytes(32)), ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    def test_cloud_storage_needs_a_library(self):
        with self.assertRaisesRegex(ValueError, "tensorboardX"):
            _tensorboard.EventFile("gs://bucket/board")


if __name__ == "__main__":
    unittest.main()
