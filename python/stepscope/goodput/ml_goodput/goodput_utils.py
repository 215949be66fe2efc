"""Stands in for ml_goodput_measurement.src.goodput_utils: its types, and what it computes from lists."""
import dataclasses
import datetime
import enum
import statistics
from typing import Any, Dict, List, Optional, Tuple, TypedDict, Union

from stepscope.goodput.ml_goodput._metadata import accelerator_of, read_metadata

TypedTimes = Dict["BadputType", Union[float, Dict[str, float]]]

_WINDOW_OF_SPIKES, _WINDOW_BEFORE = 100, 1000  # steps


@dataclasses.dataclass
class GCPOptions:
    """What Cloud Monitoring gets, and under which labels. What is None is asked of Google's metadata server."""
    project_id: Optional[str] = None
    location: Optional[str] = None
    replica_id: str = "0"
    acc_type: Optional[str] = None
    cluster_name: Optional[str] = None
    enable_gcp_goodput_metrics: bool = True
    enable_gcp_step_deviation_metrics: bool = True


class MetricType(enum.Enum):
    """Keys of get_job_goodput_details()."""
    GOODPUT_TIME = "goodput_time"
    BADPUT_TIME = "badput_time"
    MAX_PRODUCTIVE_STEP = "max_productive_step"
    TOTAL_ELAPSED_TIME = "total_elapsed_time"
    DISRUPTION_COUNT = "disruption_count"
    STEP_TIME_DEVIATION = "step_time_deviation"
    IDEAL_STEP_TIME = "ideal_step_time"
    TOTAL_EXCLUDED_TIME = "total_excluded_time"


class IntervalMetricType(enum.Enum):
    """Keys of get_interval_metric_details()."""
    INTERVAL_GOODPUT = "interval_goodput"
    INTERVAL_BADPUT = "interval_badput"
    INTERVAL_SIZE = "interval_size"


class GoodputType(enum.Enum):
    """Kinds of goodput: one."""
    TOTAL = 1


# Kinds of time that made no progress. CUSTOM_BADPUT_EVENTS holds a dict by the event's type.
BadputType = enum.Enum("BadputType", [
    "TPU_INITIALIZATION", "TRAINING_PREP", "PROGRAM_STARTUP", "DATA_LOADING_SYNC", "DATA_LOADING_ASYNC",
    "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME", "UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME",
    "WASTED_PROGRESS_FROM_DISRUPTION", "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION", "CUSTOM_BADPUT_EVENTS",
    "OTHER", "ELASTIC_SLICE_DOWN", "ELASTIC_SCALE_UP", "ELASTIC_REINITIALIZATION"])
ELASTIC_BADPUT = (BadputType.ELASTIC_SLICE_DOWN, BadputType.ELASTIC_SCALE_UP,
                  BadputType.ELASTIC_REINITIALIZATION)

# Loading beside steps costs nothing.
ACTIVITY_EXCLUSION_LIST = [BadputType.DATA_LOADING_ASYNC.name]


class MonitoringWindowType(enum.Enum):
    """What a published number is about."""
    CUMULATIVE = "cumulative"
    INTERVAL = "interval"


class WorkloadMetricDetails(TypedDict):
    """The job so far; times in seconds."""
    goodput_time: Dict[GoodputType, float]
    badput_time: TypedTimes
    max_productive_step: int
    total_elapsed_time: float
    disruption_count: int
    step_time_deviation: Dict[int, float]
    ideal_step_time: float
    total_excluded_time: float


class IntervalWorkloadMetricDetails(TypedDict):
    """A window; percentages of its time, and its size in seconds."""
    interval_goodput: Dict[GoodputType, float]
    interval_badput: TypedTimes
    interval_size: int


class ElasticWorkloadMetricDetails(WorkloadMetricDetails, total=False):
    """With the means over time of active and of available slices, 0 to 1."""
    stepping_slice_efficiency: float
    available_slice_efficiency: float


class ElasticIntervalWorkloadMetricDetails(IntervalWorkloadMetricDetails, total=False):
    """With the means over time of active and of available slices, 0 to 1."""
    stepping_slice_efficiency: float
    available_slice_efficiency: float


