"""Stands in for ml_goodput_measurement.src.checkpoint_badput_calculator: how long checkpoints blocked training."""
import dataclasses
from typing import Any, Dict, List, Optional

from stepscope.goodput.ml_goodput.goodput import ask_entries

OPERATION_TYPE_SAVE = "save"
OPERATION_TYPE_RESTORE = "restore"
OPERATION_TYPE_EMERGENCY_RESTORE = "emergency_restore"
OPERATION_TYPE_LOCAL = "local"
OPERATION_TYPE_PERSISTENT = "persistent"
OPERATION_TYPE_PERSISTENT_AND_LOCAL = "persistent_and_local"

# Fields, and the part of a checkpoint in the accounting's table.
_SAVES = {"checkpoint_manager_blocking_time": "save: manager blocking",
          "checkpointer_blocking_time": "save: checkpointer blocking",
          "wait_for_prev_time": "save: wait for previous",
          "get_old_steps_time": "save: get old steps"}
_RESTORES = {"checkpoint_manager_time": "restore: manager",
             "restore_time": "restore: checkpointer",
             "broadcast_time": "restore: broadcast"}
_STATISTICS = ("total", "average", "minimum", "maximum", "standard_deviation")


def _statistics_class(name: str, parts: Dict[str, str], what: str) -> type:
    """Returns a dataclass of five statistics per part, all 0.0 by default."""
    fields = [("{}_{}".format(statistic, part), float, 0.0) for part in parts for statistic in _STATISTICS]
    return dataclasses.make_dataclass(name, fields, namespace={"__doc__": what, "__module__": __name__})


SaveCheckpointManagerVerticalStepStats = _statistics_class(
    "SaveCheckpointManagerVerticalStepStats", _SAVES, "Seconds that saves took, over the steps saved.")
RestoreCheckpointManagerVerticalStepStats = _statistics_class(
    "RestoreCheckpointManagerVerticalStepStats", _RESTORES, "Seconds that restores took, over the steps restored.")


@dataclasses.dataclass
class CheckpointLoggerOptions:
    """Where Orbax' entries are: the log `logger_name` of Cloud Logging, or CheckpointBadputCalculator.entries."""
    job_name: str = "checkpoint_job"
    logger_name: str = "checkpoint_logger"
    client: Any = None
    use_goodput_logger: bool = False


class CheckpointBadputCalculator:
    """Says how long checkpoints blocked training; the numbers come from Stepscope's accounting."""

    def __init__(self, options: Optional[CheckpointLoggerOptions] = None):
        """Needs google-cloud-logging unless `use_goodput_logger`."""
        self._options = options or CheckpointLoggerOptions()
        self.entries: List[Dict[str, Any]] = []
        self._logger = None if self._options.use_goodput_logger else self._open()

    def _open(self) -> Any:
        client = self._options.client
        if client is None:
            from google.cloud import logging
            client = logging.Client()
        return client.logger(self._options.logger_name)

    def read_entries(self) -> List[Dict[str, Any]]:
        """Returns the job's entries about checkpoints, oldest first."""
        if self._logger is None:
            return self.entries
        kinds = " OR ".join("jsonPayload.event_type=" + kind for kind in (
            OPERATION_TYPE_SAVE, OPERATION_TYPE_RESTORE, OPERATION_TYPE_EMERGENCY_RESTORE))
        asked = 'severity=INFO AND jsonPayload.job_name="{}" AND ({})'.format(self._options.job_name, kinds)
        return [entry.payload for entry in self._logger.list_entries(filter_=asked, order_by="timestamp asc",
                                                                     page_size=10_000)]

    def calculate_save_operation_checkpoint_manager_blocking_time(
            self, operation_type: str = OPERATION_TYPE_PERSISTENT_AND_LOCAL) -> Any:
        """Returns SaveCheckpointManagerVerticalStepStats of saves to disks of the job ("local"), to gs://
        ("persistent"), or both. Of a step saved several times the mean counts."""
        return self._statistics(SaveCheckpointManagerVerticalStepStats, _SAVES, operation_type)

    def calculate_restore_operation_checkpoint_manager_blocking_time(
            self, operation_type: str = OPERATION_TYPE_PERSISTENT_AND_LOCAL) -> Any:
        """Returns RestoreCheckpointManagerVerticalStepStats of emergency restores ("local"), other restores
        ("persistent"), or both."""
        return self._statistics(RestoreCheckpointManagerVerticalStepStats, _RESTORES, operation_type)

    def _statistics(self, kind: type, parts: Dict[str, str], operation_type: str) -> Any:
        self.entries = self.read_entries()
        tier = operation_type if operation_type in (OPERATION_TYPE_LOCAL, OPERATION_TYPE_PERSISTENT) else "any"

        def of(answer: Any) -> Any:
            values = [value for part in parts.values() for value in answer.checkpoint(tier, part)]
            return kind(*values)

        return ask_entries(self.entries, of, kind())
