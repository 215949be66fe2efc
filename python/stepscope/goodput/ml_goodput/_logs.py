"""Decides where a job's events are: in files, in Google's Cloud Logging, or both."""
import logging
import os
from typing import Any, Optional, Tuple

from stepscope.goodput.ml_goodput._cloud_log import CloudLogger
from stepscope.goodput.recorder import Recorder

_CHOICES = ("files", "cloud", "both")
_log = logging.getLogger(__name__)
_refused: Any = None  # the client class that found no credentials


def choice() -> Optional[str]:
    """Returns what STEPSCOPE_GOODPUT_LOG says: "files", "cloud" or "both". Without it STEPSCOPE_GOODPUT_DIR means
    files. None: neither is set, so it is the cloud where there is one.

    Raises ValueError if it says something else.
    """
    said = os.environ.get("STEPSCOPE_GOODPUT_LOG")
    if said and said not in _CHOICES:
        raise ValueError("STEPSCOPE_GOODPUT_LOG={!r}: set it to one of {}".format(said, ", ".join(_CHOICES)))
    return said or ("files" if os.environ.get("STEPSCOPE_GOODPUT_DIR") else None)


def logs_to_write(job: str, log_name: str, **options: float) -> Tuple[Optional[CloudLogger], Optional[Recorder]]:
    """Returns the cloud's log and the files that take the events of `job`: one of them, or both."""
    cloud = _cloud(choice(), job, log_name, **options)
    return cloud, None if cloud is not None and choice() != "both" else Recorder(job)


def log_to_read(job: str, log_name: str, **options: Any) -> Optional[CloudLogger]:
    """Returns the cloud's log of `job`; None: its events are in files."""
    return _cloud("files" if choice() == "both" else choice(), job, log_name, **options)


def _cloud(where: Optional[str], job: str, log_name: str, **options: Any) -> Optional[CloudLogger]:
    if where == "files":
        return None
    if where is not None:
        return CloudLogger(job, log_name, **options)
    return _cloud_if_there_is_one(job, log_name, **options)


def _cloud_if_there_is_one(job: str, log_name: str, **options: Any) -> Optional[CloudLogger]:
    global _refused
    try:
        from google.cloud import logging as cloud
    except ImportError:
        return None
    if cloud.Client is _refused:
        return None
    try:
        return CloudLogger(job, log_name, **options)
    except Exception as error:  # no credentials, no project
        _refused = cloud.Client
        _log.warning("goodput: events are in files, since Cloud Logging refuses (%s). STEPSCOPE_GOODPUT_LOG=files "
                     "does not ask it.", error)
        return None
