"""Compares two runs, and asks what changes of a job would be worth."""
from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial
from typing import Any, Iterable, Mapping, Union

from . import _core
from ._asking import Ranks, Steps, ranks_of, steps_text
from .errors import InputError
from .report import Report, Reports
from .run import Input, Run, letting_through, opened, resolved

Side = Union[Run, Input, Iterable[Input]]


def compare(a: Side, b: Side, *, steps: Steps = "all", steps_before: Steps = None, steps_after: Steps = None,
            ranks: Ranks = None, ranks_before: Ranks = None, ranks_after: Ranks = None, short_names: bool = False,
            threads: int = 0, storage_options: Mapping[str, Any] | None = None) -> Reports:
    """Compares the run `b`, after a change, with the run `a`, before it: each an open run, or paths as for open().

    The report "compare" says what changed; the others have each number X of their analysis as X_a, X_b, X_change and
    X_change_ratio. Two steps or ranks of one run are compared with steps_before and steps_after, or ranks_before and
    ranks_after. Where runs have different ranks, those that both have are compared. short_names: kernels are the same
    without template arguments and parameters. storage_options: of URLs, as for open().

        stepscope.compare("before/", "after/")["compare"].df("kernels")
        stepscope.compare(run, run, steps_before=10, steps_after=25)

    Raises what open() and Run.analyze() raise.
    """
    sides = ((a, steps_before, ranks_before), (b, steps_after, ranks_after))
    with ExitStack() as closing:
        asked = [(_opened(side, threads, storage_options, closing), steps_text(steps if own is None else own),
                  ranks_of(ranks if own_ranks is None else own_ranks)) for side, own, own_ranks in sides]
        before, after = (partial(_answer, *question) for question in asked)
        answer = _core.compare(before, after, any(chosen for _, _, chosen in asked), short_names)
        return Reports(answer, extent="screen")


def _opened(side: Side, threads: int, storage_options: Any, closing: ExitStack) -> Run:
    if isinstance(side, Run):
        return side
    return closing.enter_context(opened(*resolved(side, storage_options), threads=threads))


def _answer(run: Run, steps: str, chosen: list[int], ranks: list[int]) -> Any:
    return run.analyze(_core.compared_analyses(), steps=steps, ranks=ranks or chosen)._core


def whatif(job: Side, changes: str | Iterable[str] = (), *, stragglers: bool = False, steps: Steps = "all",
           ranks: Ranks = None, threads: int = 0, storage_options: Mapping[str, Any] | None = None) -> Report:
    """Replays a job with changes, and says what each is worth; without changes, what would be worth most.

    job: an open run, paths as for open(), or a Parquet file of a job's operations. changes: such as "rank 9: all =
    median of ranks" or "link: x2"; stepscope.explain("whatif") lists all. stragglers: what they cost instead.

        stepscope.whatif("traces/", ["kernel *gemm*: x0.7", "link: x2"]).df()

    Raises what open() and Run.report() raise.
    """
    wanted = [changes] if isinstance(changes, str) else list(changes)
    paths, storage = (job._paths, job._storage) if isinstance(job, Run) else resolved(job, storage_options)
    are_operations = not isinstance(job, Run) and all(path.endswith(".parquet") for path in paths)
    if are_operations and storage is not None:
        raise InputError("operations are read from files of this machine", ", ".join(paths), "copy the file here")
    if stragglers or (not wanted and are_operations):
        with letting_through(storage):
            answer = _core.whatif_stragglers([os.fsencode(path) for path in paths], storage, threads)
        return next(iter(Reports(answer).values()))
    with ExitStack() as closing:
        params = {"whatif.set": "; ".join(wanted)} if wanted else None
        run = job if isinstance(job, Run) else closing.enter_context(opened(paths, storage, threads=threads))
        return run.report("whatif", steps=steps, ranks=ranks, params=params)
