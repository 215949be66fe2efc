"""What an analysis of one's own may ask about the run."""
from __future__ import annotations

from functools import partial
from typing import Any, Iterable

from .events import Events, chosen
from .report import Report, Reports
from ._asking import Steps, params_of, ranks_of


class Context:
    """The run, as an analysis of one's own sees it for one question. It ends with the function.

        def late_kernels(ctx):
            for rank in ctx.ranks:
                events = ctx.events(rank, ["name", "start", "launch"], kind="kernel").df()
            steps = ctx.report("steps").df()
    """

    def __init__(self, view: Any) -> None:
        self._view = view

    @property
    def name(self) -> str:
        """What a person would call the run."""
        return self._view.name()

    @property
    def ranks(self) -> list[int]:
        """The ranks that the question is about, ascending."""
        return self._view.ranks()

    @property
    def steps(self) -> str:
        """The steps that the question is about: "all", "complete", "3..7"."""
        return self._view.steps()

    def events(self, rank: int, columns: Iterable[str] | None = None, kind: str | Iterable[str] | None = None,
               step: Steps = None) -> Events:
        """Events of a rank as columns, as Run.events() has them; only of the steps that the question is about."""
        (rank,) = ranks_of(rank, "`rank`")
        return chosen([partial(self._view.events, rank)], columns, kind, step, step_exists=False)

    def report(self, name: str, **params: Any) -> Report:
        """What an analysis of the package says about the same ranks and steps, before findings of all are joined.

        Raises QuestionError for a name or parameter that there is none of, and for another analysis of one's own.
        """
        return next(iter(Reports(self._view.report(name, params_of(params))).values()))
