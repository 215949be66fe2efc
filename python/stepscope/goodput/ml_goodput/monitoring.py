"""Stands in for ml_goodput_measurement.src.monitoring: uploads a running job's numbers, by threads of the job.

TensorBoard gets them as scalars under the original's tags; Google's Cloud Monitoring gets them too if
google-cloud-monitoring is installed and the project is known.
"""
import dataclasses
import datetime
import os
import threading
from typing import Any, Dict, Optional, Sequence

from stepscope.goodput.ml_goodput import _metrics, gcp_metrics, goodput, goodput_utils
from stepscope.goodput.ml_goodput._workers import PATIENCE as _PROCESS_TERMINATION_TIMEOUT_SECONDS
from stepscope.goodput.ml_goodput._workers import (Every, Uploader, guarded, logger, repeat, send, tensorboard_writer,
                                                   upload_windows, write_goodput, write_steps)
from stepscope.goodput.ml_goodput._workers import run_with_timeout as _run_with_timeout

ACTIVITY_EXCLUSION_LIST = goodput_utils.ACTIVITY_EXCLUSION_LIST
BadputType = goodput_utils.BadputType
GCPMetrics = gcp_metrics.GCPMetrics
GCPOptions = goodput_utils.GCPOptions
GoodputCalculator = goodput.GoodputCalculator
IntervalMetricType = goodput_utils.IntervalMetricType
MetricType = goodput_utils.MetricType
MonitoringWindowType = goodput_utils.MonitoringWindowType
ValueType = gcp_metrics.ValueType

Config = Dict[str, Any]


def _create_goodput_calculator(config: Config) -> Any:
    """Returns the monitor's calculator: its threads read the log once for all."""
    return config["calculator"]


def _create_gcp_metrics_sender(config: Config) -> Optional[GCPMetrics]:
    """Returns the monitor's sender to Cloud Monitoring, or None."""
    return config["metrics_sender"]


def _create_tensorboard_writer(config: Config) -> Any:
    """Returns a writer of scalars."""
    return tensorboard_writer(config)


def _upload_goodput_metrics_to_gcm(metrics_sender: Any, goodput_details: Any, config: Config) -> None:
    """Sends what get_job_goodput_details() returned to Cloud Monitoring."""
    guarded("metrics in Cloud Monitoring", config,
            lambda: send(metrics_sender, _metrics.of_job(goodput_details, config), config, "cumulative"))


def _upload_interval_goodput_metrics_to_gcm(metrics_sender: Any, interval_metric_details: Any,
                                            config: Config) -> None:
    """Sends what get_interval_metric_details() returned to Cloud Monitoring."""
    guarded("window in Cloud Monitoring", config,
            lambda: send(metrics_sender, _metrics.of_window(interval_metric_details, config), config,
                         "rolling-window"))


def _send_step_deviation_metric_to_gcp(metrics_sender: Any, step_deviations: Dict[int, float],
                                       config: Config) -> None:
    """Sends the mean of get_step_deviation() to Cloud Monitoring."""
    guarded("step deviation in Cloud Monitoring", config,
            lambda: send(metrics_sender, _metrics.of_steps(step_deviations, config), config, "step-time-deviation"))


def _query_and_upload_goodput_once(calculator: Any, summary_writer: Any, metrics_sender: Any, config: Config,
                                   pid: int) -> None:
    """Asks for the job's goodput and uploads it."""
    del pid
    answer = guarded("goodput", config, lambda: calculator.get_job_goodput(
        config["include_badput_breakdown"], config.get("configured_ideal_step_time")))
    if answer is None:
        return
    guarded("goodput in TensorBoard", config, lambda: write_goodput(summary_writer, *answer))
    if metrics_sender is not None and config["gcp_options"].enable_gcp_goodput_metrics:
        _upload_goodput_metrics_to_gcm(metrics_sender, calculator.get_job_goodput_details(), config)


def _query_and_upload_step_deviation_once(calculator: Any, summary_writer: Any, metrics_sender: Any, config: Config,
                                          written: Dict[int, float]) -> None:
    """Asks how far steps are from the usual and uploads it."""
    deviations = guarded("step deviation", config,
                         lambda: calculator._step_deviation(config["configured_ideal_step_time"]))
    if deviations is None:
        return
    guarded("step deviation in TensorBoard", config, lambda: write_steps(summary_writer, deviations, written))
    if config["gcp_options"].enable_gcp_step_deviation_metrics:
        _send_step_deviation_metric_to_gcp(metrics_sender, deviations, config)


def _goodput_worker(config: Config, termination_event: threading.Event, final_flush_event: threading.Event) -> None:
    """Uploads the job's goodput until it is stopped."""
    calculator, sender = _create_goodput_calculator(config), _create_gcp_metrics_sender(config)
    writer = _create_tensorboard_writer(config)
    repeat(config["upload_interval"], termination_event, final_flush_event,
           lambda: _query_and_upload_goodput_once(calculator, writer, sender, config, os.getpid()),
           Every(config.get("gcs_sync_interval_seconds", 3600), calculator.sync_to_gcs))
    writer.close()


