"""Which steps are recorded: a window of them, once or again and again."""
from typing import Optional


class Windows:
    """The steps of `steps`, and with `every` the same ones again after so many.

        Windows(range(10, 15), every=1000)   # 10..14, 1010..1014, ...
    """

    def __init__(self, steps: range, every: Optional[int] = None) -> None:
        if not isinstance(steps, range) or steps.step != 1 or not steps or steps.start < 0:
            raise ValueError("cannot record the steps {!r}: give a range such as range(10, 15)".format(steps))
        if every is not None and every < len(steps) + 2:
            raise ValueError("cannot record {} steps of every {}: give every={} or more".format(
                len(steps), every, len(steps) + 2))
        self.first, self.length, self.every = steps.start, len(steps), every

    def place(self, step: int) -> Optional[int]:
        """Where a step is in its window, counted from 0; -1 for the step before one, None outside."""
        at = step - self.first
        if self.every is not None and at >= self.length:
            at = (at + 1) % self.every - 1
        return at if -1 <= at < self.length else None
