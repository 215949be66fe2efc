"""Stands in for ml_goodput_measurement.src.gcp_metrics: sends numbers to Google's Cloud Monitoring.

Needs google-cloud-monitoring, which is imported when a sender is made.
"""
import enum
import logging
import time
from typing import Any, Dict, List, Optional

logger = logging.getLogger(__name__)


class ValueType(enum.Enum):
    """Types of values, by the name of their field."""
    BOOL = "bool_value"
    INT = "int64_value"
    DOUBLE = "double_value"
    STRING = "string_value"
    DISTRIBUTION = "distribution_value"


class GCPMetrics:
    """Sends metrics of one project."""

    def __init__(self, project_id: str):
        """Raises ImportError without google-cloud-monitoring."""
        from google.cloud import monitoring_v3
        self.project_id = project_id
        self.project_name = "projects/" + project_id
        self.client = monitoring_v3.MetricServiceClient()

    def create_time_series(self, metric_type: str, value: Any, value_type: ValueType,
                           metric_labels: Dict[str, str], resource_type: str,
                           resource_labels: Dict[str, str], seconds: int, nanos: int) -> Any:
        """Returns a monitoring_v3.TimeSeries of one point."""
        from google.cloud import monitoring_v3
        point = {"interval": {"end_time": {"seconds": seconds, "nanos": nanos}},
                 "value": {value_type.value: value}}
        return monitoring_v3.TimeSeries(metric={"type": metric_type, "labels": metric_labels or {}},
                                        resource={"type": resource_type, "labels": resource_labels},
                                        points=[point])

    def send_metrics(self, metrics: List[Dict[str, Any]], context: Optional[Dict[str, Any]] = None) -> None:
        """Sends metrics as of now in one call. Each is a dict of metric_type, value, value_type, metric_labels
        (optional), resource_type and resource_labels. What fails is logged."""
        from google.api_core.exceptions import GoogleAPIError
        seconds, fraction = divmod(time.time(), 1)
        series = [one for metric in metrics
                  for one in self._series(metric, int(seconds), int(fraction * 1e9))]
        if not series:
            return
        try:
            self.client.create_time_series(name=self.project_name, time_series=series)
        except GoogleAPIError as error:
            logger.error("goodput: Cloud Monitoring did not take the metrics: %s", error)
            return
        logger.info({"message": "Sent Goodput metrics to GCM Monitoring.", "metrics_count": len(series),
                     **(context or {})})

    def _series(self, metric: Dict[str, Any], seconds: int, nanos: int) -> List[Any]:
        try:
            return [self.create_time_series(metric["metric_type"], metric["value"], metric["value_type"],
                                            metric.get("metric_labels", {}), metric["resource_type"],
                                            metric["resource_labels"], seconds, nanos)]
        except Exception as error:
            logger.error("goodput: no metric %r: %s", metric.get("metric_type"), error)
            return []