def _step_deviation_worker(config: Config, termination_event: threading.Event,
                           final_flush_event: threading.Event) -> None:
    """Uploads the deviation of steps until it is stopped."""
    calculator, sender = _create_goodput_calculator(config), _create_gcp_metrics_sender(config)
    writer, written = _create_tensorboard_writer(config), {}
    repeat(config["step_deviation_interval_seconds"], termination_event, final_flush_event,
           lambda: _query_and_upload_step_deviation_once(calculator, writer, sender, config, written))
    writer.close()


def _rolling_window_worker(config: Config, termination_event: threading.Event,
                           final_flush_event: threading.Event) -> None:
    """Uploads windows that end now until it is stopped."""
    calculator, sender = _create_goodput_calculator(config), _create_gcp_metrics_sender(config)
    writer = _create_tensorboard_writer(config)
    repeat(config["upload_interval"], termination_event, final_flush_event,
           lambda: upload_windows(calculator, writer, sender, config, _upload_interval_goodput_metrics_to_gcm))
    writer.close()


class GoodputMonitor:
    """Uploads a job's goodput while it runs. Errors are logged, and never reach the job."""

    _calculator_class: Any = GoodputCalculator

    def __init__(self, job_name: str, logger_name: str, tensorboard_dir: str, upload_interval: float,
                 monitoring_enabled: bool = False, pathway_enabled: bool = False,
                 include_badput_breakdown: bool = False, include_step_deviation: bool = False,
                 configured_ideal_step_time: Optional[float] = None, step_deviation_interval_seconds: float = 10,
                 gcp_options: Optional[GCPOptions] = None, skip_final_flush: bool = False,
                 final_flush_timeout_seconds: Optional[float] = _PROCESS_TERMINATION_TIMEOUT_SECONDS,
                 gcs_sync_interval_seconds: float = 3600, cache_dir: str = "/tmp",
                 max_logs_retention_period: Optional[datetime.timedelta] = None):
        """Does nothing unless `monitoring_enabled`, which one process of a job should be. Intervals are in seconds.

        Args:
          tensorboard_dir: scalars go into its folder "goodput".
          configured_ideal_step_time: of a step, in seconds; by default it is computed.
          gcp_options: what goes to Cloud Monitoring, and under which labels.
          skip_final_flush: whether stopping does without a last upload.
          final_flush_timeout_seconds: how long stopping waits for it; None: as long as it takes.
          gcs_sync_interval_seconds: how often what was read of Cloud Logging is copied to `tensorboard_dir`, if
            that begins with gs://. ML_GOODPUT_GCS_SYNC_INTERVAL_SECONDS goes before it.
          cache_dir: a folder for what was read of Cloud Logging. ML_GOODPUT_CACHE_DIR goes before it.
        """
        self._initialized = bool(monitoring_enabled)
        if not monitoring_enabled:
            return
        self._skip_final_flush = skip_final_flush
        self._final_flush_timeout_seconds = final_flush_timeout_seconds
        cache_dir = os.environ.get("ML_GOODPUT_CACHE_DIR", cache_dir)
        self._goodput_calculator = self._calculator_class(
            job_name=job_name, logger_name=logger_name, using_pathways=pathway_enabled, gcs_path=tensorboard_dir,
            cache_dir=cache_dir, max_logs_retention_period=max_logs_retention_period)
        options = dataclasses.replace(gcp_options or GCPOptions())
        self._metrics_sender = _sender_of(options)
        self._summary_writer: Any = None
        self._worker_config: Config = {
            "job_name": job_name, "logger_name": logger_name, "calculator": self._goodput_calculator,
            "calculator_class": self._calculator_class, "metrics_sender": self._metrics_sender,
            "gcp_options": options, "tensorboard_dir": os.path.join(tensorboard_dir, "goodput"),
            "upload_interval": upload_interval, "include_badput_breakdown": include_badput_breakdown,
            "include_step_deviation": include_step_deviation, "rolling_windows": [],
            "configured_ideal_step_time": configured_ideal_step_time,
            "step_deviation_interval_seconds": step_deviation_interval_seconds, "cache_dir": cache_dir,
            "gcs_sync_interval_seconds": _sync_interval(gcs_sync_interval_seconds)}
        self._goodput = Uploader("goodput", _goodput_worker, self._worker_config)
        self._steps = Uploader("step deviation", _step_deviation_worker, self._worker_config)
        self._windows = Uploader("windows", _rolling_window_worker, self._worker_config)

    @property
    def _writer(self) -> Any:
        if self._summary_writer is None:
            self._summary_writer = _create_tensorboard_writer(self._worker_config)
        return self._summary_writer

    # The names by which ml-goodput-measurement's own tests know the uploaders.
    _goodput_process = property(lambda self: self._goodput.thread)
    _goodput_termination_event = property(lambda self: self._goodput.stopping)
    _goodput_final_flush_event = property(lambda self: self._goodput.flushing)
    _step_deviation_process = property(lambda self: self._steps.thread)
    _step_deviation_termination_event = property(lambda self: self._steps.stopping)

    def start_goodput_uploader(self) -> None:
        """Uploads the job's goodput from now on, every `upload_interval`."""
        if self._initialized:
            self._goodput.start()

    def stop_goodput_uploader(self, skip_final_flush: Optional[bool] = None) -> None:
        """Uploads it for the last time, unless `skip_final_flush`, and no more."""
        self._stop("_goodput", skip_final_flush, "_final_goodput_query_and_upload")

    def start_step_deviation_uploader(self) -> None:
        """Uploads from now on how far steps are from the usual, if the monitor was made to."""
        if self._initialized and self._worker_config["include_step_deviation"]:
            self._steps.start()

    def stop_step_deviation_uploader(self, skip_final_flush: Optional[bool] = None) -> None:
        """Uploads it for the last time, unless `skip_final_flush`, and no more."""
        self._stop("_steps", skip_final_flush, "_final_step_deviation_query_and_upload")

    def start_rolling_window_goodput_uploader(self, rolling_windows_seconds: Sequence[int]) -> None:
        """Uploads goodput and badput of windows of these sizes, which end now, every `upload_interval`."""
        if self._initialized:
            self._worker_config["rolling_windows"] = list(rolling_windows_seconds)
            self._windows.start()

    def stop_rolling_window_goodput_uploader(self, skip_final_flush: Optional[bool] = None) -> None:
        """Uploads them for the last time, unless `skip_final_flush`, and no more."""
        self._stop("_windows", skip_final_flush, "_final_rolling_window_goodput_query_and_upload")

    def _worker_join_timeout(self, should_skip: bool) -> Optional[float]:
        return _PROCESS_TERMINATION_TIMEOUT_SECONDS if should_skip else self._final_flush_timeout_seconds

    def _stop(self, uploader: str, skip: Optional[bool], last: str) -> None:
        """Stops an uploader; calls `last` in its stead if it was never started."""
        if not self._initialized:
            return
        skip = self._skip_final_flush if skip is None else skip
        was_running = getattr(self, uploader).stop(not skip, self._worker_join_timeout(skip))
        if not was_running and not skip:
            _run_with_timeout(getattr(self, last), self._final_flush_timeout_seconds, "the last upload")

    def _final_goodput_query_and_upload(self) -> None:
        _query_and_upload_goodput_once(self._goodput_calculator, self._writer, self._metrics_sender,
                                       self._worker_config, os.getpid())

    def _final_step_deviation_query_and_upload(self) -> None:
        _query_and_upload_step_deviation_once(self._goodput_calculator, self._writer, self._metrics_sender,
                                              self._worker_config, {})

    def _final_rolling_window_goodput_query_and_upload(self) -> None:
        upload_windows(self._goodput_calculator, self._writer, self._metrics_sender, self._worker_config,
                       _upload_interval_goodput_metrics_to_gcm)


