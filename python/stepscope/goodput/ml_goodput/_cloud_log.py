"""The job's log in Google's Cloud Logging, by google-cloud-logging.

Entries are written by a thread of that library in batches, and read in the order in which they arrived there.
"""
import datetime
import functools
import logging
from typing import Any, Dict, List, Optional, Tuple

DEFAULT_RETENTION = datetime.timedelta(days=7)
_PAGE_SIZE = 1_000_000
_BEFORE_START = datetime.timedelta(seconds=10)

Entry = Dict[str, Any]
Position = Tuple[Optional[datetime.datetime], Optional[str]]  # of the last entry read: its time and id


def _utc(when: datetime.datetime) -> datetime.datetime:
    return when.replace(tzinfo=datetime.timezone.utc) if when.tzinfo is None else when


class CloudLogger:
    """Writes and reads the entries of one job."""

    def __init__(self, job_name: str, log_name: str,
                 max_logs_retention_period: Optional[datetime.timedelta] = None, *,
                 background_grace_period_s: float = 5.0, background_batch_size: int = 100,
                 background_max_latency_s: float = 2.0):
        """Raises ImportError without google-cloud-logging, and that library's errors without credentials.

        Args:
          max_logs_retention_period: how old the oldest entries read may be; 7 days by default.
          background_grace_period_s: how long the end of the program waits for entries not yet sent.
          background_batch_size, background_max_latency_s: entries are sent by so many, or so long after the
            first of them.
        """
        import google.cloud.logging
        from google.cloud.logging_v2.handlers import CloudLoggingHandler
        from google.cloud.logging_v2.handlers.transports import BackgroundThreadTransport

        client = google.cloud.logging.Client()
        self.job_name = job_name
        self.log_name = log_name
        self.project_id = client.project
        self.logger = client.logger(log_name)
        self.job_start_time: Optional[datetime.datetime] = None
        self.retention_period = max_logs_retention_period or DEFAULT_RETENTION
        self._async_handler = CloudLoggingHandler(client, name=log_name, transport=functools.partial(
            BackgroundThreadTransport, grace_period=background_grace_period_s,
            batch_size=background_batch_size, max_latency=background_max_latency_s))
        # Not getLogger(): loggers of one name would share handlers, and each entry would be sent twice.
        self._async_logger = logging.Logger("stepscope.goodput." + log_name, logging.INFO)
        self._async_logger.propagate = False
        self._async_logger.addHandler(self._async_handler)

    def write_cloud_logging_entry(self, entry: Optional[Entry]) -> None:
        """Queues an entry of this job; others are left out."""
        if entry is not None and entry["job_name"] == self.job_name:
            self._async_logger.info(entry)

    def flush(self) -> None:
        """Waits until all entries have been sent."""
        self._async_handler.flush()

    def read_cloud_logging_entries(self, start_time: Optional[datetime.datetime] = None,
                                   end_time: Optional[datetime.datetime] = None,
                                   last_entry_info: Optional[Position] = None) -> Tuple[List[Entry], Position]:
        """Returns the entries after `last_entry_info`, or else after `start_time`, up to `end_time`; and the
        position of the last one, (None, None) if there is none."""
        import google.cloud.logging
        read = list(self.logger.list_entries(filter_=self._get_filter_msg(start_time, end_time, last_entry_info),
                                             order_by=google.cloud.logging.ASCENDING, page_size=_PAGE_SIZE))
        if read and last_entry_info and (read[0].timestamp, read[0].insert_id) == tuple(last_entry_info):
            del read[0]
        entries = [one.payload for one in read]
        self._keep_start(entries)
        return entries, (read[-1].timestamp, read[-1].insert_id) if read else (None, None)

    def _keep_start(self, entries: List[Entry]) -> None:
        if self.job_start_time is None:
            start = next((entry["job_start_time"] for entry in entries if "job_start_time" in entry), None)
            if start is not None:
                self.job_start_time = datetime.datetime.fromtimestamp(start, datetime.timezone.utc)

    def _get_filter_msg(self, start_time: Optional[datetime.datetime], end_time: Optional[datetime.datetime],
                        last_entry_info: Optional[Position] = None) -> str:
        end = _utc(end_time or datetime.datetime.now(datetime.timezone.utc))
        of_log = 'logName="projects/{}/logs/{}"'.format(self.project_id, self.log_name)
        return " AND ".join(filter(None, [
            of_log if self.project_id else "",
            "severity=INFO",
            'jsonPayload.job_name="{}"'.format(self.job_name),
            'timestamp<="{}"'.format(end.isoformat()),
            self._after(start_time, end, last_entry_info)]))

    def _after(self, start: Optional[datetime.datetime], end: datetime.datetime,
               last: Optional[Position]) -> str:
        """Returns the part of the filter that leaves out what is older."""
        since, known = last if last else (start, None)
        if since is None:
            since = self.job_start_time - _BEFORE_START if self.job_start_time else end - self.retention_period
        since_text = _utc(since).isoformat()
        if not known:
            return 'timestamp>"{}"'.format(since_text)
        return '(timestamp>"{0}" OR (timestamp="{0}" AND insertId>"{1}"))'.format(since_text, known)
