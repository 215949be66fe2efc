"""Stands in for ml_goodput_measurement.src.goodput_cache: what a calculator has read of a cloud log.

The entries are kept in a file of this calculator alone, which the accounting reads, and which a copy in
Google's Cloud Storage outlives: a calculator that begins later on another machine continues from the copy.
"""
import datetime
import itertools
import json
import logging
import os
import weakref
from typing import Any, Dict, List, Optional, Tuple

from stepscope.goodput.ml_goodput.goodput_utils import GoodputInfo, StepInfo

Entry = Dict[str, Any]
_numbers = itertools.count()
_log = logging.getLogger(__name__)


def _time(seconds: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)


class GoodputCache:
    """The entries read so far, the position up to which the log was read, and the last answers."""

    def __init__(self, job_name: str, cache_dir: str = "/tmp", gcs_path: Optional[str] = None):
        """`gcs_path`: a gs:// folder with a copy, or to make one in; others are ignored."""
        self._job_name = job_name
        self._cache_dir = cache_dir
        self._gcs_path = gcs_path
        name = "{}_{}_{}".format(job_name.replace("/", "_"), os.getpid(), next(_numbers))
        self._local_timeline_path = os.path.join(cache_dir, name + "_timeline.jsonl")
        self._forget()
        weakref.finalize(self, _remove, self._local_timeline_path, os.getpid())
        self._restore_from_gcs()

    def _forget(self) -> None:
        self._last_entry_info: Optional[Tuple[Any, Any]] = None
        self._job_start_time: Optional[datetime.datetime] = None
        self._job_end_time: Optional[datetime.datetime] = None
        self._step_info: Optional[StepInfo] = None
        self._goodput_info: Optional[GoodputInfo] = None

    def update_cached_entries(self, entries: List[Entry], last_entry_info: Optional[Tuple[Any, Any]]) -> None:
        """Appends entries, and keeps the position of the last one."""
        if entries:
            os.makedirs(self._cache_dir, exist_ok=True)
            with open(self._local_timeline_path, "a", encoding="utf-8") as file:
                file.writelines(json.dumps(entry) + "\n" for entry in entries)
            self._keep_times(entries)
        if last_entry_info and last_entry_info[0] is not None:
            self.update_last_entry_info(last_entry_info)

    def _keep_times(self, entries: List[Entry]) -> None:
        for entry in entries:
            if "job_start_time" in entry and self._job_start_time is None:
                self._job_start_time = _time(entry["job_start_time"])
            if "job_end_time" in entry:
                self._job_end_time = _time(entry["job_end_time"])

    def get_cached_entries(self) -> List[Entry]:
        """Returns all entries."""
        if self.is_cache_empty():
            return []
        with open(self._local_timeline_path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def get_step_entries(self) -> List[Entry]:
        """Returns the starts of steps."""
        return [entry for entry in self.get_cached_entries() if "step_start_time" in entry]

    def is_cache_empty(self) -> bool:
        """Returns whether there are no entries."""
        return not os.path.exists(self._local_timeline_path)

    def clear_cache(self) -> None:
        """Forgets all, and removes the file."""
        _remove(self._local_timeline_path)
        self._forget()

    def update_last_entry_info(self, last_entry_info: Tuple[Any, Any]) -> None:
        """Keeps the position up to which the log was read."""
        self._last_entry_info = last_entry_info

    def update_step_info(self, step_info: StepInfo) -> None:
        """Keeps an answer about steps."""
        self._step_info = step_info

    def update_goodput_info(self, goodput_info: GoodputInfo) -> None:
        """Keeps an answer about the job."""
        self._goodput_info = goodput_info

    def get_last_entry_info(self) -> Optional[Tuple[Any, Any]]:
        """Returns the time and the id of the last entry read."""
        return self._last_entry_info

    def get_step_info(self) -> Optional[StepInfo]:
        """Returns the last answer about steps."""
        return self._step_info

    def get_goodput_info(self) -> Optional[GoodputInfo]:
        """Returns the last answer about the job."""
        return self._goodput_info

    def get_job_start_time(self) -> Optional[datetime.datetime]:
        """Returns the first start of the job."""
        return self._job_start_time

    def get_job_end_time(self) -> Optional[datetime.datetime]:
        """Returns the last end of the job."""
        return self._job_end_time

    def sync_to_gcs(self) -> None:
        """Copies the entries and the position to Cloud Storage; what fails is logged."""
        if self.is_cache_empty() or self._last_entry_info is None or not self._in_gcs():
            return
        try:
            timeline, metadata = self._blobs()
            # The position last: without it a reader would begin after entries that it does not have.
            timeline.upload_from_filename(self._local_timeline_path)
            since, known = self._last_entry_info
            metadata.upload_from_string(json.dumps({"last_entry_timestamp": since.isoformat(),
                                                    "last_entry_id": known}))
        except Exception as error:
            _log.warning("goodput: no copy of the log in %s: %s", self._gcs_path, error)

    def _in_gcs(self) -> bool:
        return bool(self._gcs_path and self._gcs_path.startswith("gs://"))

    def _blobs(self) -> Tuple[Any, Any]:
        from google.cloud import storage
        bucket, _, folder = self._gcs_path[len("gs://"):].partition("/")
        of_job = os.path.join(folder, "goodput_cache", self._job_name)
        bucket = storage.Client().bucket(bucket)
        return bucket.blob(of_job + "_timeline.jsonl"), bucket.blob(of_job + "_metadata.json")

    def _restore_from_gcs(self) -> None:
        """Begins with the copy, if there is one; without it everything is read from the log again."""
        if not self._in_gcs():
            return
        try:
            timeline, metadata = self._blobs()
            if not (timeline.exists() and metadata.exists()):
                return
            position = json.loads(metadata.download_as_bytes())
            os.makedirs(self._cache_dir, exist_ok=True)
            timeline.download_to_filename(self._local_timeline_path)
            self._keep_times(self.get_cached_entries())
            since = datetime.datetime.fromisoformat(position["last_entry_timestamp"].replace("Z", "+00:00"))
            self._last_entry_info = since, position["last_entry_id"]
        except Exception as error:
            _log.warning("goodput: the copy of the log in %s is not used: %s", self._gcs_path, error)
            self.clear_cache()


def _remove(path: str, of_process: Optional[int] = None) -> None:
    """Removes a file, but not the one of a process that this one was forked from."""
    if of_process in (None, os.getpid()) and os.path.exists(path):
        os.unlink(path)
