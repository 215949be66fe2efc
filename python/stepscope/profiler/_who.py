"""Says which process of which job this is, as the goodput recorder does."""
import multiprocessing
import os
import re
import socket
from typing import Any, Dict, NamedTuple, Optional

from stepscope.goodput._launch import attempt_of, job_of_process, local_rank_of_process
from stepscope.goodput._launch import rank_of_process, world_size_of_process
from stepscope.integrations._process import place_of_framework


class Who(NamedTuple):
    """One process. None and "" stand for what nothing tells."""

    job: str
    attempt: str
    rank: Optional[int]
    local_rank: Optional[int]
    world_size: Optional[int]
    host: str
    pid: int

    @property
    def name(self) -> str:
        """A file's name for this process: "rank3", or "HOST_PID" where no rank is known."""
        if self.rank is not None:
            return "rank{}".format(self.rank)
        return "{}_{}".format(safe(self.host), self.pid)


def this_process(job: Optional[str] = None, rank: Optional[int] = None, world_size: Optional[int] = None) -> Who:
    """What is known now: what is given, then what the framework says, then what the launcher set."""
    own_rank, ranks = place_of_framework()
    if own_rank is None:
        own_rank, ranks = rank_of_process(), world_size_of_process()
    return Who(job_of_process(job), attempt_of(None), own_rank if rank is None else rank, local_rank_of_process(),
               ranks if world_size is None else world_size, socket.gethostname(), os.getpid())


def alone_or_same(who: Who) -> Who:
    """A process that no launcher, framework or parent made one of several is rank 0 of 1; others stay as they are."""
    told = who.rank is not None or who.world_size not in (None, 1)
    if told or multiprocessing.parent_process() is not None:
        return who
    return who._replace(rank=0, world_size=1)


def metadata_of(who: Who, window: int) -> Dict[str, Any]:
    """Members that a PyTorch trace gets where it lacks them. Their names are PyTorch's where it has one."""
    members: Dict[str, Any] = {}
    if who.rank is not None:
        members["distributedInfo"] = {"rank": who.rank}
        if who.world_size is not None:
            members["distributedInfo"]["world_size"] = who.world_size
    members["host_name"] = who.host
    if who.job:
        members["PT_PROFILER_JOB_NAME"] = who.job
    if who.attempt:
        members["PT_PROFILER_JOB_ATTEMPT_INDEX"] = who.attempt
    members["stepscope"] = {"job": who.job, "attempt": who.attempt, "host": who.host, "pid": who.pid, "window": window}
    return members


def safe(text: str, most: int = 60) -> str:
    """The text as a part of a file's name."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", text)[:most].lstrip(".") or "_"
