"""Names what Cloud Monitoring gets, as its dashboards of goodput expect."""
import math
from typing import Any, Dict, Iterator, List, Optional, Tuple

from stepscope.goodput.ml_goodput import goodput_utils
from stepscope.goodput.ml_goodput.gcp_metrics import ValueType

Metrics = List[Dict[str, Any]]
_PREFIX = "compute.googleapis.com/workload/"
_SLICES = ("stepping_slice_efficiency", "available_slice_efficiency")


class _Builder:
    """Metrics of one job and accelerator."""

    def __init__(self, config: Dict[str, Any]):
        options = config["gcp_options"]
        self.metrics: Metrics = []
        self._with_slices = config.get("include_slice_efficiency", False)
        self._resource = {"location": options.location, "workload_id": config["job_name"],
                          "replica_id": options.replica_id}
        self._labels = {"accelerator_type": options.acc_type or "UNKNOWN"}
        if options.cluster_name:
            self._labels["cluster_name"] = options.cluster_name

    def add(self, name: str, value: Any, kind: ValueType = ValueType.DOUBLE,
            labels: Optional[Dict[str, str]] = None) -> None:
        """Adds a metric with `labels` and those of the job; without any if it is None."""
        metric = {"metric_type": _PREFIX + name, "value": value, "value_type": kind,
                  "resource_type": "compute.googleapis.com/Workload", "resource_labels": self._resource}
        if labels is not None:
            metric["metric_labels"] = {**self._labels, **labels}
        self.metrics.append(metric)

    def add_sources(self, name: str, label: str, times: Dict[Any, Any], **labels: str) -> None:
        """Adds a metric for each type of time, but not for time that costs nothing."""
        for source, value in flat(times):
            if source not in goodput_utils.ACTIVITY_EXCLUSION_LIST:
                self.add(name, value, labels={label: source, **labels})

    def add_slices(self, details: Dict[str, Any], window_type: str, size: int) -> None:
        """Adds the shares of slices, if the monitor was asked for them and they are known."""
        for name in _SLICES if self._with_slices else ():
            if details.get(name) is not None:
                self.add(name, details[name], labels={"window_type": window_type, "rolling_window_size": str(size)})


def flat(times: Dict[Any, Any]) -> Iterator[Tuple[str, float]]:
    """Yields ("TPU_INITIALIZATION", 2.0), and ("CUSTOM_BADPUT_EVENTS.EVAL", 3.0) of custom events."""
    for kind, value in times.items():
        if isinstance(value, dict):
            yield from (("{}.{}".format(kind.name, name.upper()), part) for name, part in value.items())
        else:
            yield kind.name, value


def of_job(details: Dict[str, Any], config: Dict[str, Any]) -> Metrics:
    """Returns the metrics of get_job_goodput_details()."""
    job = _Builder(config)
    cumulative = {"window_type": goodput_utils.MonitoringWindowType.CUMULATIVE.value}
    job.add_sources("goodput_time", "goodput_source", details["goodput_time"])
    job.add_sources("badput_time", "badput_source", details["badput_time"])
    job.add("disruptions", details["disruption_count"], ValueType.INT, cumulative)
    job.add("max_productive_steps", details["max_productive_step"], ValueType.INT, {})
    if details.get("step_time_deviation"):
        job.add("step_time_deviation", float(goodput_utils.compute_step_deviation_from_baseline(
            details["step_time_deviation"])), labels={})
    job.add("total_elapsed_time", details["total_elapsed_time"], labels=cumulative)
    job.add("performance", details["ideal_step_time"])
    job.add_slices(details, "CUMULATIVE", 0)
    return job.metrics


def of_window(details: Dict[str, Any], config: Dict[str, Any]) -> Metrics:
    """Returns the metrics of get_interval_metric_details()."""
    job, size = _Builder(config), details["interval_size"]
    of_size = {"rolling_window_size": str(size)}
    job.add_sources("interval_goodput", "goodput_source", details.get("interval_goodput", {}), **of_size)
    job.add_sources("interval_badput", "badput_source", details.get("interval_badput", {}), **of_size)
    job.add_slices(details, "INTERVAL", size)
    return job.metrics


def of_steps(deviations: Dict[int, float], config: Dict[str, Any]) -> Metrics:
    """Returns the metric of get_step_deviation()."""
    job = _Builder(config)
    mean = sum(deviations.values()) / len(deviations) if deviations else math.nan
    if not math.isnan(mean):
        job.add("performance", mean)
    return job.metrics
