"""The calculators that stand in for ml-goodput-measurement's, on jobs whose numbers are known."""
import gc
import os
import threading
import unittest
import weakref

from goodput_support import JobTest, BadputType, at
from stepscope.goodput.ml_goodput import checkpoint_badput_calculator as checkpoints
from stepscope.goodput.ml_goodput import goodput_cache, goodput_elastic, goodput_utils

PREP, WASTED = BadputType.TRAINING_PREP, BadputType.WASTED_PROGRESS_FROM_DISRUPTION
RECOVERY, CUSTOM = BadputType.INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION, BadputType.CUSTOM_BADPUT_EVENTS


def some(times):
    """Returns what is not zero."""
    return {kind: value for kind, value in times.items() if value}


class CalculatorTest(JobTest):
    def test_goodput_and_badput_are_percentages_of_the_job(self):
        self.record_job()
        percent, badput, step = self.calculator().get_job_goodput(include_badput_breakdown=True)
        # Steps 0..2, 3 and 4 again, and 5 until the job's end.
        self.assertAlmostEqual(percent, 60)
        self.assertEqual(step, 5)
        self.assertEqual(some(badput), {PREP: 10, WASTED: 10, RECOVERY: 20})
        self.assertEqual(badput[CUSTOM], {})
        self.assertNotIn(BadputType.ELASTIC_SCALE_UP, badput)

    def test_without_a_breakdown_badput_is_empty(self):
        self.record_job()
        self.assertEqual(self.calculator().get_job_goodput()[1], {})

    def test_a_job_without_a_start_has_no_goodput(self):
        recorder = self.recorder()
        recorder.record_step_start_time(0, at(0))
        recorder.record_step_start_time(1, at(10))
        recorder.flush()
        with self.assertRaisesRegex(ValueError, "Total job time is zero"):
            self.calculator().get_job_goodput()

    def test_a_job_without_events_has_no_goodput(self):
        with self.assertRaises(ValueError):
            self.calculator().get_job_goodput()
        self.record_job()
        with self.assertRaisesRegex(ValueError, "other"):
            self.calculator(job="other").get_job_goodput()

    def test_details_are_seconds(self):
        self.record_job()
        calculator = self.calculator()
        self.assertEqual(calculator.get_job_goodput_details()["goodput_time"], {})
        calculator.get_job_goodput()
        details = calculator.get_job_goodput_details()
        self.assertEqual(details["goodput_time"], {goodput_utils.GoodputType.TOTAL: 60.0})
        self.assertEqual(some(details["badput_time"]), {PREP: 10.0, WASTED: 10.0, RECOVERY: 20.0})
        self.assertEqual((details["max_productive_step"], details["total_elapsed_time"], details["disruption_count"]),
                         (5, 100.0, 1))
        self.assertEqual((details["ideal_step_time"], details["total_excluded_time"]), (10.0, 0.0))
        self.assertEqual(set(details), {metric.value for metric in goodput_utils.MetricType})

    def test_step_deviation_counts_from_the_usual_step_or_the_given_one(self):
        self.record_job()
        calculator = self.calculator()
        self.assertEqual(calculator.get_step_deviation(), dict.fromkeys(range(5), 0.0))
        self.assertEqual(calculator.get_step_deviation(configured_ideal_step_time=12.5), dict.fromkeys(range(5), 2.5))
        calculator.get_job_goodput(configured_ideal_step_time=7)
        details = calculator.get_job_goodput_details()
        self.assertEqual((details["ideal_step_time"], details["step_time_deviation"][0]), (7.0, 3.0))

    def test_steps_of_less_than_a_second_have_no_usual_time(self):
        recorder = self.recorder()
        recorder.record_job_start_time(at(0))
        for step in range(4):
            recorder.record_step_start_time(step, at(step / 2))
        recorder.flush()
        with self.assertRaisesRegex(ValueError, "took a second"):
            self.calculator().get_step_deviation()
        self.assertEqual(self.calculator().get_step_deviation(0.25), {0: 0.25, 1: 0.25, 2: 0.25})

    def test_exclusions_come_off_the_total(self):
        self.record_job()
        calculator = self.calculator()
        percent, badput, step, excluded = calculator.get_job_goodput_with_exclusions(
            [(at(50), at(70))], include_badput_breakdown=True)
        self.assertEqual((excluded, step), (20.0, 5))
        self.assertAlmostEqual(percent, 75)
        self.assertEqual(some(badput), {PREP: 12.5, WASTED: 12.5})
        self.assertEqual(calculator.get_job_goodput_details()["total_excluded_time"], 20.0)
        self.assertEqual(calculator.get_job_goodput_with_exclusions([])[3], 0.0)

    def test_all_excluded_is_no_error(self):
        self.record_job()
        answer = self.calculator().get_job_goodput_with_exclusions([(at(-10), at(110))])
        self.assertEqual(answer[:2], (0.0, {}))

    def test_exclusions_shorten_steps_and_deviations_have_signs(self):
        self.record_job()
        calculator = self.calculator()
        calculator.get_job_goodput_with_exclusions([(at(24), at(28))], configured_ideal_step_time=10)
        deviations = calculator.get_job_goodput_details()["step_time_deviation"]
        self.assertEqual(deviations[1], -4.0)

    def test_windows_end_with_their_events(self):
        self.record_job()
        calculator = self.calculator()
        percent, badput, step, total, disruptions = calculator.get_job_goodput_interval(at(-1), at(45))
        self.assertEqual((step, total, disruptions), (2, 40.0, 0))
        self.assertAlmostEqual(percent, 75)
        self.assertEqual(some(badput), {PREP: 25})
        with self.assertRaisesRegex(ValueError, "No log entries"):
            calculator.get_job_goodput_interval(at(1000), at(2000))

    def test_details_of_a_window_are_percentages(self):
        self.record_job()
        calculator = self.calculator()
        details = calculator.get_interval_metric_details(at(-1), at(45))
        self.assertAlmostEqual(details["interval_goodput"][goodput_utils.GoodputType.TOTAL], 75)
        self.assertEqual((some(details["interval_badput"]), details["interval_size"]), ({PREP: 25}, 46))
        empty = calculator.get_interval_metric_details(at(1000), at(1060))
        self.assertEqual(empty, {"interval_goodput": {}, "interval_badput": {}, "interval_size": 60})

    def test_custom_events_are_by_type(self):
        recorder = self.recorder()
        recorder.record_job_start_time(at(0))
        recorder.record_step_start_time(0, at(0))
        recorder.record_custom_badput_event_start_time(at(2), "eval")
        recorder.record_custom_badput_event_end_time(at(7), "eval")
        recorder.record_step_start_time(1, at(10))
        recorder.record_job_end_time(at(20))
        recorder.flush()
        percent, badput, _ = self.calculator().get_job_goodput(True)
        self.assertAlmostEqual(percent, 75)
        self.assertEqual(badput[CUSTOM], {"EVAL": 25})

    def test_each_job_of_a_folder_has_its_own_numbers(self):
        self.record_job()
        other = self.recorder(job="other")
        other.record_job_start_time(at(0))
        other.record_step_start_time(0, at(0))
        other.record_job_end_time(at(10))
        other.flush()
        self.assertAlmostEqual(self.calculator().get_job_goodput()[0], 60)
        self.assertAlmostEqual(self.calculator(job="other").get_job_goodput()[0], 100)

    def test_new_events_count_at_the_next_query(self):
        recorder = self.recorder()
        calculator = self.calculator()
        recorder.record_job_start_time(at(0))
        recorder.record_step_start_time(0, at(0))
        recorder.record_job_end_time(at(10))
        self.assertEqual(calculator.get_job_goodput()[2], 0)
        recorder.record_step_start_time(1, at(10))
        recorder.record_job_end_time(at(20))
        self.assertEqual(calculator.get_job_goodput()[2], 1)

    def test_threads_share_a_calculator(self):
        self.record_job()
        calculator, answers = self.calculator(), []

        def ask():
            for _ in range(5):
                answers.append((round(calculator.get_job_goodput()[0], 9), len(calculator.get_step_deviation())))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [(60.0, 5)] * 20)


