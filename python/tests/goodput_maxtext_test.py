"""MaxText's way of using ml-goodput-measurement runs with one changed line, and its numbers are right.

What MaxText calls and in which order is in its src/maxtext/common/goodput.py and its training loops: a recorder by the
run's name, spans by context managers that call record_EVENT_start_time and, if the recorder has it,
record_EVENT_end_time; a monitor whose uploader is started before training and stopped after it.
"""
import contextlib
import enum
import os
import threading
import time
import types
import unittest

from goodput_support import BadputType, JobTest
from goodput_monitor_test import scalars

import stepscope.goodput

stepscope.goodput.install()  # the changed line

from ml_goodput_measurement import goodput, monitoring  # noqa: E402


class Event(enum.Enum):
    JOB, TPU_INIT, STEP = "job", "tpu_init", "step"
    TRAINING_PREPARATION, DATA_LOADING = "training_preparation", "data_loading"


def tell(recorder, method, *arguments):
    call = getattr(recorder, method, None)
    if call:
        call(*arguments)


@contextlib.contextmanager
def recorded(recorder, event, *arguments):
    tell(recorder, "record_{}_start_time".format(event.value), *arguments)
    yield
    tell(recorder, "record_{}_end_time".format(event.value), *arguments)


@contextlib.contextmanager
def monitored(config):
    elastic = config.elastic_enabled
    options = monitoring.GCPOptions(enable_gcp_goodput_metrics=config.enable_gcp_goodput_metrics,
                                    enable_gcp_step_deviation_metrics=config.enable_gcp_step_deviation_metrics)
    kind = monitoring.GoodputMonitor
    if elastic:
        from ml_goodput_measurement import monitoring_elastic
        kind = monitoring_elastic.ElasticGoodputMonitor
    arguments = {
        "job_name": config.run_name, "logger_name": "goodput_" + config.run_name,
        "tensorboard_dir": config.tensorboard_dir, "upload_interval": config.goodput_upload_interval_seconds,
        "monitoring_enabled": True, "include_badput_breakdown": True,
        "include_step_deviation": config.monitor_step_time_deviation,
        "step_deviation_interval_seconds": config.step_deviation_interval_seconds, "gcp_options": options}
    if not elastic:
        arguments["pathway_enabled"] = False
    monitor = kind(**arguments)
    monitor.start_goodput_uploader()
    if config.monitor_step_time_deviation:
        monitor.start_step_deviation_uploader()
    try:
        yield
    finally:
        monitor.stop_goodput_uploader()
        if config.monitor_step_time_deviation:
            monitor.stop_step_deviation_uploader()


def create_recorder(config):
    log = "goodput_" + config.run_name
    if config.elastic_enabled:
        from ml_goodput_measurement import goodput_elastic
        return goodput_elastic.ElasticGoodputRecorder(config.run_name, log, True)
    return goodput.GoodputRecorder(config.run_name, log, True)


def train(recorder, first, last, step_s=0.06):
    """The spans of MaxText's training loop; a step is dispatched, and takes until the next one."""
    with recorded(recorder, Event.TPU_INIT):
        time.sleep(0.1)
    with recorded(recorder, Event.TRAINING_PREPARATION):
        time.sleep(0.2)
    for step in range(first, last):
        with recorded(recorder, Event.DATA_LOADING):
            time.sleep(0.005)
        with recorded(recorder, Event.STEP, step):
            pass
        time.sleep(step_s)


class MaxTextTest(JobTest):
    def config(self, **changes):
        return types.SimpleNamespace(**{
            "run_name": "run-1", "tensorboard_dir": os.path.join(self.folder, "board"), "elastic_enabled": False,
            "goodput_upload_interval_seconds": 0.2, "enable_gcp_goodput_metrics": False,
            "enable_gcp_step_deviation_metrics": False, "monitor_step_time_deviation": True,
            "step_deviation_interval_seconds": 0.2, **changes})

    def run_job(self, config):
        """An attempt that dies after step 19, and one that begins again with step 10."""
        begin = time.time()
        with monitored(config):
            recorder = create_recorder(config)
            recorder.record_job_start_time()
            train(recorder, 0, 20)
            recorder.flush()
        time.sleep(0.3)  # down
        with monitored(config):
            recorder = create_recorder(config)
            with recorded(recorder, Event.JOB):
                train(recorder, 10, 30)
            recorder.flush()
        return time.time() - begin

    def check(self, config, elapsed, calculator):
        percent, badput, step = calculator("run-1", "goodput_run-1").get_job_goodput(include_badput_breakdown=True)
        details = calculator("run-1", "goodput_run-1")
        details.get_job_goodput()
        known = details.get_job_goodput_details()
        total = known["total_elapsed_time"]
        self.assertGreater(total, 2 * 0.3 + 0.3 + 40 * 0.065)
        self.assertLess(total, elapsed)
        seconds = {kind: value / 100 * total for kind, value in badput.items() if not isinstance(value, dict)}
        self.assertEqual((step, known["disruption_count"]), (29, 1))
        # Sleeps last at least as long as asked; 30 steps were kept.
        self.assertGreater(percent / 100 * total, 30 * 0.06)
        self.assertGreater(seconds[BadputType.TPU_INITIALIZATION], 2 * 0.1)
        self.assertGreater(seconds[BadputType.TRAINING_PREP], 2 * 0.2)
        self.assertGreater(seconds[BadputType.WASTED_PROGRESS_FROM_DISRUPTION], 9 * 0.06)
        self.assertGreater(seconds[BadputType.INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION], 0.3)
        # The spans are what is recorded: steps and what came between add up to the time, within a tenth.
        overlap = seconds.pop(BadputType.DATA_LOADING_ASYNC)
        self.assertGreater(overlap, 30 * 0.005)
        self.assertLess(abs(percent / 100 * total + sum(seconds.values()) - total), 0.1 * total)

    def test_a_job_that_dies_once(self):
        config = self.config()
        elapsed = self.run_job(config)
        self.check(config, elapsed, goodput.GoodputCalculator)
        found = scalars(config.tensorboard_dir)
        self.assertTrue(any(name == "goodput/goodput" and 0 < value < 100 for name, _, value in found))
        last = [step for name, step, _ in found if name == "goodput/goodput"][-1]
        self.assertEqual(last, 29)

    def test_an_elastic_one(self):
        from ml_goodput_measurement import goodput_elastic
        config = self.config(elastic_enabled=True)
        elapsed = self.run_job(config)
        self.check(config, elapsed, goodput_elastic.ElasticGoodputCalculator)

    def test_the_recorder_has_no_end_of_steps(self):
        # With one, MaxText would call it as soon as a step is dispatched.
        self.assertFalse(hasattr(goodput.GoodputRecorder, "record_step_end_time"))

    def test_loaders_threads_record_too(self):
        config = self.config()
        recorder = create_recorder(config)
        recorder.record_job_start_time()
        stop = threading.Event()

        def load():
            while not stop.is_set():
                with recorded(recorder, Event.DATA_LOADING):
                    time.sleep(0.002)

        loader = threading.Thread(target=load)
        loader.start()
        for step in range(20):
            with recorded(recorder, Event.STEP, step):
                time.sleep(0.01)
        stop.set()
        loader.join()
        recorder.record_job_end_time()
        recorder.flush()
        percent, badput, step = goodput.GoodputCalculator("run-1", "log").get_job_goodput(True)
        self.assertEqual(step, 19)
        self.assertGreater(percent, 80)
        self.assertGreater(badput[BadputType.DATA_LOADING_ASYNC], 20)


if __name__ == "__main__":
    unittest.main()
