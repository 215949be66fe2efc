"""Asks Stepscope's accounting for the numbers of ml-goodput-measurement, and gives them its names."""
from typing import Any, Dict, Mapping, Optional, Tuple

from stepscope.goodput._binary import analyze_goodput
from stepscope.goodput.ml_goodput.goodput_utils import ELASTIC_BADPUT, BadputType, StepInfo, TypedTimes
from stepscope.goodput.reports import words_of

_CUSTOM = BadputType.CUSTOM_BADPUT_EVENTS
_RAISES = "the library raises "


class Answer:
    """What the accounting says of a job. Times are in seconds."""

    def __init__(self, said: Mapping[str, Any]):
        self._why: str = said["why"]
        self._metrics: Dict[str, Any] = {metric["key"]: metric["value"] for metric in said["metrics"]}
        self._tables: Dict[str, Any] = {table["key"]: table["rows"] for table in said["tables"]}

    def check(self) -> "Answer":
        """Raises ValueError if there is no goodput; returns itself."""
        if "goodput_ratio" not in self._metrics:
            kind, _, why = self._why.replace(_RAISES, "", 1).partition(": ")
            raise ValueError(why if kind in ("ValueError", "TypeError") else self._why)
        return self

    def _seconds(self, key: str) -> float:
        return (self._metrics.get(key) or 0) / 1e9

    @property
    def productive(self) -> float:
        return self._seconds("productive")

    @property
    def total(self) -> float:
        return self._seconds("total")

    @property
    def excluded(self) -> float:
        return self._seconds("excluded")

    @property
    def disruptions(self) -> int:
        return self._metrics["disruptions"]

    @property
    def max_productive_step(self) -> int:
        return self._metrics["max_productive_step"] or 0

    @property
    def last_step(self) -> int:
        return self._metrics["last_step"] or 0

    @property
    def goodput(self) -> float:
        """Percent."""
        return self.productive / self.total * 100 if self.total else 0.0

    @property
    def slices(self) -> Optional[Tuple[float, float]]:
        """The mean shares of active and available slices, if the log tells of slices."""
        active = self._metrics.get("active_slices")
        return None if active is None else (active, self._metrics["available_slices"])

    @property
    def steps(self) -> Optional[StepInfo]:
        """What is usual for steps, and how far each was from it."""
        ideal, rows = self._metrics.get("ideal_step_time"), self._tables.get("step_deviation")
        return StepInfo(ideal / 1e9, {row[0]: row[1] / 1e9 for row in rows}) if ideal and rows else None

    @property
    def step_times(self) -> Dict[int, float]:
        """The time from each step's start to the next one's."""
        return {row[0]: row[2] / 1e9 for row in self._tables.get("step_deviation", ())}

    def badput(self) -> TypedTimes:
        """Returns seconds by type."""
        times: TypedTimes = {_CUSTOM: {}}
        for name, time, *_ in self._tables.get("buckets", ()):
            kind, _, custom = name.partition(".")
            if custom:
                times[_CUSTOM][custom] = time / 1e9
            else:
                times[BadputType[kind]] = time / 1e9
        return times

    def badput_percent(self, elastic: bool) -> TypedTimes:
        """Returns percent of the total time by type; those of slices are there if `elastic`."""
        shares: TypedTimes = dict.fromkeys(ELASTIC_BADPUT, 0.0) if elastic else {}
        for kind, time in self.badput().items():
            if isinstance(time, dict):
                shares[kind] = {name: self._percent(part) for name, part in time.items()}
            else:
                shares[kind] = self._percent(time)
        return shares

    def _percent(self, time: float) -> float:
        return time / self.total * 100 if 0 < time < self.total else 0.0

    def checkpoint(self, tier: str, part: str) -> Tuple[float, ...]:
        """Returns total, mean, least, most and deviation of a part of checkpoints, such as "save: manager
        blocking", of the tier "local", "persistent", or "any" of them."""
        rows = {row[0]: row[1:6] for row in self._tables.get("checkpoints", ())}
        tiers = ("any", "local", "persistent") if tier == "any" else (tier,)
        found = next((rows[t + " " + part] for t in tiers if t + " " + part in rows), (0,) * 5)
        return tuple(value / 1e9 for value in found)


def ask(events: Any, **options: Any) -> Answer:
    """Returns what the accounting says of `events`; they and the options are those of report().

    The program is asked, not the extension: a training job, in which monitors ask, has neither in memory then. Raises
    ValueError if there are no events.
    """
    with words_of(events, dict(options, mode="ml-goodput")) as words:
        said = analyze_goodput(words)
    return Answer(next(one for one in said["reports"] if one["analysis"] == "goodput"))