class ElasticTest(JobTest):
    def record_slices(self):
        r = self.recorder(goodput_elastic.ElasticGoodputRecorder)
        r.record_job_start_time(at(0))
        r.record_elastic_slice_counts(2, 4, 2, at(0))
        r.record_elastic_wait_start_time("slice_down", at(0))
        r.record_elastic_wait_end_time("slice_down", at(10))
        r.record_elastic_wait_start_time("scale_up", at(10))
        r.record_elastic_wait_end_time("scale_up", at(15))
        r.record_elastic_reinit_start_time(at(15))
        r.record_tpu_init_start_time(at(16))
        r.record_tpu_init_end_time(at(19))
        r.record_elastic_reinit_end_time(at(20))
        r.record_elastic_slice_counts(3, 4, 4, at(50))
        for step in range(8):
            r.record_step_start_time(step, at(20 + 10 * step))
        r.record_job_end_time(at(100))
        r.flush()

    def test_time_of_slices_is_badput(self):
        self.record_slices()
        percent, badput, _ = self.calculator(goodput_elastic.ElasticGoodputCalculator).get_job_goodput(True)
        self.assertAlmostEqual(percent, 80)
        self.assertEqual(some(badput), {BadputType.ELASTIC_SLICE_DOWN: 10, BadputType.ELASTIC_SCALE_UP: 5,
                                        BadputType.ELASTIC_REINITIALIZATION: 5})

    def test_shares_of_slices_are_means_over_time(self):
        self.record_slices()
        calculator = self.calculator(goodput_elastic.ElasticGoodputCalculator)
        calculator.get_job_goodput()
        details = calculator.get_job_goodput_details()
        self.assertAlmostEqual(details["stepping_slice_efficiency"], (2 / 4 + 3 / 4) / 2)
        self.assertAlmostEqual(details["available_slice_efficiency"], (2 / 4 + 1) / 2)
        window = calculator.get_interval_metric_details(at(40), at(60))
        self.assertAlmostEqual(window["stepping_slice_efficiency"], 3 / 4 / 2)
        self.assertAlmostEqual(window["available_slice_efficiency"], 1 / 2)

    def test_a_job_that_tells_of_no_slices_has_no_shares(self):
        self.record_job()
        calculator = self.calculator(goodput_elastic.ElasticGoodputCalculator)
        badput = calculator.get_job_goodput(True)[1]
        self.assertEqual(badput[BadputType.ELASTIC_SLICE_DOWN], 0.0)
        self.assertNotIn("stepping_slice_efficiency", calculator.get_job_goodput_details())


