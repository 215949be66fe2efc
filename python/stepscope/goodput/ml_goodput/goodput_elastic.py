"""Stands in for ml_goodput_measurement.src.goodput_elastic: jobs that go on with fewer slices."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

from stepscope.goodput.ml_goodput import goodput
from stepscope.goodput.ml_goodput._answers import Answer
from stepscope.goodput.ml_goodput._recorder import _JOB_NAME, GoodputRecorder, When  # noqa: F401
from stepscope.goodput.ml_goodput.goodput_utils import ElasticWorkloadMetricDetails

# Fields of entries.
_ACTIVE_SLICES = "active_slices"
_TOTAL_SLICES = "total_slices"
_AVAILABLE_SLICES = "available_slices"
_ELASTIC_SLICE_COUNTS_TIMESTAMP = "elastic_slice_counts_timestamp"
_ELASTIC_WAIT_EVENT_TYPE = "elastic_wait_event_type"
_ELASTIC_WAIT_START_TIME = "elastic_wait_start_time"
_ELASTIC_WAIT_END_TIME = "elastic_wait_end_time"
_ELASTIC_REINIT_START_TIME = "elastic_reinit_start_time"
_ELASTIC_REINIT_END_TIME = "elastic_reinit_end_time"


class ElasticGoodputRecorder(GoodputRecorder):
    """Records slices too."""

    def record_elastic_slice_counts(self, active_slices: int, total_slices: int, available_slices: int,
                                    timestamp: When = None) -> None:
        """Records how many slices train, belong to the job, and are there."""
        counts = int(active_slices), int(total_slices), int(available_slices)
        self._record("record_elastic_slice_counts", _ELASTIC_SLICE_COUNTS_TIMESTAMP, timestamp, (*counts, timestamp),
                     active_slices=counts[0], total_slices=counts[1], available_slices=counts[2])

    def record_elastic_wait_start_time(self, event_type: str, start_time: When = None) -> None:
        """Records that the job waits for slices: "scale_up", or one is down."""
        self._record("record_elastic_wait_start_time", _ELASTIC_WAIT_START_TIME, start_time, (event_type, start_time),
                     elastic_wait_event_type=event_type)

    def record_elastic_wait_end_time(self, event_type: str, end_time: When = None) -> None:
        """Records the end of it."""
        self._record("record_elastic_wait_end_time", _ELASTIC_WAIT_END_TIME, end_time, (event_type, end_time),
                     elastic_wait_event_type=event_type)

    def record_elastic_reinit_start_time(self, start_time: When = None) -> None:
        """Records that the job is set up again with other slices."""
        self._record("record_elastic_reinit_start_time", _ELASTIC_REINIT_START_TIME, start_time)

    def record_elastic_reinit_end_time(self, end_time: When = None) -> None:
        """Records the end of it."""
        self._record("record_elastic_reinit_end_time", _ELASTIC_REINIT_END_TIME, end_time)


class ElasticGoodputCalculator(goodput.GoodputCalculator):
    """Tells time of slices, and in details the shares of slices that trained and that were there."""

    _elastic = True

    def get_job_goodput_details(self) -> ElasticWorkloadMetricDetails:
        """Returns what GoodputCalculator does, with the shares of slices if the log tells of slices."""
        return self._with_slices(super().get_job_goodput_details(), self._slices)

    def _with_slices(self, details: Any, slices: Optional[Tuple[float, float]]) -> Any:
        if slices is not None:
            details["stepping_slice_efficiency"], details["available_slice_efficiency"] = slices
        return details

    # What ml-goodput-measurement's own tests call.

    @staticmethod
    def _extract_slice_count_entries(entries: Sequence[Dict[str, Any]]) -> List[Dict[str, Any]]:
        """Returns the entries that tell of slices."""
        return [entry for entry in entries if _ELASTIC_SLICE_COUNTS_TIMESTAMP in entry]

    @staticmethod
    def _compute_time_weighted_efficiency(slice_entries: Sequence[Dict[str, Any]], start: float, end: float
                                          ) -> Tuple[float, float]:
        """Returns the shares of active and available slices from `start` to `end`, in seconds since 1970."""
        if not slice_entries or end <= start:
            return 0.0, 0.0
        job = [{"job_start_time": start}, *slice_entries, {"job_end_time": end}]
        return goodput.ask_entries(job, Answer.slices.fget, (0.0, 0.0))
