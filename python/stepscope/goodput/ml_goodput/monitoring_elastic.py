"""Stands in for ml_goodput_measurement.src.monitoring_elastic: uploads time of slices too."""
from typing import Any

from stepscope.goodput.ml_goodput import goodput_elastic, monitoring

GCPOptions = monitoring.GCPOptions


class ElasticGoodputMonitor(monitoring.GoodputMonitor):
    """GoodputMonitor of a job that goes on with fewer slices."""

    _calculator_class = goodput_elastic.ElasticGoodputCalculator

    def __init__(self, job_name: str, logger_name: str, tensorboard_dir: str, upload_interval: float,
                 monitoring_enabled: bool = False, include_badput_breakdown: bool = False,
                 include_step_deviation: bool = False, include_slice_efficiency: bool = False, **options: Any):
        """`include_slice_efficiency`: whether Cloud Monitoring gets the shares of slices that train and that are
        there. `options` are GoodputMonitor's others."""
        super().__init__(job_name, logger_name, tensorboard_dir, upload_interval, monitoring_enabled,
                         pathway_enabled=True, include_badput_breakdown=include_badput_breakdown,
                         include_step_deviation=include_step_deviation, **options)
        if self._initialized:
            self._worker_config["include_slice_efficiency"] = include_slice_efficiency
