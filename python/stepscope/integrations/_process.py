"""Says which rank this process is and when it began."""
import os
import sys
import time
from typing import Optional, Tuple


def rank_of_framework() -> Optional[int]:
    """Returns the rank that torch.distributed or jax.distributed gave; None if neither is set up. Imports nothing."""
    return place_of_framework()[0]


def place_of_framework() -> Tuple[Optional[int], Optional[int]]:
    """Returns the rank and the number of ranks, as `rank_of_framework` has them."""
    for place_of in (_place_of_torch, _place_of_jax):
        try:
            rank, ranks = place_of()
        except Exception:  # a library in the middle of its import, or another version of it
            continue
        if rank is not None:
            return rank, ranks
    return None, None


def _place_of_torch() -> Tuple[Optional[int], Optional[int]]:
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None, None
    return distributed.get_rank(), distributed.get_world_size()


def _place_of_jax() -> Tuple[Optional[int], Optional[int]]:
    jax = sys.modules.get("jax")
    # process_index() alone would choose the devices, which the program may not have configured yet.
    if jax is None or not jax.distributed.is_initialized():
        return None, None
    return jax.process_index(), jax.process_count()


def start_of_process() -> float:
    """Returns when this process began, in seconds since 1970, to 10 ms; the time of the call where no /proc tells."""
    now = time.time()
    try:
        with open("/proc/self/stat") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError, IndexError):
        return now
    return now - max(age, 0.0)