@dataclasses.dataclass
class GoodputInfo:
    """The last answer; times in seconds."""
    total_productive_time: float = 0.0
    total_elapsed_time: float = 0.0
    total_unproductive_time: TypedTimes = dataclasses.field(default_factory=dict)
    max_productive_step: int = 0
    last_recorded_step: int = 0
    last_updated_timestamp: datetime.datetime = dataclasses.field(
        default_factory=lambda: datetime.datetime.now(datetime.timezone.utc))
    number_of_disruptions: int = 0
    total_excluded_time: float = 0.0


@dataclasses.dataclass
class StepInfo:
    """The usual time of a step and how far each step was from it, in seconds."""
    ideal_step_time: float
    step_deviations: Dict[int, float]


def compute_percentile(values: List[float], percentile: float) -> float:
    """Returns a percentile, interpolated linearly; 0 of no values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    at = (len(ordered) - 1) * percentile / 100
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)


def compute_step_deviation_from_baseline(
        step_time_deviation: Dict[int, float], mode: MonitoringWindowType = MonitoringWindowType.CUMULATIVE,
        recent_window_size: int = _WINDOW_OF_SPIKES, baseline_window_size: int = _WINDOW_BEFORE,
        spike_percentile: int = 90) -> float:
    """Returns how far recent steps were from the usual: a percentile of the last ones, over the whole job less
    the median of those before. Jobs of less than a hundred steps have their mean."""
    if not isinstance(mode, MonitoringWindowType):
        raise ValueError("mode must be a MonitoringWindowType, not {!r}".format(mode))
    values = [abs(value) for value in step_time_deviation.values()]
    if len(values) < _WINDOW_OF_SPIKES:
        return statistics.fmean(values) if values else 0.0
    spike = compute_percentile(values[-recent_window_size:], spike_percentile)
    before = values[-(recent_window_size + baseline_window_size):-recent_window_size]
    whole = mode == MonitoringWindowType.CUMULATIVE and len(before) == baseline_window_size
    return spike - statistics.median(before) if whole else spike


def get_anomalous_and_normal_step_times(step_times: List[float]) -> Tuple[List[float], List[float]]:
    """Returns the times more than three median deviations above the median, and the others."""
    median = statistics.median(step_times)
    slowest = median + 3 * statistics.median(abs(time - median) for time in step_times)
    return ([time for time in step_times if time > slowest], [time for time in step_times if time <= slowest])


def get_extra_time_from_anomalous_steps(step_times: List[float]) -> float:
    """Returns what slow steps took beyond the others, in seconds."""
    slow, normal = get_anomalous_and_normal_step_times(step_times)
    return sum(slow) - len(slow) * statistics.fmean(normal)


def compute_ideal_step_time(step_times: List[float]) -> Optional[float]:
    """Returns the mean of the steps that are not slow; None if no step takes a second."""
    step_times = [time for time in step_times if time >= 1.0]
    return statistics.fmean(get_anomalous_and_normal_step_times(step_times)[1]) if step_times else None


def get_timestamp_from_log_entry(entry: Dict[str, Any]) -> Optional[datetime.datetime]:
    """Returns the first time in an entry of the log."""
    for key, value in entry.items():
        if "time" in key:
            return datetime.datetime.fromtimestamp(value, datetime.timezone.utc)
    return None


def get_gcp_metadata(category: str, attribute: str, timeout: float = 5, retries: int = 3) -> Optional[str]:
    """Asks Google's metadata server; None if there is none or it does not know."""
    return read_metadata(category + "/" + attribute, timeout, retries)


def get_gcp_project_id() -> Optional[str]:
    """Returns the project of this machine."""
    return get_gcp_metadata("project", "project-id")


def get_node_zone() -> Optional[str]:
    """Returns the zone of this machine, such as "us-central1-a"."""
    zone = get_gcp_metadata("instance", "zone")
    return zone.rsplit("/", 1)[-1] if zone else None


def get_accelerator_type() -> str:
    """Returns the accelerator of this machine's type, such as "TPU-v5p", or "UNKNOWN"."""
    return accelerator_of(get_gcp_metadata("instance", "machine-type"))


def get_cluster_name() -> Optional[str]:
    """Returns the name of the cluster that this machine is in."""
    return get_gcp_metadata("instance", "attributes/cluster-name")