def _sync_interval(otherwise: float) -> float:
    said = os.environ.get("ML_GOODPUT_GCS_SYNC_INTERVAL_SECONDS", "")
    if said and not said.isdigit():
        logger.warning("goodput: ML_GOODPUT_GCS_SYNC_INTERVAL_SECONDS=%r is no number of seconds", said)
    return int(said) if said.isdigit() else otherwise


def _sender_of(options: GCPOptions) -> Optional[GCPMetrics]:
    """Returns a sender to Cloud Monitoring, and fills in what the options leave open. Without a project or the
    client library the options are switched off."""
    sender = None
    if options.enable_gcp_goodput_metrics or options.enable_gcp_step_deviation_metrics:
        sender = guarded("Cloud Monitoring", {"job_name": "this one"}, lambda: _open_sender(options))
    if sender is None:
        options.enable_gcp_goodput_metrics = options.enable_gcp_step_deviation_metrics = False
    return sender


def _open_sender(options: GCPOptions) -> Optional[GCPMetrics]:
    try:
        import google.cloud.monitoring_v3  # noqa: F401
    except ImportError:
        return None  # only TensorBoard is wanted here
    options.project_id = options.project_id or goodput_utils.get_gcp_project_id()
    if options.project_id is None:
        return None
    options.location = options.location or goodput_utils.get_node_zone()
    options.acc_type = options.acc_type or goodput_utils.get_accelerator_type()
    return GCPMetrics(options.project_id) if options.location else None
