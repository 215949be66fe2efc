"""Condenses the traces of a job on many machines; stepscope.open() then reads the partials as it reads traces.

A shard is every N-th trace, in the order of their names, and writes one file. It may be mapped twice, or again after its
process was killed: the file appears when it is complete, and what is there of the same traces is left as it is.
"""
from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable

from . import _core
from .errors import InputError, MissingLibrary, QuestionError
from .report import Reports
from .run import Input, open as open_run, resolved

if TYPE_CHECKING:
    from .run import Path as AnyPath


def map_ranks(paths: Input | Iterable[Input], out: AnyPath, *, shard: tuple[int, int] = (0, 1),
              threads: int = 0) -> Reports:
    """Writes the partials of one shard of the traces into the directory `out`; says what it wrote.

    shard: (3, 16) is the fourth of 16. For engines of your own: call it for each shard, anywhere, any number of times.

        stepscope.map_ranks("traces/", "part/", shard=(3, 16))
        stepscope.open("part/").summary()

    Raises InputError where no trace of the shard can be read.
    """
    index, count = shard
    if not 0 <= index < count:
        raise QuestionError(f"there is no shard {index} of {count}", "`shard`", "shards are numbered from 0")
    return Reports(_core.map_shard(_absolute(paths), os.fsencode(os.path.abspath(out)), index, count, threads))


def ray_map(paths: Input | Iterable[Input], out: AnyPath, *, shards: int | None = None, retries: int = 3,
            threads: int = 1, **options: Any) -> Reports:
    """Maps the traces as tasks of Ray, and returns the first screen of all ranks.

    paths, out: on storage that all workers see. shards: by default one for 8 traces, at most 256. retries: of a shard
    whose worker died. threads: of each task, which then needs as many of Ray's CPUs. options: more of Ray's own for
    tasks, such as resources or scheduling_strategy. Ray is the one that is running (ray.init()), or a new one here.

        reports = stepscope.ray_map("/shared/traces", "/shared/part")
        run = stepscope.open("/shared/part")         # any other question

    Raises InputError where shards are missing at the end: the same call maps these alone. MissingLibrary without Ray.
    """
    ray = _imported_ray()
    found, folder = _absolute(paths), os.path.abspath(out)
    count = _number_of_shards(found, shards)
    _check_folder(folder, count)
    task = ray.remote(_map_shard).options(max_retries=retries, num_cpus=threads, **options)
    tasks = [task.remote(found, folder, index, count, threads) for index in range(count)]
    failed = {index: error for index, error in enumerate(_error_of(ray, one) for one in tasks) if error is not None}
    if failed:
        first = next(iter(failed.values()))
        raise InputError(f"{len(failed)} of {count} shards are missing: {', '.join(map(str, failed))}", folder,
                         f"the same call maps these alone. The first failed with: {_last_line(first)}")
    with open_run(folder, progress=False) as run:
        return run.summary()


def _map_shard(paths: list[bytes], folder: str, index: int, count: int, threads: int) -> None:
    _core.map_shard(paths, os.fsencode(folder), index, count, threads)


def _error_of(ray: Any, task: Any) -> Exception | None:
    """Waits for the task. All are waited for: what one shard lacks, others do not."""
    try:
        ray.get(task)
    except ray.exceptions.RayError as error:
        return error
    return None


def _last_line(error: Exception) -> str:
    cause = getattr(error, "cause", None) or error
    return getattr(cause, "what", None) or str(cause).strip().splitlines()[-1]


def _imported_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingLibrary("Ray is not installed", "", "pip install ray") from error
    return ray


def _absolute(paths: Input | Iterable[Input]) -> list[bytes]:
    """As workers find them, whose directory is another one."""
    found, storage = resolved(paths)
    if storage is not None:
        raise QuestionError("traces are mapped from paths alone", "`paths`", "mount the storage, or copy them")
    return [os.fsencode(os.path.abspath(path)) for path in found]


def _number_of_shards(paths: list[bytes], shards: int | None) -> int:
    traces = _core.count_traces(paths)
    if shards is None:
        return min(-(-traces // _core.traces_per_shard), _core.most_shards)
    if not 1 <= shards <= traces:
        raise QuestionError(f"there are {traces} traces for {shards} shards", "`shards`",
                            "use at most as many shards as there are traces")
    return shards


def _check_folder(folder: str, count: int) -> None:
    """Shards of two numbers hold ranks twice."""
    pattern = re.compile(r"shard-\d+-of-(\d+)\.ranks\.parquet")
    names = [pattern.fullmatch(path.name) for path in Path(folder).glob("shard-*")]
    others = {int(name[1]) for name in names if name} - {count}
    if others:
        raise QuestionError(f"the directory has partials of {others.pop()} shards, not of {count}", folder,
                            "choose another directory, or the same number of shards")