def saved(step, directory, seconds, wait=0.5):
    return {"event_type": "save", "step": step, "directory": directory, "checkpoint_manager_blocking_start_time": 10.0,
            "checkpoint_manager_blocking_duration_secs": seconds, "checkpointer_blocking_start_time": 10.0,
            "checkpointer_blocking_duration_secs": seconds / 2, "wait_for_prev_start_time": 10.0,
            "wait_for_prev_duration_secs": wait, "get_old_steps_start_time": 10.0, "get_old_steps_duration_secs": 0.0}


def restored(step, kind, seconds, broadcast=None):
    return {"event_type": kind, "step": step, "directory": "gs://b/c", "checkpoint_manager_start_time": 10.0,
            "checkpoint_manager_duration_secs": seconds, "checkpointer_start_time": 10.0,
            "checkpointer_duration_secs": seconds, "broadcast_start_time": broadcast and 10.0,
            "broadcast_duration_secs": broadcast}


class CheckpointTest(JobTest):
    def setUp(self):
        super().setUp()
        self.calculator = checkpoints.CheckpointBadputCalculator(
            checkpoints.CheckpointLoggerOptions(use_goodput_logger=True))
        self.calculator.entries = [
            saved(1, "/ssd", 1.0), saved(2, "/ssd", 3.0), saved(3, "gs://b/c", 8.0), saved(3, "gs://b/c", 10.0),
            restored(3, "restore", 4.0), restored(3, "emergency_restore", 2.0, broadcast=0.5)]

    def test_saves_by_operation_type(self):
        ask = self.calculator.calculate_save_operation_checkpoint_manager_blocking_time
        local = ask(checkpoints.OPERATION_TYPE_LOCAL)
        self.assertEqual((local.total_checkpoint_manager_blocking_time, local.average_checkpoint_manager_blocking_time,
                          local.minimum_checkpoint_manager_blocking_time,
                          local.maximum_checkpoint_manager_blocking_time), (4.0, 2.0, 1.0, 3.0))
        self.assertAlmostEqual(local.standard_deviation_checkpoint_manager_blocking_time, 2 ** 0.5)
        self.assertEqual((local.total_checkpointer_blocking_time, local.total_wait_for_prev_time,
                          local.total_get_old_steps_time), (2.0, 1.0, 0.0))
        # A step saved twice counts with its mean.
        self.assertEqual(ask(checkpoints.OPERATION_TYPE_PERSISTENT).total_checkpoint_manager_blocking_time, 9.0)
        self.assertEqual(ask().total_checkpoint_manager_blocking_time, 13.0)
        self.assertEqual(ask().maximum_checkpoint_manager_blocking_time, 9.0)

    def test_restores_by_operation_type(self):
        ask = self.calculator.calculate_restore_operation_checkpoint_manager_blocking_time
        self.assertEqual(ask(checkpoints.OPERATION_TYPE_PERSISTENT).total_checkpoint_manager_time, 4.0)
        emergency = ask(checkpoints.OPERATION_TYPE_LOCAL)
        self.assertEqual((emergency.total_restore_time, emergency.total_broadcast_time), (2.0, 0.5))

    def test_one_tier_alone_is_both(self):
        self.calculator.entries = [saved(1, "/ssd", 1.0)]
        ask = self.calculator.calculate_save_operation_checkpoint_manager_blocking_time
        self.assertEqual(ask(), ask(checkpoints.OPERATION_TYPE_LOCAL))
        self.assertEqual(ask(checkpoints.OPERATION_TYPE_PERSISTENT),
                         checkpoints.SaveCheckpointManagerVerticalStepStats())

    def test_no_entries_are_zeros(self):
        self.calculator.entries = []
        self.assertEqual(self.calculator.calculate_save_operation_checkpoint_manager_blocking_time(),
                         checkpoints.SaveCheckpointManagerVerticalStepStats())


