"""Stands in for ml_goodput_measurement.src.exclusion_utils: times that a query leaves out."""
import datetime
import logging
from typing import List, Sequence, Tuple

Interval = Tuple[datetime.datetime, datetime.datetime]


def normalize_intervals(intervals: Sequence[Interval]) -> List[Tuple[float, float]]:
    """Returns the intervals in seconds since 1970, ordered, joined where they touch. Those that are not in UTC or
    do not end after they begin are left out with a warning."""
    joined: List[Tuple[float, float]] = []
    for start, end in sorted((s.timestamp(), e.timestamp()) for s, e in intervals if _usable(s, e)):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _usable(start: datetime.datetime, end: datetime.datetime) -> bool:
    utc = datetime.timezone.utc
    why = ("it is not in UTC" if start.tzinfo != utc or end.tzinfo != utc
           else "it does not end after it begins" if start >= end else "")
    if why:
        logging.warning("goodput: left out the exclusion [%s, %s]: %s", start, end, why)
    return not why


def get_exclusion_overlap(start: float, end: float, exclusions: Sequence[Tuple[float, float]]) -> float:
    """Returns how much of [start, end] the exclusions cover, in seconds."""
    return sum(max(0.0, min(end, to) - max(start, since)) for since, to in exclusions)
