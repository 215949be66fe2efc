"""GoodputRecorder: ml-goodput-measurement's recorder, which writes into files, Cloud Logging or both."""
import datetime
from typing import Any, Optional, Union

from stepscope.goodput.ml_goodput._logs import logs_to_write

# Fields of entries.
_JOB_NAME = "job_name"
_STEP_COUNT = "step_count"
_STEP_START_TIME = "step_start_time"
_JOB_START_TIME = "job_start_time"
_JOB_END_TIME = "job_end_time"
_TPU_INIT_START_TIME = "tpu_init_start_time"
_TPU_INIT_END_TIME = "tpu_init_end_time"
_TRAINING_PREPARATION_START_TIME = "training_prep_start_time"
_TRAINING_PREPARATION_END_TIME = "training_prep_end_time"
_DATA_LOADING_START_TIME = "data_loading_start_time"
_DATA_LOADING_END_TIME = "data_loading_end_time"
_CUSTOM_BADPUT_EVENT_TYPE = "custom_badput_event_type"
_CUSTOM_BADPUT_EVENT_START_TIME = "custom_badput_event_start_time"
_CUSTOM_BADPUT_EVENT_END_TIME = "custom_badput_event_end_time"

When = Optional[Union[datetime.datetime, float]]


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


def _seconds(when: When) -> float:
    if when is None:
        when = _now()
    return when.timestamp() if isinstance(when, datetime.datetime) else float(when)


class GoodputRecorder:
    """Records events of a job. Times are datetimes or seconds since 1970; the default is the time of the call."""

    def __init__(self, job_name: str, logger_name: str, logging_enabled: bool = False, cloud_logger: Any = None, *,
                 background_grace_period_s: float = 5.0, background_batch_size: int = 100,
                 background_max_latency_s: float = 2.0):
        """Records nothing unless `logging_enabled`. Events go where STEPSCOPE_GOODPUT_LOG says: "files" of
        stepscope.goodput.Recorder, "cloud" (the log `logger_name` of Cloud Logging) or "both"."""
        self.job_name = job_name
        self._cloud_logger, self._files = cloud_logger if logging_enabled else None, None
        if logging_enabled and cloud_logger is None:
            self._cloud_logger, self._files = logs_to_write(
                job_name, logger_name, background_grace_period_s=background_grace_period_s,
                background_batch_size=background_batch_size, background_max_latency_s=background_max_latency_s)

    def _record(self, method: str, key: str, when: When, arguments: Optional[tuple] = None, **fields: Any) -> None:
        """Records an event at the time `when`. Files take it by `method` of stepscope.goodput.Recorder, with these
        arguments if `when` is not its only one; the cloud's entry has `fields`."""
        if self._files is not None:
            getattr(self._files, method)(*((when,) if arguments is None else arguments))
        if self._cloud_logger is not None:
            self._cloud_logger.write_cloud_logging_entry({_JOB_NAME: self.job_name, **fields, key: _seconds(when)})

    def flush(self) -> None:
        """Waits until all events are stored."""
        for log in (self._files, self._cloud_logger):
            if log is not None:
                log.flush()

    def record_step_start_time(self, step: int, start_time: When = None) -> None:
        """Records that a step begins, which ends the one before."""
        self._record("record_step_start_time", _STEP_START_TIME, start_time, (step, start_time),
                     step_count=int(step))

    def record_checkpoint_progress(self, step: int, checkpoint_start_time: When) -> None:
        """Records, in files, that a checkpoint up to `step` succeeded; the original records nothing."""
        if self._files is not None:
            self._files.record_checkpoint_progress(step, checkpoint_start_time)

    def record_job_start_time(self, start_time: When = None) -> None:
        """Records a start of the job, also after a disruption."""
        self._record("record_job_start_time", _JOB_START_TIME, start_time)

    def record_job_end_time(self, end_time: When = None) -> None:
        """Records the planned end of the job."""
        self._record("record_job_end_time", _JOB_END_TIME, end_time)

    def record_tpu_init_start_time(self, start_time: When = None) -> None:
        """Records that accelerators are set up."""
        self._record("record_tpu_init_start_time", _TPU_INIT_START_TIME, start_time)

    def record_tpu_init_end_time(self, end_time: When = None) -> None:
        """Records the end of it."""
        self._record("record_tpu_init_end_time", _TPU_INIT_END_TIME, end_time)

    def record_training_preparation_start_time(self, start_time: When = None) -> None:
        """Records that training is prepared: models, restored checkpoints."""
        self._record("record_training_preparation_start_time", _TRAINING_PREPARATION_START_TIME, start_time)

    def record_training_preparation_end_time(self, end_time: When = None) -> None:
        """Records the end of it."""
        self._record("record_training_preparation_end_time", _TRAINING_PREPARATION_END_TIME, end_time)

    def record_data_loading_start_time(self, start_time: When = None) -> None:
        """Records that the job loads data."""
        self._record("record_data_loading_start_time", _DATA_LOADING_START_TIME, start_time)

    def record_data_loading_end_time(self, end_time: When = None) -> None:
        """Records the end of it."""
        self._record("record_data_loading_end_time", _DATA_LOADING_END_TIME, end_time)

    def record_custom_badput_event_start_time(self, start_time: When = None,
                                              custom_badput_event_type: str = "unknown") -> None:
        """Records the start of something that blocks training, such as "eval"."""
        self._record("record_custom_badput_event_start_time", _CUSTOM_BADPUT_EVENT_START_TIME, start_time,
                     (start_time, custom_badput_event_type), custom_badput_event_type=custom_badput_event_type)

    def record_custom_badput_event_end_time(self, end_time: When = None,
                                            custom_badput_event_type: str = "unknown") -> None:
        """Records the end of it."""
        self._record("record_custom_badput_event_end_time", _CUSTOM_BADPUT_EVENT_END_TIME, end_time,
                     (end_time, custom_badput_event_type), custom_badput_event_type=custom_badput_event_type)