class CacheTest(JobTest):
    def test_a_fork_leaves_its_parents_file(self):
        cache = goodput_cache.GoodputCache("a/b", self.folder)
        self.assertTrue(cache.is_cache_empty())
        cache.update_cached_entries([{"job_start_time": 5.0}, {"step_count": 1, "step_start_time": 7.0}], None)
        child = os.fork()
        if child == 0:
            try:
                weakref.finalize._exitfunc()  # as when a program ends
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        self.assertEqual(len(cache.get_cached_entries()), 2)
        self.assertEqual(cache.get_step_entries(), [{"step_count": 1, "step_start_time": 7.0}])

    def test_a_cache_that_is_gone_leaves_no_file(self):
        cache = goodput_cache.GoodputCache("job", self.folder)
        cache.update_cached_entries([{"job_start_time": 5.0}], None)
        self.assertEqual(len(os.listdir(self.folder)), 1)
        del cache
        gc.collect()
        self.assertEqual(os.listdir(self.folder), [])


class UtilsTest(unittest.TestCase):
    def test_types_have_the_originals_numbers(self):
        self.assertEqual((BadputType.TPU_INITIALIZATION.value, CUSTOM.value, BadputType.OTHER.value,
                          BadputType.ELASTIC_REINITIALIZATION.value), (1, 10, 11, 14))

    def test_published_deviation(self):
        published = goodput_utils.compute_step_deviation_from_baseline
        self.assertEqual(published({}), 0.0)
        self.assertEqual(published({1: -2.0, 2: 4.0}), 3.0)
        steps = dict(enumerate([1.0] * 1000 + [5.0] * 100))
        self.assertEqual(published(steps), 4.0)
        self.assertEqual(published(steps, goodput_utils.MonitoringWindowType.INTERVAL), 5.0)
        with self.assertRaises(ValueError):
            published(steps, "weekly")

    def test_ideal_step_time_leaves_out_slow_steps_and_short_ones(self):
        self.assertEqual(goodput_utils.compute_ideal_step_time([0.5, 2.0, 2.0, 2.0, 40.0]), 2.0)
        self.assertIsNone(goodput_utils.compute_ideal_step_time([0.5]))
        self.assertEqual(goodput_utils.get_extra_time_from_anomalous_steps([2.0, 2.0, 2.0, 40.0]), 38.0)


if __name__ == "__main__":
    unittest.main()
