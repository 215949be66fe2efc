"""Stands in for ml_goodput_measurement.src.goodput: the recorder, and the calculator that says what became of
the time."""
import datetime
import logging
import os
import threading
from typing import Any, Dict, List, Optional, Sequence, Tuple

from stepscope.goodput._launch import folder_of, job_of_team, labels_of
from stepscope.goodput.ml_goodput import exclusion_utils, goodput_cache, goodput_utils
from stepscope.goodput.ml_goodput._answers import Answer, ask
from stepscope.goodput.ml_goodput._cloud_log import DEFAULT_RETENTION as _CLOUD_LOGGING_DEFAULT_RETENTION  # noqa: F401
from stepscope.goodput.ml_goodput._cloud_log import CloudLogger as _CloudLogger  # noqa: F401
from stepscope.goodput.ml_goodput._logs import log_to_read
from stepscope.goodput.ml_goodput._recorder import (  # noqa: F401
    GoodputRecorder, _JOB_NAME, _STEP_COUNT, _STEP_START_TIME, _JOB_START_TIME, _JOB_END_TIME,
    _TPU_INIT_START_TIME, _TPU_INIT_END_TIME, _TRAINING_PREPARATION_START_TIME, _TRAINING_PREPARATION_END_TIME,
    _DATA_LOADING_START_TIME, _DATA_LOADING_END_TIME, _CUSTOM_BADPUT_EVENT_TYPE,
    _CUSTOM_BADPUT_EVENT_START_TIME, _CUSTOM_BADPUT_EVENT_END_TIME, _now, _seconds)

BadputType = goodput_utils.BadputType
GoodputCache = goodput_cache.GoodputCache
GoodputInfo = goodput_utils.GoodputInfo
GoodputType = goodput_utils.GoodputType
IntervalMetricType = goodput_utils.IntervalMetricType
IntervalWorkloadMetricDetails = goodput_utils.IntervalWorkloadMetricDetails
MetricType = goodput_utils.MetricType
StepInfo = goodput_utils.StepInfo
UnproductiveTimeDict = goodput_utils.TypedTimes
WorkloadMetricDetails = goodput_utils.WorkloadMetricDetails
compute_ideal_step_time = goodput_utils.compute_ideal_step_time
get_timestamp_from_log_entry = goodput_utils.get_timestamp_from_log_entry

logger = logging.getLogger(__name__)


