"""Condenses the traces of a job on many machines; stepscope.open() then reads the partials as it reads traces.

A shard is every N-th trace, in the order of their names, and writes one file. It may be mapped twice, or again after its
process was killed: the file appears when it is complete, and what is there of the same traces is left as it is.
"""
from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping

from . import _core
from .errors import InputError, MissingLibrary, QuestionError
from .report import Reports
from .run import Input, given_paths, is_url, open as open_run, resolved, text_of

if TYPE_CHECKING:
    from .run import Path as AnyPath


def map_ranks(paths: Input | Iterable[Input], out: AnyPath, *, shard: tuple[int, int] = (0, 1),
              threads: int = 0, storage_options: Mapping[str, Any] | None = None) -> Reports:
    """Writes the partials of one shard of the traces into the directory `out`; says what it wrote.

    paths: paths, globs and URLs as open() takes them; no objects. shard: (3, 16) is the fourth of 16. For engines of your
    own: call it for each shard, anywhere, any number of times. storage_options: of the URLs' file system.

        stepscope.map_ranks("traces/", "part/", shard=(3, 16))
        stepscope.map_ranks("s3://bucket/run/*.json.gz", "part/", shard=(3, 16))
        stepscope.open("part/").summary()

    Raises InputError where no trace of the shard can be read.
    """
    index, count = shard
    if not 0 <= index < count:
        raise QuestionError(f"there is no shard {index} of {count}", "`shard`", "shards are numbered from 0")
    return _map_shard(_absolute(paths), _place_of(out), index, count, threads, storage_options)


def _place_of(out: AnyPath) -> str:
    """Of a URL, which nothing is written to, the URL: the error then names it."""
    name = os.fspath(out)
    return name if "://" in name else os.path.abspath(name)


def ray_map(paths: Input | Iterable[Input], out: AnyPath, *, shards: int | None = None, retries: int = 3,
            threads: int = 1, storage_options: Mapping[str, Any] | None = None, **options: Any) -> Reports:
    """Maps the traces as tasks of Ray, and returns the first screen of all ranks.

    paths, out: on storage that all workers see; paths may be URLs, whose file system has storage_options. shards: by default one for 8 traces, at most 256. retries: of a shard
    whose worker died. threads: of each task, which then needs as many of Ray's CPUs. options: more of Ray's own for
    tasks, such as resources or scheduling_strategy. Ray is the one that is running (ray.init()), or a new one here.

        reports = stepscope.ray_map("/shared/traces", "/shared/part")
        run = stepscope.open("/shared/part")         # any other question

    Raises InputError where shards are missing at the end: the same call maps these alone. MissingLibrary without Ray.
    """
    ray = _imported_ray()
    found, folder = _absolute(paths), _place_of(out)
    count = _number_of_shards(found, shards, storage_options)
    _check_folder(folder, count)
    task = ray.remote(_map_task).options(max_retries=retries, num_cpus=threads, **options)
    tasks = [task.remote(found, folder, index, count, threads, storage_options) for index in range(count)]
    failed = {index: error for index, error in enumerate(_error_of(ray, one) for one in tasks) if error is not None}
    if failed:
        first = next(iter(failed.values()))
        raise InputError(f"{len(failed)} of {count} shards are missing: {', '.join(map(str, failed))}", folder,
                         f"the same call maps these alone. The first failed with: {_last_line(first)}")
    with open_run(folder, progress=False) as run:
        return run.summary()


def _map_task(paths: list[str], folder: str, index: int, count: int, threads: int,
              storage_options: Mapping[str, Any] | None) -> None:
    _map_shard(paths, folder, index, count, threads, storage_options)


def _map_shard(paths: list[str], folder: str, index: int, count: int, threads: int,
               storage_options: Mapping[str, Any] | None) -> Reports:
    names, storage = resolved(paths, storage_options)
    return Reports(_core.map_shard(list(map(os.fsencode, names)), os.fsencode(folder), index, count, threads, storage))


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


def _absolute(paths: Input | Iterable[Input]) -> list[str]:
    """As workers find them, whose directory is another one. URLs stay as they are: each worker lists them."""
    absolute: list[str] = []
    for one in given_paths(paths):
        if hasattr(one, "read"):
            raise QuestionError("objects are not mapped: other processes cannot read them", "`paths`",
                                "give paths or URLs")
        text = text_of(one)
        absolute += [text] if is_url(text) else map(os.path.abspath, resolved(text)[0])
    return absolute


def _number_of_shards(paths: list[str], shards: int | None, storage_options: Mapping[str, Any] | None) -> int:
    names, storage = resolved(paths, storage_options)
    traces = _core.count_traces(list(map(os.fsencode, names)), storage)
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