class GoodputCalculator:
    """Says which share of the job's time became progress, by the rules of ml-goodput-measurement. The numbers
    come from `stepscope goodput analyze --mode ml-goodput`."""

    _elastic = False

    def __init__(self, job_name: str, logger_name: str, cloud_logger: Any = None, using_pathways: bool = False,
                 max_logs_retention_period: Optional[datetime.timedelta] = None, gcs_path: Optional[str] = None,
                 cache_dir: str = "/tmp"):
        """Reads what GoodputRecorder wrote.

        Args:
          max_logs_retention_period: how old entries of Cloud Logging may be; 7 days by default.
          gcs_path: a gs:// folder for a copy of what was read of Cloud Logging.
          cache_dir: a folder for what was read of it.
        """
        self.job_name = job_name
        self.using_pathways = using_pathways
        self._cloud_logger = cloud_logger or log_to_read(job_name, logger_name,
                                                         max_logs_retention_period=max_logs_retention_period)
        self._goodput_cache = GoodputCache(job_name, cache_dir, None if self._cloud_logger is None else gcs_path)
        self._goodput_cache_lock = threading.RLock()
        self._slices: Optional[Tuple[float, float]] = None

    def sync_to_gcs(self) -> None:
        """Copies what was read of Cloud Logging to `gcs_path`."""
        with self._goodput_cache_lock:
            self._goodput_cache.sync_to_gcs()

    def _fetch_new_entries(self, query_time: datetime.datetime) -> List[Dict[str, Any]]:
        """Reads what is new in the cloud's log; returns it."""
        if self._cloud_logger is None:
            return []
        with self._goodput_cache_lock:
            last = self._goodput_cache.get_last_entry_info()
            if last is None:
                entries, position = self._cloud_logger.read_cloud_logging_entries()
            elif query_time <= last[0]:
                return []
            else:
                entries, position = self._cloud_logger.read_cloud_logging_entries(
                    start_time=last[0], end_time=query_time, last_entry_info=last)
            self._goodput_cache.update_cached_entries(entries, position)
            return entries

    def _events(self) -> Dict[str, Any]:
        """Returns where the events are, as report() takes it."""
        if self._cloud_logger is None:
            return {"events": folder_of(), "job": job_of_team(self.job_name, labels_of(os.environ))}
        if self._goodput_cache.is_cache_empty():
            raise ValueError("Total job time is zero, Goodput cannot be calculated: the log has no entries of job "
                             "{!r}".format(self.job_name))
        return {"events": self._goodput_cache._local_timeline_path}

    def _ask(self, ideal: Optional[float] = None, **options: Any) -> Answer:
        with self._goodput_cache_lock:
            return ask(**self._events(), ideal_step_time=None if ideal is None else float(ideal), **options)

    def _ask_now(self, ideal: Optional[float] = None, **options: Any) -> Answer:
        with self._goodput_cache_lock:
            self._fetch_new_entries(_now())
            return self._ask(ideal, **options)

    def _keep(self, answer: Answer) -> None:
        """Keeps an answer for get_job_goodput_details()."""
        with self._goodput_cache_lock:
            self._slices = answer.slices
            self._goodput_cache.update_goodput_info(GoodputInfo(
                answer.productive, answer.total, answer.badput(), answer.max_productive_step, answer.last_step,
                _now(), answer.disruptions, answer.excluded))
            if answer.steps is not None:
                self._goodput_cache.update_step_info(answer.steps)

    def get_job_goodput(self, include_badput_breakdown: bool = False,
                        configured_ideal_step_time: Optional[float] = None
                        ) -> Tuple[float, UnproductiveTimeDict, int]:
        """Returns goodput in percent, badput in percent by type ({} unless asked for), and the last productive step.

        Raises ValueError if the job has no start yet, or its events contradict each other.
        """
        answer = self._ask_now(configured_ideal_step_time).check()
        self._keep(answer)
        shares = answer.badput_percent(self._elastic) if include_badput_breakdown else {}
        return answer.goodput, shares, answer.max_productive_step

    def get_job_goodput_with_exclusions(self, exclusion_intervals: Sequence[exclusion_utils.Interval],
                                        include_badput_breakdown: bool = False,
                                        configured_ideal_step_time: Optional[float] = None
                                        ) -> Tuple[float, UnproductiveTimeDict, int, float]:
        """Returns the same without the time in the intervals, and the seconds that they took out. Intervals are
        pairs of datetimes in UTC."""
        excluded = exclusion_utils.normalize_intervals(exclusion_intervals)
        # "none" asks for the answer with exclusions, whose steps count differently, without any of them.
        answer = self._ask_now(configured_ideal_step_time, exclude=excluded or [("none",)]).check()
        if answer.total == 0:
            return 0.0, {}, answer.max_productive_step, answer.excluded
        self._keep(answer)
        shares = answer.badput_percent(self._elastic) if include_badput_breakdown else {}
        return answer.goodput, shares, answer.max_productive_step, answer.excluded

    def _interval(self, start: datetime.datetime, end: datetime.datetime) -> Answer:
        with self._goodput_cache_lock:
            self._fetch_new_entries(max(end, _now()))
            return self._ask(window=(_seconds(start), _seconds(end))).check()

    def get_job_goodput_interval(self, interval_start: datetime.datetime, interval_end: datetime.datetime
                                 ) -> Tuple[float, UnproductiveTimeDict, int, float, int]:
        """Returns goodput and badput of a window in percent, the last productive step in it, its time in seconds
        from the first event to the last one, and the disruptions in it.

        Raises ValueError if the window has no events.
        """
        answer = self._interval(interval_start, interval_end)
        return (answer.goodput, answer.badput_percent(self._elastic), answer.max_productive_step, answer.total,
                answer.disruptions)

    def get_step_deviation(self, configured_ideal_step_time: Optional[float] = None) -> Dict[int, float]:
        """Returns how far each step was from the usual time of a step, or from the one that is given, in seconds.

        Raises ValueError if no step has ended or none took a second.
        """
        return self._step_deviation(configured_ideal_step_time, most_steps=1_000_000_000)

    def _step_deviation(self, ideal: Optional[float], most_steps: Optional[int] = None) -> Dict[int, float]:
        """Returns the same of the last `most_steps` steps, by default 10,000."""
        steps = self._ask_now(ideal, most_steps=most_steps).steps
        if steps is None:
            raise ValueError("No step times: no step has ended yet, or none took a second.")
        with self._goodput_cache_lock:
            self._goodput_cache.update_step_info(steps)
        return steps.step_deviations

    def get_job_goodput_details(self) -> WorkloadMetricDetails:
        """Returns the seconds of the last get_job_goodput(), by the values of MetricType."""
        with self._goodput_cache_lock:
            info, steps = self._goodput_cache.get_goodput_info(), self._goodput_cache.get_step_info()
        if info is None:
            logger.warning("goodput: get_job_goodput() has no answer yet; there is nothing to upload")
        known = info or GoodputInfo()
        return {
            "goodput_time": {GoodputType.TOTAL: known.total_productive_time} if info else {},
            "badput_time": known.total_unproductive_time,
            "max_productive_step": known.max_productive_step,
            "total_elapsed_time": known.total_elapsed_time,
            "disruption_count": known.number_of_disruptions,
            "step_time_deviation": steps.step_deviations if info and steps else {},
            "ideal_step_time": steps.ideal_step_time if info and steps else 0.0,
            "total_excluded_time": known.total_excluded_time,
        }

    def get_interval_metric_details(self, interval_start: datetime.datetime, interval_end: datetime.datetime
                                    ) -> IntervalWorkloadMetricDetails:
        """Returns the percentages of a window, by the values of IntervalMetricType; none if it has no events."""
        return self._window_details(interval_start, interval_end)[0]

    def _window_details(self, start: datetime.datetime, end: datetime.datetime) -> Tuple[Any, int]:
        """Returns details of a window, and the last productive step in it."""
        details: Dict[str, Any] = {"interval_goodput": {}, "interval_badput": {},
                                   "interval_size": int((end - start).total_seconds())}
        try:
            answer = self._interval(start, end)
        except ValueError as error:
            logger.warning("goodput: nothing is known of the window: %s", error)
            return details, 0
        details["interval_goodput"] = {GoodputType.TOTAL: answer.goodput}
        details["interval_badput"] = answer.badput_percent(self._elastic)
        return self._with_slices(details, answer.slices), answer.max_productive_step

    def _with_slices(self, details: Any, slices: Optional[Tuple[float, float]]) -> Any:
        del slices  # elastic jobs tell them
        return details

    # What ml-goodput-measurement's own tests call.

    def _get_current_productive_and_unproductive_time(self, interval_query: bool = False
                                                      ) -> Tuple[float, UnproductiveTimeDict, int, int]:
        """Returns seconds of what has been read, without reading more."""
        del interval_query
        answer = self._ask().check()
        return answer.productive, answer.badput(), answer.max_productive_step, answer.last_step

    def _get_step_times(self, entries: Sequence[Any]) -> Dict[int, float]:
        """Returns the seconds of each step that these entries tell of."""
        return ask_entries([entry for entry in entries if isinstance(entry, dict)], Answer.step_times.fget, {})


def ask_entries(entries: Sequence[Dict[str, Any]], of: Any, otherwise: Any) -> Any:
    """Returns of(Answer) about these entries alone; `otherwise` if there are none."""
    return of(ask(entries)) if entries else otherwise
